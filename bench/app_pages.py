"""What pages of the app weigh, how soon they come however long the conversation, and memory over an hour.

The app runs as a program of its own, so that its memory is its own. Each length is looked at right after
the program was started and again later. Prints markdown for `docs/measured.md`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, sync_playwright

LENGTHS = (0, 100, 2_000, 20_000)
FLAGS = "--no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-sync"
PATIENCE = 120_000
Rows = list[tuple[str, str]]
_TIMES = """
(path) => {
  const page = performance.getEntriesByType('resource').filter((one) => new URL(one.name).pathname === path)[0];
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  return [page ? page.responseStart - page.requestStart : 0, paint ? paint.startTime : 0];
}
"""


@dataclass(frozen=True, slots=True)
class Program:
    """The app as a program: where it is, the link that lets a browser in, its process."""

    url: str
    link: str
    pid: int

    def memory(self) -> float:
        """Its resident memory in megabytes."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        raise RuntimeError("The app has ended.")


@contextmanager
def started(folder: Path) -> Iterator[Program]:
    """The app of the store in a folder, served until the block ends."""
    script = folder / "answers.json"
    script.write_text(json.dumps([[{"say": "That is so."}]] * 20_000))
    environ = {**os.environ, "DIRECTOR_HOME": str(folder), "DIRECTOR_MODEL": f"scripted:{script}"}
    command = [sys.executable, "-m", "director.cli", "app", "--no-open", "--port", "0"]
    command += ["--store", str(folder / "bench.db")]
    program = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None  # noqa: S101  it is a pipe
    told = "".join(program.stdout.readline() for _ in range(2))
    link = next(word for word in told.split() if "/launch#" in word)
    port = link.split("/")[2].rpartition(":")[2]
    url = f"http://127.0.0.1:{port}"
    try:
        yield Program(url, f"{url}/launch#{link.partition('#')[2]}", program.pid)
    finally:
        program.terminate()
        program.wait(60)


@contextmanager
def entered(program: Program) -> Iterator[BrowserContext]:
    """A browser that is let in."""
    with sync_playwright() as playing:
        browser = playing.chromium.launch(
            executable_path=shutil.which("chromium"), args=FLAGS.split()
        )
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(program.link)
        page.wait_for_url(f"{program.url}/")
        page.close()
        yield context
        browser.close()


def weigh_pages(folder: Path, paths: dict[str, str]) -> Rows:
    """Kilobytes that a page takes, pictures apart, by a browser without a cache and by one with it."""
    rows: Rows = []
    with started(folder) as program, entered(program) as context:
        for name, path in paths.items():
            page = context.new_page()
            session = context.new_cdp_session(page)
            session.send("Network.clearBrowserCache")
            cold = _loaded(page, f"{program.url}{path}")
            warm = _loaded(page, f"{program.url}{path}")
            page.close()
            rows.append((name, f"{cold:.0f} and {warm:.0f}"))
    return rows


def _loaded(page: Page, url: str) -> float:
    """Kilobytes as they were transferred until the page is quiet; no picture, no stream of events."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    kinds: dict[str, str] = {}
    sizes: dict[str, float] = {}
    session.on(
        "Network.responseReceived", lambda one: kinds.update({one["requestId"]: one["type"]})
    )
    session.on(
        "Network.loadingFinished",
        lambda one: sizes.update({one["requestId"]: one["encodedDataLength"]}),
    )
    page.goto(url)
    page.locator("main").wait_for()
    page.wait_for_timeout(3_000)
    session.detach()
    return sum(size for id_, size in sizes.items() if kinds.get(id_) != "Image") / 1000


def time_lengths(folder: Path, workflows: dict[int, str], rounds: int) -> Rows:
    """First byte and first paint of a conversation by its length: after a start, then the least."""
    rows: Rows = []
    shown: dict[int, tuple[float, float]] = {}
    for length, workflow in workflows.items():
        with started(folder) as program, entered(program) as context:
            first = _opened(context, program.url, workflow, length)
            later = [_opened(context, program.url, workflow, length) for _ in range(rounds)]
        # The least of them: what else the machine does only ever makes one longer.
        byte, paint = (min(filter(None, each)) for each in zip(*later, strict=True))
        shown[length] = (byte, paint)
        says = f"first byte {byte:.0f} ms, first paint {paint:.0f} ms"
        rows.append(
            (f"{length:,} messages", f"{says}; the very first {first[0]:.0f}, {first[1]:.0f}")
        )
    for length in (2_000, 20_000):
        byte, paint = (now / then for now, then in zip(shown[length], shown[100], strict=True))
        rows.append((f"{length:,} to 100", f"first byte {byte:.2f}x, first paint {paint:.2f}x"))
    return rows


def _opened(context: BrowserContext, url: str, workflow: str, last: int) -> tuple[float, float]:
    page = context.new_page()
    page.goto(f"{url}/w/{workflow}")
    page.locator(f"#t{last}" if last else "#begin").wait_for()
    page.locator("#meter rect").first.wait_for(state="attached")
    byte, paint = page.evaluate(_TIMES, f"/w/{workflow}")
    page.close()
    return float(byte), float(paint)


def watch_memory(folder: Path, workflow: str, minutes: float) -> Rows:
    """The memory of the app while one user works in it without a pause, in six stretches."""
    rows: Rows = []
    with started(folder) as program, entered(program) as context:
        began, said, stretch = time.monotonic(), 0, 0
        while (passed := time.monotonic() - began) < 60 * minutes:
            if passed >= stretch * 10 * minutes:
                rows.append(
                    (f"after {passed / 60:.0f} min, {said} messages", f"{program.memory():.1f} MB")
                )
                print(rows[-1], flush=True)
                stretch += 1
            said += _visit(context, program.url, workflow)
        rows.append((f"after {minutes:.0f} min, {said} messages", f"{program.memory():.1f} MB"))
    return rows


def _visit(context: BrowserContext, url: str, workflow: str) -> int:
    """Look at every page, say something, begin a new conversation; how many messages were said."""
    page = context.new_page()
    for path in ("/", "/settings", "/help", f"/w/{workflow}/runs", f"/w/{workflow}/requests"):
        page.goto(f"{url}{path}")
        page.locator("h1").first.wait_for(state="attached")
    page.goto(f"{url}/w/{workflow}")
    for number in range(5):
        page.locator("#composer[data-busy='0']").wait_for()
        page.fill("#say", f"What is number {number}?")
        page.press("#say", "Enter")
        page.locator(".message.agent").nth(number).wait_for()
    page.locator("#composer[data-busy='0']").wait_for()
    page.locator("header details[data-menu] summary").first.click()
    page.get_by_role("button", name="New conversation").click()
    page.locator("#begin").wait_for()
    page.close()
    return 5
