"""How a browser gets in, and that pages behave as pages do although they ask for themselves."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from web.pages.windows import App, a_workflow, enter, serving

# Whether the page was painted, as soon as it was; a browser says so some moments later.
PAINTED = """() => new Promise((resolve) => {
  setTimeout(() => resolve(false), 60_000);
  new PerformanceObserver(() => resolve(true)).observe({ type: "paint", buffered: true });
})"""


def _named(app: App) -> str:
    """The app's address under its random name."""
    return app.url.replace("127.0.0.1", app.studio.sessions.host)


@pytest.mark.promise("F4")
def test_reloads_links_the_way_back_and_other_windows_work_under_the_random_name(app: App) -> None:
    """As with pages that come at once: addresses, fragments, history, titles, one load each."""
    a_workflow(app.store, "named", "Named")
    url = _named(app)
    context = app.browser.new_context()
    page = context.new_page()
    enter(page, url, app.studio)
    page.get_by_role("link", name="Named", exact=True).click()
    expect(page.locator("h1")).to_contain_text("Named")
    assert page.url == f"{url}/w/named"
    assert page.title() == "Named · Director"
    assert page.evaluate("document.compatMode") == "CSS1Compat"
    assert page.evaluate(PAINTED)
    page.reload()
    expect(page.locator("h1")).to_contain_text("Named")
    page.go_back()
    expect(page.get_by_role("heading", name="Workflows", level=2)).to_be_visible()
    page.go_forward()
    expect(page.locator("#meter rect").first).to_be_attached()
    page.goto(f"{url}/settings#secrets")
    expect(page.locator("#secrets")).to_be_in_viewport()
    with context.expect_page() as opened:
        page.get_by_role("link", name="Help").click(modifiers=["ControlOrMeta"])
    expect(opened.value.get_by_role("heading", name="Keyboard")).to_be_visible()
    with opened.value.expect_download() as handed:
        opened.value.get_by_role("link", name="its description").click()
    assert handed.value.suggested_filename == "openapi.json"
    typed = context.new_page()
    typed.goto(f"{url}/w/nothing")
    expect(typed.locator("#main")).to_contain_text("There is no workflow 'nothing'")
    context.close()


@pytest.mark.promise("F4")
def test_a_browser_without_a_key_is_told_how_to_get_in(app: App) -> None:
    """The shell asks for the page and is refused in words; a used link says so as well."""
    a_workflow(app.store, "closed", "Closed to strangers")
    context = app.browser.new_context()
    page = context.new_page()
    page.goto(f"{app.url}/w/closed")
    expect(page.locator("#main")).to_contain_text("not let in yet")
    expect(page.locator("#main")).to_contain_text("director app")
    assert "Closed to strangers" not in page.content()
    page.goto(f"{app.url}/launch#used")
    expect(page.locator("#main")).to_contain_text("a link works once")
    context.close()


@pytest.mark.promise("F4")
def test_the_password_opens_the_page_that_was_asked_for(app: App) -> None:
    """A wrong one is answered in words, in place."""
    a_workflow(app.store, "guarded", "Guarded")
    with serving(app.store, app.stage, password="correct horse") as (url, _):  # noqa: S106  a test's
        context = app.browser.new_context(viewport={"width": 390, "height": 844})
        page = context.new_page()
        page.goto(f"{url}/w/guarded")
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Enter").click()
        expect(page.get_by_role("alert")).to_contain_text("not let in yet")
        page.get_by_label("Password").fill("correct horse")
        page.get_by_role("button", name="Enter").click()
        expect(page.locator("h1")).to_contain_text("Guarded")
        expect(page).to_have_url(re.compile("/w/guarded$"))
        context.close()
