"""What a first look at the app stumbled over, each so that it cannot come back."""

from __future__ import annotations

import json
import re

from playwright.sync_api import expect

from director.agent import current_thread
from director.agent.permissions.origin_requests import ASKED, Approval, request_origin
from director.agent.saved_workflow import SavedState
from director.models.script_values import Fail
from director.runs import save_run_workflow
from director.store import EntryDraft
from director.workflow.document import read_workflow_document
from director.workflow.plan import parse_plan
from web.pages.windows import FOREVER, App, a_talk, a_workflow, ask, say


def test_stop_keeps_the_text_on_the_page_and_says_so(app: App) -> None:
    """Also when the page is loaded again; the next message ends it."""
    a_workflow(app.store, "keeps")
    app.stage.lines["Look."] = [[FOREVER, *say("Never.")]]
    app.stage.lines["Go on."] = [say("Further.")]
    page = app.open("/w/keeps")
    page.fill("#say", "Look.")
    page.press("#say", "Enter")
    expect(page.locator(".message.user")).to_be_visible()
    # As one window of a browser tells the others what it hears.
    text = "I begin to **look** at the shop."
    event = {"workflow": "keeps", "text": text, "entry": 2, "at": 0}
    channel = "new BroadcastChannel('director-events')"
    page.evaluate(f"(event) => {channel}.postMessage({{event}})", event)
    expect(page.locator("#stream strong").first).to_have_text("look")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#ended")).to_contain_text("Stopped by you")
    expect(page.locator("#stopped")).to_contain_text("I begin to look at the shop.")
    page.reload()
    expect(page.locator("#stopped")).to_contain_text("the model does not see it again")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".message.agent").last).to_contain_text("Further.")
    expect(page.locator("#stopped")).to_have_count(0)


def test_what_is_written_while_a_turn_runs_waits_and_is_sent_after_it(app: App) -> None:
    """It can be taken back into the box; a stopped turn does not send it."""
    a_workflow(app.store, "queues")
    app.stage.lines["Ask me."] = [ask("get_workflow_summary"), say("Done.")]
    app.stage.lines["And then?"] = [say("Then this.")]
    app.stage.lines["Hang."] = [[FOREVER, *say("Never.")]]
    page = app.open("/w/queues")
    page.fill("#say", "Hang.")
    page.press("#say", "Enter")
    expect(page.locator("#send")).to_contain_text("Queue")
    page.fill("#say", "And then?")
    page.press("#say", "Enter")
    page.fill("#say", "Not this.")
    page.press("#say", "Enter")
    expect(page.locator(".queued")).to_have_text(["And then?", "Not this."])
    page.get_by_role("button", name="Remove the queued message").last.click()
    expect(page.locator(".queued")).to_have_text("And then?")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#ended")).to_be_visible()
    expect(page.locator(".queued")).to_have_text("And then?")
    page.fill("#say", "Ask me.")
    page.press("#say", "Enter")
    expect(page.locator(".message.agent").last).to_contain_text("Then this.")
    expect(page.locator("#queue")).to_be_hidden()


def test_a_group_is_open_only_while_something_in_it_is_failed(app: App) -> None:
    """A failure that was put right later says so, and the group stays closed."""
    a_workflow(app.store, "groups")
    thread = current_thread(app.store, "groups")
    app.store.append(thread, [EntryDraft("user", {"text": "Test it."})])

    def call(nth: int, node: str, *, failed: bool) -> None:
        item = {"type": "function_call", "id": f"f{nth}", "call_id": f"c{nth}"}
        item |= {"name": "test_single_node", "arguments": json.dumps({"node": node})}
        body = {"wire": "responses", "items": [item], "text": ""}
        app.store.append(thread, [EntryDraft("agent", body)])
        result = {"call": f"c{nth}", "text": "It was not found.", "failed": failed}
        app.store.append(thread, [EntryDraft("result", result)])

    call(1, "find", failed=True)
    page = app.open("/w/groups")
    group = page.locator("details.grp")
    expect(group).to_have_attribute("data-open", "1")
    expect(group.locator(".why")).to_be_visible()
    call(2, "find", failed=False)
    expect(group).to_contain_text("1 fixed")
    expect(group.locator(".why")).to_be_hidden()
    expect(group.locator("summary").first).to_contain_text("Tested nodes")


def test_an_approval_waits_in_amber_and_is_answered_by_a_key(app: App) -> None:
    """It is no failure, and nothing red is beside it."""
    a_workflow(app.store, "amber")
    app.stage.lines["I approve that. Go on."] = [say("On the way.")]
    request_origin(
        app.store, "amber", Approval("https://one.example", "asked", "debug_navigate", "why")
    )
    thread = current_thread(app.store, "amber")
    item = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "debug_navigate"}
    item["arguments"] = json.dumps({"url": "https://one.example"})
    told = f"debug_navigate was not run: https://one.example is not approved. {ASKED}."
    drafts = [
        EntryDraft("user", {"text": "Look."}),
        EntryDraft("agent", {"wire": "responses", "items": [item], "text": ""}),
        EntryDraft("result", {"call": "c1", "text": told, "failed": True}),
    ]
    app.store.append(thread, drafts)
    page = app.open("/w/amber")
    group = page.locator("details.grp")
    expect(group.get_by_role("img", name="Asked you first").first).to_be_visible()
    assert page.locator("#talk .bad").count() == 0
    card = page.locator(".ask")
    expect(card).to_contain_text("waits for you")
    assert card.locator(".bad, .tag.bad").count() == 0
    page.locator("#talk").focus()
    page.keyboard.press("y")
    expect(page.locator(".message.agent").last).to_contain_text("On the way.")


def test_conditions_are_edited_one_by_one_and_nothing_is_saved_for_nothing(app: App) -> None:
    """A condition is added and removed; the version counts only what changed; undo goes back."""
    a_workflow(app.store, "conds")
    page = app.open("/w/conds#node-n1")
    drawer = page.locator("#drawer")
    expect(drawer.locator("#save-node")).to_be_disabled()
    drawer.get_by_role("button", name="Add", exact=True).click()
    drawer.get_by_label("The new condition as JSON").fill('{"records": "item", "at_least": 1}')
    drawer.get_by_role("button", name="Add the condition").click()
    expect(drawer.locator(".cond")).to_contain_text("records item at least 1")
    newest = app.store.get("workflow", "conds")
    assert newest is not None
    drawer.get_by_role("button", name=re.compile("Edit the condition")).click()
    drawer.get_by_role("button", name="Save the condition").click()
    expect(page.locator("#toast")).to_contain_text("Nothing was changed")
    again = app.store.get("workflow", "conds")
    assert again is not None
    assert again.version == newest.version
    page.get_by_role("button", name="Undo the last change of the workflow").click()
    expect(drawer.locator(".cond")).to_have_count(0)
    page.get_by_role("button", name="Redo").click()
    expect(drawer.locator(".cond")).to_have_count(1)


def test_records_are_a_table_that_sorts_filters_and_leaves_as_csv(app: App) -> None:
    """From the first test on, without a run."""
    a_workflow(app.store, "data")
    page = app.open("/w/data#node-n1")
    page.locator("#drawer").get_by_role("button", name="Test", exact=True).click()
    page.locator("#drawer").get_by_role("button", name="Close").click()
    rows = page.locator("#table-item tbody tr")
    expect(rows).to_have_count(2)
    price = page.locator("#table-item th", has_text="price")
    price.get_by_role("button").click()
    price.get_by_role("button").click()
    expect(price).to_have_attribute("aria-sort", "descending")
    expect(rows.first).to_contain_text("5")
    with page.expect_download() as handed:
        page.locator("#variables").get_by_role("link", name="CSV").click()
    assert handed.value.suggested_filename == "records.csv"


def test_a_disabled_compress_button_says_its_own_reason(app: App) -> None:
    """Nothing is chosen; no summary yet; none, when it can be pressed."""
    a_talk(app.store, "reasons")
    page = app.open("/w/reasons")
    page.locator("#compress").click()
    dialog = page.locator("#dialog")
    expect(dialog.locator("#why")).to_have_text("Write the summary first")
    for box in dialog.get_by_role("checkbox").all():
        box.uncheck()
    expect(dialog.locator("#why")).to_have_text("Nothing is chosen")
    dialog.get_by_role("checkbox").first.check()
    dialog.get_by_role("button", name="Write the summary").click()
    expect(dialog.locator("#apply")).to_be_enabled()
    expect(dialog.locator("#why")).to_have_text("")


def test_a_turn_that_failed_leads_to_the_settings_and_can_be_taken_again(app: App) -> None:
    """A key that is refused: what happened, what is kept, what to do next."""
    a_workflow(app.store, "fails")
    app.stage.lines["Hello."] = [[Fail("invalid_api_key", "The key was refused.")]]
    page = app.open("/w/fails")
    page.fill("#say", "Hello.")
    page.press("#say", "Enter")
    card = page.locator("#failed")
    expect(card).to_contain_text("are kept")
    link = card.get_by_role("link", name="Models and keys")
    expect(link).to_have_attribute("href", "/settings#models")
    app.stage.lines["Hello."] = [say("Hello you.")]
    card.get_by_role("button", name="Try again").click()
    expect(page.locator(".message.agent").last).to_contain_text("Hello you.")


def test_panels_are_sized_by_keys_folded_and_remembered(app: App) -> None:
    """The edge moves by arrows; the left panel folds by a key; both are there after a reload."""
    a_workflow(app.store, "panels")
    page = app.open("/w/panels")
    edge = page.get_by_role("separator", name="Resize the conversation")
    before = int(edge.get_attribute("aria-valuenow") or 0)
    edge.focus()
    page.keyboard.press("ArrowRight")
    expect(edge).to_have_attribute("aria-valuenow", str(before + 2))
    page.locator("#nodes .scroll").focus()
    page.keyboard.press("[")
    expect(page.locator("#chat")).to_be_hidden()
    page.reload()
    expect(page.locator("#chat")).to_be_hidden()
    page.locator("#nodes .scroll").focus()
    page.keyboard.press("[")
    expect(page.locator("#chat")).to_be_visible()
    expect(edge).to_have_attribute("aria-valuenow", str(before + 2))


def test_one_limit_and_one_warning_stand_everywhere(app: App) -> None:
    """In the header, the popover, the inspector, the settings and the words of a refusal."""
    a_talk(app.store, "limits", rounds=2)
    app.stage.lines["Hello."] = [say("Hello you.")]
    page = app.open("/w/limits")
    meter = page.locator("#meter")
    expect(meter).to_contain_text("of 180K")
    expect(meter).to_contain_text("warns at 160K")
    meter.locator("summary").click()
    expect(meter).to_contain_text("warn 160K")
    expect(meter).to_contain_text("limit 180K")
    page.keyboard.press("Escape")
    page.fill("#say", "word " * 190_000)
    expect(page.locator("#composer .told")).to_contain_text("180,000 may be sent")
    page.fill("#say", "Hello.")
    page.press("#say", "Enter")
    expect(page.locator("section .message.agent").last).to_contain_text("Hello you.")
    page.goto(f"{app.url}/w/limits/requests/1")
    expect(page.get_by_text("180,000 · warns at 160,000")).to_be_visible()
    page.goto(f"{app.url}/settings")
    expect(page.get_by_label("Warn above (tokens)")).to_have_value("160000")
    expect(page.get_by_label("Compress automatically above (tokens)")).to_have_value("180000")


ROUTED = [
    {
        "id": "r1",
        "alias": "sort_out",
        "type": "route",
        "config": {
            "branches": [
                {"name": "dear", "condition": "1 > 2", "nodes": ["r2"]},
                {"name": "cheap", "condition": True, "nodes": ["r3"]},
            ]
        },
    },
    {"id": "r2", "alias": "refuse", "type": "transform", "config": {"code": "1"}},
    {"id": "r3", "alias": "buy", "type": "transform", "config": {"code": "2"}},
]


def test_a_branch_that_is_skipped_neither_fails_nor_keeps_the_plan_open(app: App) -> None:
    """It is grey beside the one that was taken, and the task that names it is done."""
    body = {"version": 1, "id": "routed", "name": "Routed", "nodes": ROUTED}
    save_run_workflow(app.store, read_workflow_document(body))
    task = {"task_id": 1, "description": "Buy or refuse", "node_ids": ["r1", "r2", "r3"]}
    phase = {"phase_name": "Buy", "status": "pending", "tasks": [{**task, "status": "pending"}]}
    plan = {"overall_goal": "Buy", "current_phase": "Buy", "phases": [phase]}
    SavedState(app.store, "routed").save_plan(parse_plan(plan), "first")
    page = app.open("/w/routed")
    expect(page.locator(".lane")).to_have_count(2)
    page.get_by_role("button", name="Test all").click()
    expect(page.locator("#node-r3").get_by_role("img", name="Passed")).to_be_visible()
    expect(page.locator("#node-r2").get_by_role("img", name="Skipped")).to_be_visible()
    expect(page.locator("#flow-sum .bad")).to_have_count(0)
    expect(page.locator("#plan-count")).to_have_text("1 of 1")


def test_words_are_counted_as_one_or_many_and_no_page_asks_for_what_is_not_there(app: App) -> None:
    """One node, one message; no picture, font or script is missing, and no console has an error."""
    a_talk(app.store, "counted", rounds=1)
    body = {"version": 1, "id": "counted", "name": "Counted", "nodes": [ROUTED[2]]}
    save_run_workflow(app.store, read_workflow_document(body))
    app.stage.lines["Hello."] = [say("Hello you.")]
    page = app.context.new_page()
    wrong: list[str] = []
    page.on("response", lambda one: wrong.append(one.url) if one.status >= 400 else None)
    page.on("console", lambda one: wrong.append(one.text) if one.type == "error" else None)
    page.goto(f"{app.url}/w/counted")
    expect(page.locator("#meter")).to_contain_text("0 requests")
    page.fill("#say", "Hello.")
    page.press("#say", "Enter")
    expect(page.locator("#meter")).to_contain_text("1 request")
    page.goto(f"{app.url}/w/counted/runs")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#run-state")).to_contain_text("Passed")
    expect(page.locator("#timeline + .cnt")).to_have_text("1 step")
    for path in ("/", "/settings", "/help", "/w/counted/requests", "/w/counted/requests/1"):
        page.goto(f"{app.url}{path}")
        page.locator("h1").first.wait_for(state="attached")
    assert wrong == []
