"""Workflows: list, create, duplicate, export, import, delete with undo; what a first visit offers."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from director.store import open_store
from web.pages.windows import App, a_workflow, enter, say, serving


def test_a_first_visit_offers_the_rehearsal_and_one_place_for_a_key(
    app: App, tmp_path: Path
) -> None:
    """One click to the rehearsal, which says what it is; a key is taken and never shown again."""
    with open_store(tmp_path / "empty.db") as store, serving(store, app.stage) as (url, studio):
        page = app.context.new_page()
        enter(page, url, studio)
        expect(page.get_by_text("No key needed")).to_be_visible()
        page.goto(f"{url}/settings#models")
        page.get_by_label("Provider").select_option("openai")
        page.get_by_label("API key").fill("sk-not-a-real-key-at-all")
        expect(page.get_by_text("sent to OpenAI only")).to_be_visible()
        assert "sk-not-a-real-key" not in page.content()
        page.goto(url)
        page.get_by_role("button", name="Play the demo").click()
        expect(page.locator("#demo-says")).to_have_attribute(
            "title", re.compile("no model was asked")
        )
        expect(page.get_by_role("button", name="Pause")).to_be_enabled()
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("button", name="Play")).to_be_enabled()
        page.close()


def test_workflows_are_listed_created_duplicated_exported_and_imported(
    app: App, tmp_path: Path
) -> None:
    """Each from the list, each in one or two clicks."""
    a_workflow(app.store, "prices", "Prices")
    app.stage.lines["Letters to rows. Every Friday."] = [say("Which letters?")]
    page = app.open()
    page.get_by_label("What should it do?").fill("Letters to rows. Every Friday.")
    page.get_by_role("button", name="Create workflow").click()
    expect(page.locator("h1")).to_contain_text("Letters to rows")
    expect(page.locator(".message.user")).to_contain_text("Letters to rows. Every Friday.")
    expect(page.locator(".message.agent")).to_contain_text("Which letters?")
    page.goto(app.url)
    row = page.locator("#workflow-prices")
    expect(row).to_contain_text("4 nodes")
    row.locator("[data-menu] summary").click()
    with page.expect_download() as handed:
        row.get_by_role("link", name="Export", exact=True).click()
    document = json.loads(Path(handed.value.path()).read_text())
    assert [node["alias"] for node in document["nodes"]] == ["find", "each", "convert", "code"]
    row.locator("[data-menu] summary").click()
    row.get_by_role("button", name="Duplicate").click()
    expect(page.get_by_role("link", name="Prices (copy)", exact=True)).to_be_visible()
    taken = tmp_path / "prices.json"
    taken.write_text(json.dumps({**document, "id": "taken-in", "name": "Taken in"}))
    page.get_by_label("Import a workflow").set_input_files(taken)
    expect(page.locator("h1")).to_contain_text("Taken in")
    expect(page.locator(".node")).to_have_count(4)


def test_deleting_a_workflow_can_be_undone(app: App) -> None:
    """At once from the message, and later from the list of what was deleted."""
    a_workflow(app.store, "gone", "Soon gone")
    page = app.open()
    name = page.get_by_role("link", name="Soon gone", exact=True)
    for undo in ("Undo", "Restore"):
        row = page.locator("#workflow-gone")
        row.locator("[data-menu] summary").click()
        row.get_by_role("button", name="Delete").click()
        expect(name).to_have_count(0)
        if undo == "Restore":
            page.get_by_text("Deleted (").click()
        page.get_by_role("button", name=undo).click()
        expect(name).to_be_visible()


def test_the_list_changes_live(app: App) -> None:
    """A workflow that another program makes is there by itself."""
    page = app.open()
    a_workflow(app.store, "elsewhere", "Made elsewhere")
    expect(page.get_by_role("link", name="Made elsewhere", exact=True)).to_be_visible()
