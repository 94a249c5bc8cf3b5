"""How quickly the app answers, what its pages weigh, and its memory over an hour.

`--what speed`: first paint, the first streamed word, many windows. `weight`, `lengths`, `memory`: see
`app_pages.py`.

A scripted model speaks after a pause that is known, so what the app adds can be told from what the
model takes. Real Chromium on the app as it is served. Prints markdown for `docs/measured.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app_pages import LENGTHS, time_lengths, watch_memory, weigh_pages
from playwright.sync_api import BrowserContext, Page, sync_playwright

from director.agent import create_workflow, ensure_current_thread
from director.counting import counter_for
from director.models import Journal, Model, Timing
from director.models.model import ModelLocation
from director.models.script_values import Emit, Say, Seen, Wait
from director.models.scripted import Scripted
from director.runs.resources import Resources, RunOptions
from director.store import EntryDraft, Store, open_store
from director.web import AppState
from director.web.app_server import bind_server_socket, make_app_server
from director.web.guard.access import OwnNames
from director.web.sessions import Sessions

FLAGS = "--no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-sync"
PAUSE = 0.3  # seconds until the model's first word
PATIENCE = 60_000
SHORT, LONG = 100, 5_000
_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
_SEEN = """
(word) => new Promise(done => {
  const look = () => document.getElementById('talk').innerText.includes(word)
    ? done(Date.now()) : requestAnimationFrame(look);
  look();
})
"""


@dataclass(slots=True)
class Brain:
    """Says a word that was never said before after a pause, and notes when it began to."""

    asked: list[float] = field(default_factory=list)

    def __call__(self, _: Seen) -> Sequence[Emit]:
        """The answer to anything."""
        self.asked.append(time.time())
        return [Wait(PAUSE), Say(f"answer-{len(self.asked)} is here.")]


def opens(brain: Brain) -> Any:
    """What opens a model that the brain speaks for."""

    def opened(name: str, journal: Journal | None) -> Model:
        return Model(
            ModelLocation("scripted", "", name),
            Scripted(brain, name, Timing()),
            journal=journal,
            counter=counter_for(),
            reopen=lambda _: opened(name, None),
        )

    return opened


@contextmanager
def served(store: Store, brain: Brain) -> Iterator[tuple[str, AppState]]:
    """The app of a store, and where it is."""
    listening = bind_server_socket("127.0.0.1", 0)
    port = listening.getsockname()[1]
    studio = AppState(
        store,
        Resources(store, RunOptions(pictures="none")),
        sessions=Sessions(Path(os.environ["DIRECTOR_HOME"], "sessions.json")),
        names=OwnNames(["127.0.0.1"], port),
        opens=opens(brain),
    )
    server = make_app_server(studio)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{port}", studio
    server.should_exit = True
    thread.join(30)


def talk(store: Store, workflow: str, entries: int) -> None:
    """Fill the conversation of a workflow."""
    thread = ensure_current_thread(store, workflow)
    words = "Every line of this conversation is about the price of lamps. " * 4
    for first in range(0, entries, 500):
        store.append(
            thread,
            [
                EntryDraft("user", {"text": f"{words} {nth}"})
                if nth % 2 == 0
                else EntryDraft("agent", {"wire": "", "items": [], "text": f"{words} {nth}"})
                for nth in range(first, min(entries, first + 500))
            ],
        )


def opened(context: BrowserContext, url: str, last: int) -> tuple[Page, float, float]:
    """A window on a conversation; ms until it was painted, and until its last message was seen."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    began = time.perf_counter()
    page.goto(url)
    page.locator(f"#t{last}").wait_for()
    whole = 1e3 * (time.perf_counter() - began)
    return page, float(page.evaluate(_PAINT) or whole), whole


def scrolled(page: Page) -> float:
    """Milliseconds until the first message is there after a jump to the top."""
    began = time.perf_counter()
    page.evaluate("document.getElementById('talk').scrollTop = 0")
    page.locator("#t1").wait_for()
    return 1e3 * (time.perf_counter() - began)


def said(page: Page, brain: Brain, url: str, workflow: str, text: str) -> float:
    """Milliseconds from the model's first word to the page that shows it."""
    word = f"answer-{len(brain.asked) + 1}"
    key = page.evaluate("localStorage.getItem('director-key')")
    page.request.post(
        f"{url}/api/workflows/{workflow}/say",
        data={"text": text, "model": "scripted:bench"},
        headers={"authorization": f"Bearer {key}"},
    )
    seen = float(page.evaluate(_SEEN, word)) / 1e3
    return 1e3 * (seen - brain.asked[-1] - PAUSE)


def measured(windows: int, rounds: int) -> list[tuple[str, str]]:
    """The rows of the table."""
    brain = Brain()
    rows: list[tuple[str, str]] = []
    with open_store(Path(os.environ["DIRECTOR_HOME"], "bench.db")) as store:
        short, long = create_workflow(store, "Short"), create_workflow(store, "Long")
        talk(store, short, SHORT)
        talk(store, long, LONG)
        with served(store, brain) as (url, studio), sync_playwright() as playing:
            browser = playing.chromium.launch(
                executable_path=shutil.which("chromium"), args=FLAGS.split()
            )
            context = browser.new_context()
            window = context.new_page()
            window.goto(f"{url}/launch#{studio.sessions.link()}")
            window.wait_for_url(f"{url}/")
            times: dict[str, list[float]] = {}
            for _ in range(rounds):
                for name, id_, last in (("short", short, SHORT), ("long", long, LONG)):
                    page, paint, whole = opened(context, f"{url}/w/{id_}", last)
                    times.setdefault(f"paint {name}", []).append(paint)
                    times.setdefault(f"open {name}", []).append(whole)
                    times.setdefault(f"top {name}", []).append(scrolled(page))
                    page.close()
            mid = {name: statistics.median(each) for name, each in times.items()}
            rows += _opening(mid)
            page, _, _ = opened(context, f"{url}/w/{short}", SHORT)
            alone = [said(page, brain, url, short, f"alone {nth}") for nth in range(rounds)]
            first = statistics.median(alone)
            rows.append(("first word: from the model's to the page's, ms", f"{first:.0f}"))
            rows.append(
                (
                    f"the same against a model's {1e3 * PAUSE:.0f} ms of thinking",
                    f"{(first / 1e3 + PAUSE) / PAUSE:.2f}x",
                )
            )
            others = [context.new_page() for _ in range(windows - 1)]
            for other in others:
                other.goto(f"{url}/w/{short}")
            among = [said(others[-1], brain, url, short, f"among {nth}") for nth in range(rounds)]
            crowd = statistics.median(among)
            rows.append((f"first word with {windows} windows open, ms", f"{crowd:.0f}"))
            word = f"answer-{len(brain.asked)}"
            began = time.perf_counter()
            for other in others:
                other.evaluate(_SEEN, word)
            late = 1e3 * (time.perf_counter() - began)
            rows.append((f"until all {windows} were seen to show it, ms", f"{late:.0f}"))
            browser.close()
    return rows


def _opening(mid: dict[str, float]) -> list[tuple[str, str]]:
    return [
        ("first paint, conversation of 100, ms", f"{mid['paint short']:.0f}"),
        (f"first paint of {LONG:,} to that", f"{mid['paint long'] / mid['paint short']:.2f}x"),
        ("last message there, conversation of 100, ms", f"{mid['open short']:.0f}"),
        (f"the same of {LONG:,} to that", f"{mid['open long'] / mid['open short']:.2f}x"),
        ("jump to the first message, conversation of 100, ms", f"{mid['top short']:.0f}"),
        (f"the same of {LONG:,} to that", f"{mid['top long'] / mid['top short']:.2f}x"),
    ]


def filled(folder: Path) -> dict[int, str]:
    """A workflow for each length of a conversation."""
    with open_store(folder / "bench.db") as store:
        made = {length: create_workflow(store, f"Lamps {length}") for length in LENGTHS}
        for length, workflow in made.items():
            talk(store, workflow, length)
    return made


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--windows", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--what", choices=("speed", "weight", "lengths", "memory"), default="speed")
    parser.add_argument("--minutes", type=float, default=60.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DIRECTOR_HOME"] = folder
        rows = (
            measured(given.windows, given.rounds)
            if given.what == "speed"
            else _page_rows(Path(folder), given)
        )
    print("| the app | |\n|---|--:|")
    print("\n".join(f"| {name} | {value} |" for name, value in rows))
    print(f"\nload average {os.getloadavg()[0]:.1f}")


def _page_rows(folder: Path, given: argparse.Namespace) -> list[tuple[str, str]]:
    if given.what == "memory":
        with open_store(folder / "bench.db") as store:
            empty = create_workflow(store, "Lamps")
        return watch_memory(folder, empty, given.minutes)
    made = filled(folder)
    if given.what == "lengths":
        return time_lengths(folder, made, given.rounds)
    at = f"/w/{made[100]}"
    pages = {"home": "/", "build": at, "runs": f"{at}/runs", "what the model saw": f"{at}/requests"}
    return weigh_pages(folder, {**pages, "settings": "/settings", "help": "/help"})


if __name__ == "__main__":
    main()
