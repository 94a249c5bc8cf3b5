"""Nodes by hand: moved, duplicated, deleted, tested from one on; versions compared; two windows; variables."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from director.agent.saved_workflow import SavedState
from director.store.run_variables import (
    get_draft_run_id,
    list_run_variable_history,
    read_run_variables,
    set_run_variable,
)
from web.pages.windows import App, a_workflow


def _aliases(app: App, workflow: str) -> list[str]:
    return [node.alias for node in SavedState(app.store, workflow).workflow().nodes]


def _menu(page: Page, name: str) -> None:
    page.locator("#drawer [data-menu] summary").click()
    page.locator("#drawer .menu").get_by_role("button", name=name).click()


def test_nodes_are_moved_duplicated_and_deleted_and_each_change_is_undone(app: App) -> None:
    """By Alt and arrows and by the menu; the list of versions shows what each changed."""
    a_workflow(app.store, "moves")
    page = app.open("/w/moves")
    page.locator("#node-n4").focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(page.locator(".nodes > li").nth(1)).to_contain_text("code")
    assert _aliases(app, "moves") == ["find", "code", "each", "convert"]
    page.locator("#node-n1").click()
    _menu(page, "Duplicate")
    expect(page.locator(".node", has_text="find_copy")).to_be_visible()
    page.locator(".node", has_text="find_copy").click()
    expect(page.locator("#drawer h2")).to_have_text("Find copy")
    _menu(page, "Delete")
    expect(page.locator(".node", has_text="find_copy")).to_have_count(0)
    page.get_by_role("button", name="Undo the last change of the workflow").click()
    expect(page.locator(".node", has_text="find_copy")).to_have_count(1)
    page.locator("#versions > summary").click()
    newest = page.locator("#versions details").first
    newest.locator("summary").click()
    expect(newest.locator(".added", has_text="find_copy").first).to_be_visible()
    page.locator("#versions details").last.locator("summary").click()
    page.get_by_role("button", name="Restore v1", exact=True).click()
    expect(page.locator(".nodes > li").nth(1)).to_contain_text("each")
    assert _aliases(app, "moves") == ["find", "each", "convert", "code"]


def test_two_windows_that_edit_one_node_meet_in_a_card_that_shows_both(app: App) -> None:
    """Nothing is lost; a change of another node is no conflict."""
    a_workflow(app.store, "both")
    first, second = app.open("/w/both#node-n1"), app.open("/w/both#node-n1")
    drawers = [page.locator("#drawer") for page in (first, second)]
    for drawer, words in zip(drawers, ("Theirs", "Mine"), strict=True):
        expect(drawer.get_by_label("Description")).to_have_value("Find the prices")
        drawer.get_by_label("Description").fill(words)
    drawers[0].get_by_role("button", name="Save", exact=True).click()
    expect(first.locator("#toast")).to_contain_text("Saved")
    expect(second.locator("#node-n1")).to_contain_text("Theirs")
    drawers[1].get_by_role("button", name="Save", exact=True).click()
    card = second.locator("#conflict")
    for words in ("changed in another window", "Theirs", "Mine"):
        expect(card).to_contain_text(words)
    card.get_by_role("button", name="Save mine").click()
    expect(first.locator("#node-n1")).to_contain_text("Mine")
    drawers[1].get_by_label("Description").fill("Once more")
    first.locator("#node-n4").click()
    expect(first.get_by_role("complementary", name="Node: code")).to_be_visible()
    drawers[0].get_by_label("Description").fill("Another node")
    drawers[0].get_by_role("button", name="Save", exact=True).click()
    expect(second.locator("#node-n4")).to_contain_text("Another node")
    drawers[1].get_by_role("button", name="Save", exact=True).click()
    expect(first.locator("#node-n1")).to_contain_text("Once more")
    expect(second.locator("#conflict")).to_have_count(0)


def test_a_test_from_one_node_on_shows_its_input_and_output_as_a_table(app: App) -> None:
    """What went in beside what came out, for the loop and what is in it."""
    a_workflow(app.store, "from")
    page = app.open("/w/from#node-n1")
    page.locator("#drawer").get_by_role("button", name="Test", exact=True).click()
    expect(page.locator("#node-n1").get_by_role("img", name="Passed")).to_be_visible()
    set_run_variable(app.store, get_draft_run_id("from"), "rate", 2, "a test")
    page.locator("#node-n2").click()
    expect(page.locator("#drawer h2")).to_have_text("Each")
    _menu(page, "Test from here")
    expect(page.locator("#node-n3")).to_contain_text("2 of 2")
    page.locator("#node-n3").click()
    table = page.get_by_role("region", name="What went in and came out")
    expect(table.get_by_role("columnheader")).to_have_text(["Field", "In", "Out"])
    expect(table).to_contain_text("price")


def test_a_variable_is_opened_set_and_cleared_with_a_reason(app: App) -> None:
    """In full, however long; what it was stays readable with why."""
    a_workflow(app.store, "vars")
    run = get_draft_run_id("vars")
    set_run_variable(app.store, run, "list", [{"text": "x" * 300}], "read")
    page = app.open("/w/vars")
    page.get_by_role("tab", name="Variables").click()
    page.get_by_role("button", name="Open list").click()
    dialog = page.locator("#dialog")
    expect(dialog.get_by_label("Value of list")).to_have_value(re.compile("x{300}"))
    dialog.get_by_label("Value of list").fill("[1, 2]")
    dialog.get_by_label("Why").fill("two are enough")
    dialog.get_by_role("button", name="Set").click()
    expect(page.locator("#variable-list")).to_contain_text("Array of 2")
    page.get_by_role("button", name="Open list").click()
    expect(dialog.locator("ol")).to_contain_text("two are enough")
    dialog.get_by_role("button", name="Clear").click()
    expect(page.locator("#variable-list")).to_have_count(0)
    assert read_run_variables(app.store, run) == {}
    assert [one.reason for one in list_run_variable_history(app.store, run, "list")][1] == (
        "two are enough"
    )
