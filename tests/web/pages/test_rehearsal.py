"""The rehearsal in the app, pressed on to its end; and a server that is killed in the middle."""

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
from playwright.sync_api import Page, expect

from web.pages.windows import App

PATIENCE = 180_000


def pressed_on(page: Page) -> None:
    """Do what the rehearsal offers next, until it is over."""
    over = page.locator("#rehearsal a.primary")
    while not over.count():
        expect(page.locator("#composer")).to_have_attribute("data-busy", "0", timeout=PATIENCE)
        allow = page.locator("[data-approval] button[value=approved]")
        if allow.count():
            allow.click()
            expect(page.locator("#main")).to_contain_text("What shall happen", timeout=PATIENCE)
            continue
        done = page.locator("#rehearsal .pill").text_content() or ""
        if page.locator("#rehearsal [data-dialog]").count():
            page.locator("#rehearsal [data-dialog]").click()
            page.get_by_role("button", name="Write a preview").click()
            page.get_by_role("button", name="Compress", exact=True).click()
        else:
            page.get_by_role("button", name="Say it").click()
        expect(page.locator("#rehearsal .pill")).not_to_have_text(done, timeout=PATIENCE)


@pytest.mark.slow
def test_the_rehearsal_is_finished_by_pressing_on_and_its_workflow_runs(app: App) -> None:
    """From the first page: a plan ticked off, thirteen green nodes, a live tab, a run."""
    page = app.open()
    page.get_by_role("button", name="Watch the rehearsal").click()
    expect(page.locator("#rehearsal")).to_contain_text("no model was asked")
    pressed_on(page)
    expect(page.locator("#plan header .num")).to_have_text("6 of 6")
    expect(page.locator("#nodes header .num")).to_have_text("13 of 13 green")
    expect(page.locator(".message.summary")).to_have_count(1)
    page.wait_for_function("document.getElementById('picture').naturalWidth > 0")
    page.locator("#rehearsal a.primary").click()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("header .pill")).to_have_text("done", timeout=PATIENCE)


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
        page.get_by_label("What should the workflow be called?").fill("Killed")
        page.get_by_role("button", name="Create a workflow").click()
        page.fill("#say", "Begin.")
        page.press("#say", "Control+Enter")
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
