"""Requirements that a user can see, by their id: the browser's state, what is sent after a compression."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import expect

from agent.summaries import talk
from director.runs import save_run_workflow
from director.settings import save_settings
from director.workflow.values import Workflow
from web.pages.test_context import compress
from web.pages.windows import App, a_talk, ask, say


@pytest.fixture
def shop() -> Iterator[str]:
    """A small site."""

    class Shop(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(f"<title>Lamps{self.path}</title><h1>Forty lamps</h1>".encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_s0_9_the_browser_shows_its_tabs_live_and_the_model_gets_only_their_names(
    app: App, shop: str
) -> None:
    """Names, addresses, which is active; closed ones are gone; what a page says is not in it."""
    save_run_workflow(app.store, Workflow("tabs", "Tabs", (), origins=(shop,)))
    app.stage.lines["Open both."] = [
        ask("debug_open_tab", url=f"{shop}/one", tabName="first"),
        ask("debug_open_tab", url=f"{shop}/two", tabName="second"),
        say("Both are open."),
    ]
    app.stage.lines["Close one."] = [ask("debug_close_tab", tabName="second"), say("Closed.")]
    page = app.open("/w/tabs")
    expect(page.get_by_text("The browser opens here")).to_be_visible()
    page.fill("#say", "Open both.")
    page.press("#say", "Enter")
    expect(page.locator(".message.agent").last).to_contain_text("Both are open.")
    tabs = page.get_by_role("list", name="Browser tabs").get_by_role("listitem")
    expect(tabs).to_have_text(["main", "first", "second (active)"])
    expect(page.locator("#browser code").first).to_have_text(f"{shop}/two")
    expect(page.locator("#live-mark")).to_be_visible()
    expect(page.locator("#composer")).to_have_attribute("data-busy", "0")
    page.fill("#say", "Close one.")
    page.press("#say", "Enter")
    expect(tabs).to_have_count(2)
    expect(tabs.filter(has_text="second")).to_have_count(0)
    expect(page.locator("#composer")).to_have_attribute("data-busy", "0")
    page.goto(f"{app.url}/w/tabs/requests/4")
    page.locator(".part-text summary", has_text="Browser").click()
    state = page.locator(".part-text[open] pre")
    expect(state).to_contain_text(f"{shop}/two")
    expect(state).not_to_contain_text("Forty lamps")


def test_s3_6_after_a_compression_the_model_sees_the_newest_summary_and_what_came_after_it(
    app: App,
) -> None:
    """Nothing twice: neither the messages that it covers nor the summary before it."""
    thread = a_talk(app.store, "sees")
    app.stage.lines["What now?"] = [say("This.")]
    page = app.open("/w/sees")
    compress(page)
    app.store.append(thread, talk(3, start=6))
    compress(page)
    page.fill("#say", "What now?")
    page.press("#say", "Enter")
    expect(page.locator("section .message.agent").last).to_contain_text("This.")
    page.goto(f"{app.url}/w/sees/requests")
    page.locator("tbody tr", has_text="a turn").first.get_by_role("link").first.click()
    rows = page.locator("table.parts tbody tr")
    expect(rows.filter(has_text="Summary")).to_have_count(1)
    page.locator(".part-text summary", has_text="Your messages").click()
    told = page.locator(".part-text[open] pre")
    expect(told).to_contain_text("What now?")
    expect(told).not_to_contain_text("lamp-0")


def test_s3_8_compression_by_itself_at_the_threshold_is_in_the_history(
    app: App,
) -> None:
    """Above the mark the next message is compressed for; the history says that it was automatic."""
    a_talk(app.store, "auto", rounds=60)
    app.stage.lines["Go on."] = [say("Gladly.")]
    page = app.open("/w/auto")
    save_settings({"warn_at": 9_500, "compress_at": 10_000, "compress_to": 9_000})
    try:
        page.reload()
        expect(page.locator("#meter")).to_contain_text("of 10K")
        page.fill("#say", "Go on.")
        page.press("#say", "Enter")
        expect(page.locator("section .message.agent").last).to_contain_text("Gladly.")
        expect(page.locator("#composer")).to_have_attribute("data-busy", "0")
    finally:
        save_settings({"warn_at": None, "compress_at": None, "compress_to": None})
    page.locator("header [data-menu] summary").click()
    page.get_by_role("button", name="Compressions").click()
    expect(page.locator("#dialog")).to_contain_text("automatic")
