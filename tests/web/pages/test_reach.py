"""Settings, keyboard, phone width, screen readers, and states that say what to do."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from playwright.sync_api import Locator, Page, expect

from director.agent import start_current_thread
from director.settings import load_settings
from director.store.run_variables import get_draft_run_id, set_run_variable
from web.pages.windows import App, a_doubt, a_talk, a_workflow, enter, say, serving

AXE = (files("axe_playwright_python") / "axe.min.js").read_text()


def findings(page: Page) -> list[str]:
    """What axe finds, with where it is."""
    # The script is put in by the browser itself: no page may load one.
    page.evaluate(AXE)
    told = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(JSON.stringify)")
    return [
        f"{one['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for one in json.loads(told)["violations"]
        for node in one["nodes"]
    ]


@pytest.fixture(scope="module")
def shown(app: App) -> list[str]:
    """Every page that there is, with something on it."""
    a_workflow(app.store, "axe", "Prices")
    a_talk(app.store, "long")
    app.stage.lines["Hello."] = [say("Hello **there**, see [this](https://example.org).")]
    page = app.open("/w/long")
    page.fill("#say", "Hello.")
    page.press("#say", "Enter")
    expect(page.locator("section .message.agent").last).to_contain_text("there")
    expect(page.locator("#composer")).to_have_attribute("data-busy", "0")
    page.goto(f"{app.url}/w/axe/runs")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".ask")).to_be_visible()
    run = page.url.removeprefix(app.url)
    page.close()
    a_doubt(app.store, run.rpartition("/")[2])
    old = a_talk(app.store, "older")
    start_current_thread(app.store, "older")
    inspector = ["/w/long/requests", "/w/long/requests/1?other=1"]
    talks = ["/w/older/conversations", f"/w/older/conversation?thread={old}"]
    work = ["/", "/w/axe", "/w/long", *inspector, *talks, "/w/axe/runs", run]
    return [*work, "/settings", "/help", "/no"]


def test_axe_finds_nothing_on_any_page_in_light_and_in_dark(app: App, shown: list[str]) -> None:
    """On every page, with dialogs, details, a node, the palette and an edited message open."""
    page = app.context.new_page()
    found = {}
    for path in shown:
        page.goto(f"{app.url}{path}")
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        if path == "/w/long":
            expect(page.locator("#meter rect").first).to_be_attached()
            found["compress"] = _compress(page)
            found["branch"] = _branch(page)
        if path == "/w/axe":
            found["run"] = _run(page)
            page.locator("#node-n3").click()
            expect(page.locator("#drawer section").first).to_be_visible()
            found["node"] = in_both(page)
            page.keyboard.press("Control+k")
            expect(page.locator("#palette-list > div").first).to_be_visible()
            found["palette"] = in_both(page)
            page.keyboard.press("Escape")
        found[path] = in_both(page)
    assert {path: said for path, said in found.items() if said} == {}


def in_both(page: Page) -> list[str]:
    """What axe finds in light and in dark."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += [f"{scheme}: {one}" for one in findings(page)]
    return found


def _compress(page: Page) -> list[str]:
    page.locator("#compress").click()
    expect(page.locator("#price")).not_to_have_text("…")
    page.get_by_role("button", name="Write the summary").click()
    expect(page.locator("#preview-text")).to_be_visible()
    said = in_both(page)
    page.get_by_role("button", name="Cancel").click()
    return said


def _run(page: Page) -> list[str]:
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#dialog").get_by_role("button", name="Start")).to_be_visible()
    said = in_both(page)
    page.keyboard.press("Escape")
    return said


def _branch(page: Page) -> list[str]:
    page.locator(".message.user").last.get_by_role("button", name="Edit").click()
    expect(page.locator(".branching")).to_be_visible()
    said = in_both(page)
    page.get_by_role("button", name="Cancel").click()
    return said


def _tab_to(page: Page, target: Locator) -> None:
    """Press Tab until something has the focus."""
    for _ in range(80):
        if target.evaluate("(one) => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never came to {target}")


def test_a_workflow_is_made_and_run_with_the_keyboard_alone(app: App) -> None:
    """From the first page to the result: Tab, Enter, and the keys that Help lists."""
    app.stage.lines["Add two numbers."] = [say("Which ones?")]
    page = app.open()
    _tab_to(page, page.get_by_label("What should it do?"))
    page.keyboard.type("Add two numbers.")
    _tab_to(page, page.get_by_role("button", name="Create workflow"))
    page.keyboard.press("Enter")
    expect(page.locator(".message.agent")).to_contain_text("Which ones?")
    expect(page.locator("#composer")).to_have_attribute("data-busy", "0")
    _tab_to(page, page.get_by_role("button", name="Add a node by hand"))
    page.keyboard.press("Enter")
    expect(page.locator("#add-alias")).to_be_focused()
    page.keyboard.type("sum")
    page.keyboard.press("Tab")
    page.keyboard.type("Compute")
    _tab_to(page, page.get_by_label("Its config, as JSON"))
    page.keyboard.type('{"code": "1 + 1"}')
    _tab_to(page, page.get_by_role("button", name="Add at the end"))
    page.keyboard.press("Enter")
    expect(page.locator("[data-node]")).to_have_count(1)
    page.keyboard.press("j")
    expect(page.locator("#drawer")).to_be_focused()
    page.keyboard.press("t")
    expect(page.locator("a[data-node]").get_by_role("img", name="Passed")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#drawer")).to_be_hidden()
    page.keyboard.press("Control+k")
    page.keyboard.type("run this")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Start")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#run-state")).to_contain_text("Passed")


def test_every_page_fits_a_phone(app: App, shown: list[str]) -> None:
    """Nothing is wider than 390 pixels, and panels switch by a bar at the bottom."""
    page = app.context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    wide = {}
    for path in shown:
        page.goto(f"{app.url}{path}")
        wide[path] = page.evaluate("document.documentElement.scrollWidth")
    assert {path: width for path, width in wide.items() if width > 390} == {}
    page.goto(f"{app.url}/w/axe")
    expect(page.locator("#nodes")).to_be_hidden()
    page.get_by_role("button", name="Workflow", exact=True).click()
    expect(page.locator("#nodes")).to_be_visible()
    expect(page.locator("#say")).to_be_hidden()


def test_the_keyboard_sends_searches_and_compresses(app: App, shown: list[str]) -> None:
    """The palette, the message box, Ctrl+Shift+L, Escape; and the help page lists them."""
    page = app.open(shown[2])
    page.keyboard.press("Control+k")
    page.keyboard.type("search this")
    page.keyboard.press("Enter")
    expect(page.locator("#words")).to_be_focused()
    page.keyboard.press("Escape")
    page.locator("#talk").focus()
    page.keyboard.press("/")
    expect(page.locator("#say")).to_be_focused()
    page.keyboard.press("Control+Shift+L")
    expect(page.locator("#dialog")).to_contain_text("Compress")
    page.keyboard.press("Escape")
    expect(page.locator("#dialog")).to_be_hidden()
    page.goto(f"{app.url}/help")
    expect(page.locator("main")).to_contain_text("Compress the conversation")


def test_settings_are_saved_and_secrets_are_write_only(app: App) -> None:
    """A threshold, a wrong one with the reason, origins, and a secret that nobody reads back."""
    a_workflow(app.store, "sets")
    page = app.open("/settings")
    page.get_by_label("Warn above (tokens)").fill("150000")
    page.locator("#context form", has=page.get_by_label("Warn above (tokens)")).get_by_role(
        "button", name="Save"
    ).click()
    expect(page.get_by_label("Warn above (tokens)")).to_have_value("150000")
    expect(page.locator("#context")).to_contain_text("settings.toml")
    assert load_settings().warn_at.value == 150_000
    page.get_by_label("Warn above (tokens)").fill("190000")
    page.locator("#context form", has=page.get_by_label("Warn above (tokens)")).get_by_role(
        "button", name="Save"
    ).click()
    expect(page.locator("#context .told").first).to_contain_text("must be below compress_at")
    page.get_by_label("Name", exact=True).fill("shop")
    page.get_by_label("Value", exact=True).fill("hush-hush-9")
    page.get_by_label("Only on these origins").fill("https://shop.example")
    page.locator("#secrets").get_by_role("button", name="Save the secret").click()
    expect(page.locator("#secrets table")).to_contain_text("https://shop.example")
    assert "hush-hush-9" not in page.content()


def test_a_page_that_loses_the_server_says_so_and_recovers(app: App) -> None:
    """A quiet banner while it is gone; when it is back everything is looked at again."""
    a_workflow(app.store, "offline")
    with serving(app.store, app.stage) as (url, studio):
        page = app.context.new_page()
        enter(page, url, studio)
        page.goto(f"{url}/w/offline")
        expect(page.locator("#meter rect").first).to_be_attached()
    expect(page.locator("#offline")).to_be_visible()
    set_run_variable(app.store, get_draft_run_id("offline"), "meanwhile", 1, "a test")
    page.fill("#say", "Are you there?")
    page.press("#say", "Enter")
    expect(page.locator("#composer .told")).to_contain_text("does not answer")
    with serving(app.store, app.stage, int(url.rpartition(":")[2])):
        expect(page.locator("#offline")).to_be_hidden()
        expect(page.locator("#variables")).to_contain_text("meanwhile")
        expect(page.locator("#say")).to_have_value("Are you there?")
        page.close()
