"""A message said otherwise: a branch of the conversation, with all as it was before the message."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from director.agent import ensure_current_thread
from director.agent.saved_workflow import SavedState
from director.store.run_variables import get_draft_run_id, read_run_variables, set_run_variable
from web.pages.windows import App, a_workflow, ask, say

PLAN = {
    "overall_goal": "Prices",
    "current_phase": "Read",
    "phases": [
        {
            "phase_name": "Read",
            "status": "pending",
            "tasks": [{"task_id": 1, "description": "Open the shop", "status": "pending"}],
        }
    ],
}
NODE = {"type": "transform", "alias": "sum", "config": {"code": "1 + 1"}}


def test_a_message_is_edited_and_the_plan_the_nodes_and_the_variables_go_back(app: App) -> None:
    """What goes back is said first; both branches stay readable, and each can be gone on with."""
    a_workflow(app.store, "branches", nodes=False)
    run = get_draft_run_id("branches")
    app.stage.lines["Hello."] = [say("Which shop?")]
    app.stage.lines["The north one."] = [
        [*ask("update_plan", plan=PLAN, reason="first"), *ask("create_node", **NODE)],
        say("Built for the north."),
    ]
    app.stage.lines["The south one."] = [say("Then the south.")]
    page = app.open("/w/branches")
    for text, answer in (("Hello.", "Which shop?"), ("The north one.", "Built for the north.")):
        page.fill("#say", text)
        page.press("#say", "Enter")
        expect(page.locator(".message.agent").last).to_contain_text(answer)
        expect(page.locator("#composer")).to_have_attribute("data-busy", "0")
    set_run_variable(app.store, run, "rate", 7, "a test")
    first = ensure_current_thread(app.store, "branches")
    expect(page.locator("#node-n1, .node").first).to_be_visible()
    page.locator(".message.user").last.get_by_role("button", name="Edit").click()
    form = page.locator(".branching")
    for words in ("1 node now, 0 then", "Plan: none yet", "Variables: rate"):
        expect(form).to_contain_text(words)
    form.get_by_label("The message, otherwise").fill("The south one.")
    form.get_by_role("button", name="Send as a branch").click()
    expect(page.locator(".message.agent").last).to_contain_text("Then the south.")
    expect(page.locator(".message.user").last).to_contain_text("2 of 2")
    expect(page.locator("#chat")).not_to_contain_text("north")
    saved = SavedState(app.store, "branches")
    assert saved.plan() is None
    assert saved.workflow().nodes == ()
    assert read_run_variables(app.store, run) == {}
    expect(page.locator("#plan")).to_be_hidden()
    page.locator(".message.user").last.get_by_role("link", name=re.compile("before")).click()
    expect(page.locator(".message.agent").last).to_contain_text("Built for the north.")
    expect(page.locator(".message.user").last).to_contain_text("1 of 2")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Go on in this one").click()
    expect(page.locator("#say")).to_be_visible()
    assert ensure_current_thread(app.store, "branches") == first
    again = SavedState(app.store, "branches")
    assert [node.alias for node in again.workflow().nodes] == ["sum"]
    assert again.plan() is not None
    assert read_run_variables(app.store, run) == {"rate": 7}
