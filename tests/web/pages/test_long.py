"""A conversation of thousands of messages: chunks near the view are there, the others are room."""

from __future__ import annotations

from playwright.sync_api import expect

from agent.summaries import talk
from director.agent import ensure_current_thread
from web.pages.windows import App, a_workflow


def test_a_thread_of_five_thousand_opens_at_its_end_and_scrolls(app: App) -> None:
    """Few messages are in the page at any time; the first one can be reached and read."""
    a_workflow(app.store, "long", nodes=False)
    thread = ensure_current_thread(app.store, "long")
    for part in range(10):
        app.store.append(thread, talk(125, start=125 * part, more=2))
    assert app.store.head(thread) == 5_000
    page = app.open("/w/long")
    expect(page.locator("#t5000")).to_be_in_viewport()
    expect(page.locator("section.chunk")).to_have_count(100)
    page.evaluate("document.getElementById('talk').scrollTop = 0")
    expect(page.locator("#t1")).to_be_in_viewport()
    expect(page.locator("section.chunk[data-chunk='50']")).to_have_attribute("data-empty", "")
    assert page.locator(".message").count() < 500
    page.get_by_role("button", name="Newest").click()
    expect(page.locator("#t5000")).to_be_in_viewport()
    page.goto(f"{app.url}/w/long#t2501")
    expect(page.locator("#t2501")).to_be_in_viewport()
