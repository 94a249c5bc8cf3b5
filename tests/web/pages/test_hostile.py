"""What models and pages say cannot run anything, load anything, or lead anywhere by itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from director.agent import ensure_current_thread
from director.store import EntryDraft
from director.store.run_variables import get_draft_run_id, set_run_variable
from web.corpus import CORPUS
from web.pages.windows import App, a_workflow


@pytest.fixture(scope="module")
def evil() -> Iterator[tuple[str, list[str]]]:
    """A server that nobody must ask anything, and what it was asked."""
    asked: list[str] = []

    class Listening(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Listening)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.mark.promise("E4")
def test_nothing_that_is_shown_runs_or_loads_anything(
    app: App, evil: tuple[str, list[str]]
) -> None:
    """In messages, calls, results, summaries, variables, names, the plan, search hits."""
    url, asked = evil
    a_workflow(app.store, "hostile", "<img src=x onerror=alert(1)>")
    thread = ensure_current_thread(app.store, "hostile")
    for nth, form in enumerate(CORPUS):
        text = form.format(evil=url)
        call = {"type": "function_call", "id": f"fc_{nth}", "call_id": f"c{nth}", "name": "find"}
        said = {"type": "output_text", "text": text, "annotations": []}
        items = [
            {"type": "message", "id": f"m{nth}", "role": "assistant", "content": [said]},
            {**call, "arguments": text},
        ]
        body = {"wire": "responses", "items": items, "text": text, "model": text[:20]}
        app.store.append(thread, [EntryDraft("user", {"text": text}), EntryDraft("agent", body)])
        app.store.append(thread, [EntryDraft("result", {"call": f"c{nth}", "text": text})])
        set_run_variable(app.store, get_draft_run_id("hostile"), f"v{nth}", text, text)
    page = app.context.new_page()
    dialogs: list[str] = []
    page.on("dialog", lambda one: (dialogs.append(one.message), one.dismiss()))
    for path in ("/", "/w/hostile", "/w/hostile/runs", "/settings"):
        page.goto(f"{app.url}{path}")
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        page.wait_for_load_state("networkidle" if path != "/w/hostile" else "load")
    page.goto(f"{app.url}/w/hostile")
    page.evaluate("document.getElementById('talk').scrollTop = 0")
    expect(page.locator("#t1")).to_be_visible()
    page.get_by_role("button", name="Search this conversation").click()
    page.fill("#words", "alert")
    expect(page.locator("#hits mark").first).to_be_visible()
    page.locator("[data-close-hits]").click()
    page.hover("#t1")
    assert dialogs == []
    assert asked == []
    inside = "#talk img, #talk script, #talk iframe, #talk svg:not(.i), #talk [onerror], #talk form"
    assert page.locator(inside).count() == 0
    assert page.locator("#talk a[href^='javascript' i], #talk a[href^='data' i]").count() == 0
