"""The one page to work in: chat, plan, workflow, variables; everything live, in every window."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, Route, expect

from director.agent import ensure_current_thread
from director.agent.permissions.origin_requests import Approval, request_origin
from director.agent.saved_workflow import SavedState
from director.store import EntryDraft
from director.store.run_variables import get_draft_run_id, set_run_variable
from director.workflow.plan import parse_plan
from web.pages.windows import FOREVER, PLAN, App, a_talk, a_workflow, ask, say

SCOUT = """A scout looked at https://shop.example/ (snapshot 0123456789ab).
- #price matches 3 (the prices)
Dropped, because the page showed otherwise:
- #code matches 0, not 1"""


def tell(page: Page, text: str) -> None:
    """Say something in the chat, with the keyboard."""
    page.fill("#say", text)
    page.press("#say", "Enter")


def idle(page: Page) -> None:
    """Wait until no turn runs and this window knows it."""
    expect(page.locator("#composer")).to_have_attribute("data-busy", "0")


def test_the_chat_streams_text_and_shows_calls_as_cards_that_open(app: App) -> None:
    """Text is there before the turn is over; a card opens to its arguments and its result."""
    a_workflow(app.store, "streams")
    app.stage.lines["Which nodes?"] = [
        [*say("I look.\nAt all of them."), *ask("get_workflow_nodes", range="all")],
        say("There are **four**."),
    ]
    page = app.open("/w/streams")
    page.evaluate(
        "window.seen = []; new MutationObserver(() => window.seen.push("
        "document.getElementById('stream').textContent)).observe("
        "document.getElementById('stream'), {childList: true, subtree: true})"
    )
    tell(page, "Which nodes?")
    expect(page.locator(".message.agent strong")).to_have_text("four")
    assert any(text.startswith("I look.") for text in page.evaluate("window.seen"))
    assert page.locator("#stream").text_content() == ""
    group = page.locator("details.grp")
    expect(group.locator("summary").first).to_contain_text("At all of them")
    assert group.get_attribute("open") is None
    group.locator("summary").first.click()
    card = group.locator(".steps li")
    expect(card).to_contain_text("Read the nodes")
    expect(card.locator("pre").first).to_be_hidden()
    card.locator("summary").click()
    expect(card.locator("pre").first).to_contain_text('"range": "all"')
    expect(card.locator("pre").last).to_contain_text("1 find n1 transform")


def test_what_is_typed_and_pressed_before_the_page_listens_is_done_when_it_does(app: App) -> None:
    """However slowly its modules come: a message is sent, once, a button pressed."""
    a_workflow(app.store, "fast")
    app.stage.lines["Before you listen."] = [say("I heard.")]
    held: list[Route] = []
    page = app.context.new_page()

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/static/live.js", hold)
    page.goto(f"{app.url}/w/fast", wait_until="commit")
    tell(page, "Before you listen.")
    page.locator("#plan > summary").click()
    page.get_by_role("button", name="Tick off: Fill the table").click()
    assert app.store.head(ensure_current_thread(app.store, "fast")) == 0
    held[0].continue_()
    expect(page.locator(".message.agent")).to_have_text(re.compile("I heard."))
    expect(page.locator(".message.user")).to_have_count(1)
    expect(page.locator("#say")).to_have_value("")
    expect(page.locator("#task-4")).to_have_class(re.compile("completed"))
    assert page.url.endswith("/w/fast")


def test_a_page_that_came_without_its_modules_says_so_and_begins_anew(app: App) -> None:
    """The server went away in between: the banner, and what was typed is there afterwards."""
    a_workflow(app.store, "half")
    page = app.context.new_page()
    page.route("**/static/live.js", lambda route: route.abort(), times=1)
    page.goto(f"{app.url}/w/half")
    expect(page.locator("#offline")).to_be_visible()
    page.fill("#say", "Half a page.")
    expect(page.locator("#meter rect").first).to_be_attached()
    expect(page.locator("#say")).to_have_value("Half a page.")


def test_what_scouts_found_is_listed_with_what_was_dropped(app: App) -> None:
    """Findings that held, and those that the page showed otherwise."""
    a_workflow(app.store, "scouts")
    thread = ensure_current_thread(app.store, "scouts")
    call = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "deploy_scout"}
    items = [{**call, "arguments": json.dumps({"instruction": "Where are prices?"})}]
    app.store.append(thread, [EntryDraft("user", {"text": "Look."})])
    app.store.append(
        thread, [EntryDraft("agent", {"wire": "responses", "items": items, "text": ""})]
    )
    app.store.append(thread, [EntryDraft("result", {"call": "c1", "text": SCOUT, "failed": False})])
    page = app.open("/w/scouts")
    group = page.locator("details.grp")
    group.locator("summary").first.click()
    expect(group).to_contain_text("1 finding confirmed")
    group.locator("li summary").click()
    expect(group.locator(".findings li")).to_have_text(
        [re.compile("#price matches 3"), re.compile("#code matches 0")]
    )
    expect(group.get_by_role("img", name="dropped")).to_have_count(1)


def test_an_approval_is_asked_in_place_and_the_turn_goes_on(app: App) -> None:
    """Allow writes the origin into the workflow and lets Director go on; refuse does not."""
    a_workflow(app.store, "approves")
    app.stage.lines["I approve that. Go on."] = [say("On the way.")]
    for origin in ("https://one.example", "https://two.example"):
        request_origin(
            app.store, "approves", Approval(origin, "asked", "debug_navigate", "to look")
        )
    page = app.open("/w/approves")
    card = page.locator(".ask", has_text="https://one.example")
    card.get_by_role("button", name="Refuse").click()
    expect(card).to_have_count(0)
    page.get_by_role("button", name="Allow").click()
    expect(page.locator(".message.agent").last).to_contain_text("On the way.")
    origins = SavedState(app.store, "approves").workflow().origins
    assert origins == ("https://shop.example", "https://two.example")


def test_an_approval_counts_though_its_card_is_gone_before_the_answer_arrives(app: App) -> None:
    """The server takes its time to answer; the event that redraws the chat is faster."""
    a_workflow(app.store, "slow")
    app.stage.lines["I approve that. Go on."] = [say("On the way.")]
    request_origin(
        app.store, "slow", Approval("https://one.example", "asked", "debug_navigate", "")
    )
    page = app.open("/w/slow")
    card = page.locator(".ask", has_text="https://one.example")

    def hold(route: Route) -> None:
        answer = route.fetch()
        expect(card).to_have_count(0)
        route.fulfill(response=answer)

    page.route("**/approvals", hold)
    card.get_by_role("button", name="Allow").click()
    expect(page.locator(".message.agent").last).to_contain_text("On the way.")


def test_a_question_is_answered_in_place(app: App) -> None:
    """A choice is a button; what is pressed is the answer of the call."""
    a_workflow(app.store, "asks")
    app.stage.lines["Begin."] = [
        ask("ask_user", question="Which shop?", choices=["North", "South"]),
        say("South it is."),
    ]
    page = app.open("/w/asks")
    tell(page, "Begin.")
    expect(page.locator(".ask")).to_contain_text("Which shop?")
    page.get_by_role("button", name="South").click()
    expect(page.locator(".message.agent").last).to_contain_text("South it is.")
    expect(page.locator(".question", has_text="Which shop?")).to_contain_text("you answered")


def test_s0_5_the_plan_is_a_list_by_phase_with_marks_that_changes_in_front_of_the_user(
    app: App,
) -> None:
    """Status marks, ticking off, a new version as it is written, an earlier one to look at."""
    a_workflow(app.store, "plans")
    page = app.open("/w/plans")
    expect(page.locator("#plan > summary")).to_contain_text("Ask for the rate")
    page.locator("#plan > summary").click()
    expect(page.locator("#plan .ph").first).to_contain_text("Read")
    expect(page.locator("#task-3").get_by_role("img", name="Failed")).to_be_visible()
    page.get_by_role("button", name="Tick off: Fill the table").click()
    expect(page.locator("#plan-count")).to_have_text("2 of 4")
    later = json.loads(json.dumps(PLAN))
    later["phases"][1]["tasks"].append(
        {"task_id": 5, "description": "Check the sum", "status": "pending"}
    )
    SavedState(app.store, "plans").save_plan(parse_plan(later), "one more")
    expect(page.locator("#plan")).to_contain_text("Check the sum")
    page.get_by_label("Version of the plan").select_option("1")
    expect(page.locator("#plan")).not_to_contain_text("Check the sum")
    page.get_by_role("button", name="Show the newest").click()
    expect(page.locator("#plan")).to_contain_text("Check the sum")


def test_the_workflow_is_an_outline_whose_nodes_can_be_tested_and_edited(app: App) -> None:
    """A loop is a frame; a node opens beside it; mistakes are said there; nothing is saved for nothing."""
    a_workflow(app.store, "nodes")
    page = app.open("/w/nodes")
    expect(page.locator(".loop #node-n3")).to_be_visible()
    node, drawer = page.locator("#node-n1"), page.locator("#drawer")
    expect(node.get_by_role("img", name="Not tested")).to_be_visible()
    node.click()
    drawer.get_by_role("button", name="Test", exact=True).click()
    expect(node.get_by_role("img", name="Passed")).to_be_visible()
    expect(drawer.locator("#table-node tbody tr")).to_have_count(2)
    expect(page.locator("#table-item tbody tr")).to_have_count(2)
    expect(drawer.locator("#save-node")).to_be_disabled()
    drawer.get_by_text("All of it as JSON").click()
    drawer.get_by_label("Config, as JSON").fill('{"nothing": 1}')
    drawer.get_by_role("button", name="Save", exact=True).click()
    expect(drawer.locator("> .told")).to_contain_text("code")
    drawer.get_by_label("Config, as JSON").fill('{"code": "[1]"}')
    drawer.get_by_label("Description").fill("Find one")
    drawer.get_by_role("button", name="Save", exact=True).click()
    expect(node).to_contain_text("Find one")
    expect(node.get_by_role("img", name="Not tested")).to_be_visible()


def test_a_press_counts_though_its_list_is_drawn_anew_before_it_ends(app: App) -> None:
    """Another window tests the node between the two halves of a press, and what it found is new."""
    a_workflow(app.store, "pressed")
    page, other = app.open("/w/pressed"), app.open("/w/pressed")
    # The meter comes last; what it moves has moved before the button is looked for.
    expect(page.locator("#meter rect").first).to_be_attached()
    page.locator("#node-n1").click()
    page.locator("#drawer").get_by_role("button", name="Test", exact=True).hover()
    page.mouse.down()
    with page.expect_response(re.compile("/part/nodes")):
        other.evaluate(
            "import('/static/actions.js').then(({send}) => "
            "send('POST', '/api/workflows/pressed/nodes/n1/test', {}))"
        )
    with page.expect_request("**/nodes/n1/test"):
        page.mouse.up()
    expect(page.locator("#node-n1").get_by_role("img", name="Passed")).to_be_visible()
    expect(page.locator("#table-node")).to_be_visible()


def test_variables_are_shown_as_the_model_sees_them(app: App) -> None:
    """Cut at a hundred characters, hidden if sensitive, live."""
    a_workflow(app.store, "variables")
    page = app.open("/w/variables")
    page.get_by_role("tab", name="Variables").click()
    expect(page.locator("#variables")).to_contain_text("No variables yet")
    run = get_draft_run_id("variables")
    set_run_variable(app.store, run, "long", "x" * 150, "a test")
    set_run_variable(app.store, run, "items", [{"a": 1}, 2], "a test")
    set_run_variable(app.store, run, "user_password", "{{secret:shop}}", "a test")
    expect(page.locator("#data-variables td.v")).to_have_text(
        ['[Array of 2 - first: {"a": 1}]', f'"{"x" * 100}..."', re.compile("hidden|secret")]
    )


def test_a_part_that_could_not_be_loaded_is_asked_for_again(app: App) -> None:
    """The line breaks once, for the chat and for the variables."""
    a_workflow(app.store, "again")
    page = app.open("/w/again")
    for part in ("chat", "variables"):
        page.route(f"**/part/{part}*", lambda route: route.abort(), times=1)
    set_run_variable(app.store, get_draft_run_id("again"), "kept", 1, "a test")
    app.store.append(
        ensure_current_thread(app.store, "again"), [EntryDraft("user", {"text": "From afar."})]
    )
    expect(page.locator("#variables")).to_contain_text("kept")
    expect(page.locator(".message.user")).to_contain_text("From afar.")


def test_eight_windows_of_one_browser_all_stay_live(app: App) -> None:
    """One of them listens for all; when it is closed another one does."""
    a_workflow(app.store, "windows")
    pages = [app.open("/w/windows") for _ in range(8)]
    set_run_variable(app.store, get_draft_run_id("windows"), "first", 1, "a test")
    for page in pages:
        expect(page.locator("#variables")).to_contain_text("first")
    pages.pop(0).close()
    # The next one has taken over as soon as it holds the lock.
    pages[0].wait_for_function(
        "navigator.locks.query().then((all) => all.held.length === 1 && all.pending.length === 6)"
    )
    set_run_variable(app.store, get_draft_run_id("windows"), "second", 2, "a test")
    for page in pages:
        expect(page.locator("#variables")).to_contain_text("second")


@pytest.mark.slow
def test_fifty_windows_of_one_browser_all_stay_live(app: App) -> None:
    """Each shows what happens, over one connection."""
    a_workflow(app.store, "fifty")
    pages = [app.open("/w/fifty") for _ in range(50)]
    set_run_variable(app.store, get_draft_run_id("fifty"), "first", 1, "a test")
    for page in pages:
        expect(page.locator("#variables")).to_contain_text("first")


def test_what_is_being_typed_stays_while_the_page_changes(app: App) -> None:
    """A part that is made anew keeps focus, text and what is open."""
    a_workflow(app.store, "types")
    page = app.open("/w/types")
    page.locator("#add-node summary").click()
    page.locator("#say").press_sequentially("half a sen")
    app.store.append(
        ensure_current_thread(app.store, "types"), [EntryDraft("user", {"text": "From afar."})]
    )
    expect(page.locator(".message.user")).to_contain_text("From afar.")
    set_run_variable(app.store, get_draft_run_id("types"), "x", 1, "a test")
    expect(page.locator("#variables")).to_contain_text("x")
    page.locator("#say").press_sequentially("tence")
    expect(page.locator("#say")).to_have_value("half a sentence")
    expect(page.locator("#say")).to_be_focused()
    expect(page.locator("#add-node")).to_have_attribute("open", "")


def test_stop_retry_and_a_new_conversation(app: App) -> None:
    """A turn that hangs is stopped with Escape and taken again; then a new thread begins."""
    a_workflow(app.store, "stops")
    app.stage.lines["Hang."] = [[FOREVER, *say("Never.")]]
    page = app.open("/w/stops")
    tell(page, "Hang.")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.locator("#send")).to_contain_text("Queue")
    page.keyboard.press("Escape")
    expect(page.locator("#ended")).to_contain_text("Stopped by you")
    app.stage.lines["Hang."] = [say("Now I answer.")]
    page.get_by_role("button", name="Retry").click()
    expect(page.locator(".message.agent").last).to_contain_text("Now I answer.")
    expect(page.locator(".message.line")).to_contain_text("1 message removed")
    idle(page)
    page.locator("header [data-menu] summary").click()
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator("#tail")).to_contain_text("What should this workflow do?")
    assert len(app.store.threads("stops")) == 2


def test_s2_6_the_model_and_the_context_mode_are_chosen_for_a_message(app: App) -> None:
    """What is chosen beside the input is what the request was made with, and stays chosen."""
    a_workflow(app.store, "chooses")
    app.stage.lines["Hello."] = [say("Hello.")]
    page = app.open("/w/chooses")
    page.get_by_label("Context mode for this message").select_option("clean")
    tell(page, "Hello.")
    expect(page.locator(".message.agent")).to_contain_text("Hello.")
    idle(page)
    kept = app.store.get("request", ensure_current_thread(app.store, "chooses"))
    assert kept is not None
    assert kept.body["profile"] == "clean"
    page.reload()
    mode = page.get_by_label("Context mode for this message")
    expect(mode).to_have_value("clean")
    mode.select_option("structured")
    tell(page, "Hello.")
    expect(page.locator(".message.agent")).to_have_count(2)
    idle(page)
    newest = app.store.get("request", ensure_current_thread(app.store, "chooses"))
    assert newest is not None
    assert newest.body["profile"] == "structured"


def test_two_windows_cannot_interleave_a_turn(app: App) -> None:
    """The second one is told, where it happened, and keeps what it wrote."""
    a_workflow(app.store, "pair")
    app.stage.lines["Wait."] = [[FOREVER, *say("Never.")]]
    first, second = app.open("/w/pair"), app.open("/w/pair")
    tell(first, "Wait.")
    expect(second.get_by_role("button", name="Stop")).to_be_visible()
    answer = second.evaluate(
        "import('/static/session.js').then(({ask}) => ask('/api/workflows/pair/say', {method: "
        "'POST', headers: {'content-type': 'application/json'}, body: '{\"text\": \"Me too.\"}'}))"
        ".then((answer) => answer.status)"
    )
    assert answer == 409
    first.get_by_role("button", name="Stop").click()
    expect(second.locator("#ended")).to_be_visible()
    assert app.store.head(ensure_current_thread(app.store, "pair")) == 1


def test_searching_leads_to_the_turn(app: App) -> None:
    """Words are found while they are typed, and a hit scrolls to its turn."""
    a_talk(app.store, "searches", rounds=30)
    page = app.open("/w/searches")
    page.get_by_role("button", name="Search this conversation").click()
    page.keyboard.type("#order-2.")
    hit = page.locator("#hits a")
    expect(hit).to_have_count(1)
    hit.click()
    turn = page.locator("#t10")
    expect(turn).to_be_in_viewport()
    expect(turn).to_be_focused()
