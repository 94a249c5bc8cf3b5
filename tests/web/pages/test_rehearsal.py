"""The demo in the app, which plays to its end; and a server that is killed in the middle."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from web.pages.windows import App

PATIENCE = 180_000


@pytest.mark.slow
def test_the_demo_plays_by_itself_to_its_end_and_its_workflow_runs(app: App) -> None:
    """One press on the first page: a plan ticked off, thirteen passed nodes, a live tab, a run."""
    page = app.open()
    page.get_by_role("button", name="Play the demo").click()
    expect(page.locator("#demo")).to_contain_text("Demo 0 of 5")
    while page.get_by_role("button", name="4×").count() == 0:
        page.locator("[data-demo-do=speed]").click()
    ends = page.get_by_role("link", name="Now on your own page")
    expect(ends).to_be_visible(timeout=3 * PATIENCE)
    expect(page.locator("#plan-count")).to_have_text("6 of 6")
    expect(page.locator("#flow-sum")).to_contain_text("13 passed")
    expect(page.locator(".message.summary")).to_have_count(1)
    expect(page.locator("#table-invoice tbody tr")).to_have_count(8)
    page.locator("#demo").get_by_role("button", name="Run it").click()
    page.locator("#dialog").get_by_role("button", name="Start").click()
    expect(page.locator("#run-state")).to_contain_text("Passed", timeout=PATIENCE)
    expect(page.locator(".now")).to_contain_text("invoices stay")


@contextmanager
def started(folder: Path, port: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The app as a program of its own, and the link that lets one browser in."""
    script = folder / "hangs.json"
    script.write_text(json.dumps([[{"wait": 3_600}, {"say": "Never."}]]))
    environ = {**os.environ, "DIRECTOR_HOME": str(folder), "DIRECTOR_MODEL": f"scripted:{script}"}
    command = [sys.executable, "-m", "director.cli", "app", "--no-open", "--port", str(port)]
    program = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout is not None
        told = "".join(program.stdout.readline() for _ in range(2))
        found = re.search(r"http://\S+/launch#\S+", told)
        assert found, told
        yield program, found[0]
    finally:
        program.kill()
        program.wait()
        program.stdout.close()


@pytest.mark.slow
def test_a_killed_server_leaves_a_page_that_recovers_and_tells_the_truth(
    app: App, tmp_path: Path
) -> None:
    """Killed in the middle of a turn: the banner, then the interrupted turn, then it goes on."""
    with started(tmp_path, 0) as (program, link):
        port = int(link.split(":")[2].partition("/")[0])
        context = app.browser.new_context()
        page = context.new_page()
        page.goto(link)
        page.get_by_label("What should it do?").fill("Begin.")
        page.get_by_role("button", name="Create workflow").click()
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        expect(page.locator(".message.user")).to_contain_text("Begin.")
        program.send_signal(signal.SIGKILL)
        program.wait()
        expect(page.locator("#offline")).to_be_visible()
    with started(tmp_path, port):
        expect(page.locator("#offline")).to_be_hidden(timeout=PATIENCE)
        expect(page.locator("#ended")).to_contain_text("ended in the middle of this turn")
        expect(page.locator(".message.user")).to_contain_text("Begin.")
        expect(page.get_by_role("button", name="Stop")).to_be_hidden()
        expect(page.get_by_role("button", name="Retry")).to_be_visible()
    context.close()
