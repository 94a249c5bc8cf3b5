"""What a newcomer who had only the page did not understand, each so that it cannot come back."""

from __future__ import annotations

import json

from playwright.sync_api import Page, expect

from director.models.script_values import Say
from director.runs import save_run_workflow
from director.workflow.document import read_workflow_document
from web.pages.windows import App, Stage, a_doubt, a_talk, a_workflow

FIND = {
    "id": "n1",
    "alias": "find",
    "type": "transform",
    "config": {"code": "[{'price': 3}, {'price': 5}]", "create_records": "item"},
}
SUMMARY = {
    "user_goal": "Get lamp-1 and never the blue one. [1]",
    "decisions": [f"#buy-{n} works, #order-{n} failed with E{n}42 for lamp-{n}." for n in range(6)],
    "open_tasks": [],
}


def _runs(app: App, id_: str) -> Page:
    """A page on which a workflow of one node has just been run from the build page."""
    body = {"version": 1, "id": id_, "name": "Prices", "nodes": [FIND]}
    save_run_workflow(app.store, read_workflow_document(body))
    page = app.open(f"/w/{id_}")
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator("#dialog").get_by_role("button", name="Start").click()
    expect(page.locator("#run-state")).to_contain_text("Passed")
    return page


def test_run_asks_for_inputs_where_it_is_pressed_and_the_next_page_says_what_happened(
    app: App,
) -> None:
    """No page opens without a sign; the inputs are asked for beside what a run is."""
    a_workflow(app.store, "starts", "Prices")
    page = app.open("/w/starts")
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.locator("#dialog")
    expect(dialog).to_contain_text("A run does the whole workflow")
    dialog.get_by_label("rate").fill("10")
    dialog.get_by_role("button", name="Start").click()
    expect(page.locator("#toast")).to_contain_text("The run has started")
    expect(page.locator(".now")).to_contain_text("Waits for your answer")


def test_data_says_whether_a_test_or_a_run_left_it(app: App) -> None:
    """A run keeps data of its own; the build page names both, and which one a result is of."""
    run = _runs(app, "sources")
    page = app.open("/w/sources")
    expect(page.locator("#data-of")).to_contain_text("No test has left data yet. The run of")
    page.locator("#node-n1").click()
    expect(page.locator("#n-res h3")).to_contain_text("in the run of")
    page.keyboard.press("t")
    expect(page.locator("#n-res h3")).to_contain_text("in the test of")
    page.keyboard.press("Escape")
    expect(page.locator("#data-of")).to_contain_text("Data of the last test")
    page.locator("#data-of a").click()
    expect(page).to_have_url(run.url)


def test_a_doubt_says_what_to_do_and_a_dismissed_one_is_closed(app: App) -> None:
    """What was seen, expected, to be done; dismissed it counts nowhere, and can be doubted again."""
    page = _runs(app, "doubtful")
    a_doubt(app.store, page.url.rpartition("/")[2])
    open_ = page.locator("section.doubt")
    expect(open_).to_contain_text("Rows may be missing or too many")
    expect(open_).to_contain_text("Expected: As many rows as the page has or states.")
    expect(open_).to_contain_text("What to do: Open the page and count.")
    expect(page.locator("#run-state")).to_contain_text("1 doubt")
    home = app.open()
    expect(home.locator("#workflow-doubtful")).to_contain_text("1 doubt")
    open_.get_by_role("button", name="It is right as it is").click()
    expect(open_).to_have_count(0)
    closed = page.locator("details.doubt")
    expect(closed).to_contain_text("Resolved: rows may be missing")
    expect(page.locator("#run-state")).to_contain_text("1 doubt resolved")
    expect(home.locator("#workflow-doubtful .tag")).to_have_count(0)
    closed.locator("summary").first.click()
    closed.get_by_role("button", name="Doubt it again").click()
    open_.get_by_role("button", name="Ask Director to fix it").click()
    expect(page.locator("#say")).to_have_value(
        "Look into this doubt about find and fix it if it is right: "
        "find read 2 rows, and the page says '5 results'."
    )
    expect(page.locator("#say")).to_be_focused()


def test_a_summary_that_is_json_is_read_as_headings_and_edited_by_its_fields(app: App) -> None:
    """In the preview and in the conversation, where a long one says that there is more."""
    a_talk(app.store, "written")
    stage: Stage = app.stage
    stage.summary = lambda _: [Say(f"```json\n{json.dumps(SUMMARY)}\n```")]
    try:
        page = app.open("/w/written")
        page.locator("#compress").click()
        dialog = page.locator("#dialog")
        dialog.get_by_role("button", name="Write the summary").click()
        preview = dialog.locator("#preview-text")
        expect(preview.get_by_role("heading", name="User goal")).to_be_visible()
        expect(preview.get_by_role("listitem")).to_have_count(6)
        expect(preview).not_to_contain_text("user_goal")
        dialog.get_by_role("button", name="Edit").click()
        written = dialog.get_by_label("open tasks")
        written.fill("Ask about the shade.\nPay.")
        dialog.get_by_role("button", name="Check").click()
        expect(preview.get_by_role("listitem").last).to_have_text("Pay.")
        dialog.get_by_role("button", name="Compress", exact=True).click()
    finally:
        stage.summary = None
    card = page.locator(".message.summary")
    card.locator("summary").click()
    expect(card.get_by_role("heading", name="Open tasks")).to_be_attached()
    card.get_by_role("button", name="Show all of it").click()
    expect(card.get_by_text("Pay.")).to_be_in_viewport()
    expect(card.get_by_role("button", name="Show all of it")).to_be_hidden()


def test_the_model_is_named_where_work_begins_and_where_it_goes_on(app: App) -> None:
    """On the first page beside the job, and at the message box."""
    page = app.open()
    expect(page.locator("[data-job]")).to_contain_text("Built with scripted:test")
    a_workflow(app.store, "named")
    page.goto(f"{app.url}/w/named")
    expect(page.locator("label[for=model]")).to_contain_text("Model")
    expect(page.locator("#model")).to_contain_text("scripted:test")
