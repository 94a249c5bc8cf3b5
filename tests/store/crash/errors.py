"""Lets every write and sync of a process fail once, as a full or broken disk does.

A program like `kills`, over the same forks and traces: here a system call returns an error, and
the process goes on.

    python -m store.crash.errors WORKLOAD URL FOLDER STRIDE

It prints one line of JSON: points, refused (requests that failed), messages, faults.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from director.store import Store, StoreError, open_store
from director.store.compression import compress_turns, preview_turn_compression
from director.testing.store_drafts import LARGE, draft_summary, draft_talk, draft_user_message
from director.testing.store_faults import find_store_faults
from store.crash.kills import Run, points_in, traced

CALLS = ("pwrite64", "fdatasync", "fsync", "ftruncate")
ERRORS = ("ENOSPC", "EIO")
_TIMES = 3


class Failing(Run):
    """A process that does a few requests, some of which fail, and notes what it was told."""

    @property
    def noted(self) -> Path:
        """Where it notes how far it was and what each request said."""
        return self.folder / f"{self.name}.noted"

    def act(self, armed: Callable[[], None]) -> None:
        """Do the requests, each whether or not the one before was refused."""
        with open_store(self.url) as store:
            store.append(self.name, draft_talk(4, self.name))
            armed()
            said = [_ask(store, self.name, self.workload, n) for n in range(_TIMES)]
            self.noted.write_text(json.dumps(said))

    def wrong(self) -> list[str]:
        """What is wrong afterwards: with the store, the messages, or what was acknowledged."""
        said = json.loads(self.noted.read_text())
        with open_store(self.url) as store:
            found = find_store_faults(store, [self.name])
            words = json.dumps([entry.body for entry in store.entries(self.name)])
            for n, (heads, message) in enumerate(said):
                there = words.count(f"request {n} of {self.name}.")
                if there != 1 and (not message or there > 1):
                    found.append(f"request {n} is there {there} times, and was told {message!r}")
                if message and not _kind(message):
                    found.append(f"request {n} was told {message!r}")
                if message and heads[1] not in (heads[0], heads[0] + 1):
                    found.append(f"request {n} is there in part: {heads}")
            store.append(self.name, [draft_user_message("afterwards")])
        if sum(bool(message) for _, message in said) > 1:
            found.append(f"one error failed more than one request: {said}")
        return [f"{self.name}: {each}" for each in found]


def _ask(store: Store, thread: str, workload: str, n: int) -> tuple[tuple[int, int], str]:
    """One request; the heads before and after, and what it said if it was refused."""
    mark = f"request {n} of {thread}."
    before, message = store.head(thread), ""
    try:
        if workload == "append" or n == 1:
            store.append(thread, [draft_user_message(f"{mark} {n}{LARGE}")])
        else:
            look = preview_turn_compression(store, thread, [1, 2] if n == 0 else None)
            compress_turns(store, thread, look, draft_summary(look.covers, mark))
    except StoreError as refused:
        message = str(refused)
    return (before, store.head(thread)), message


def _kind(message: str) -> bool:
    what = ("The disk is full", "The disk failed to read or write")
    return message.startswith(what) and "acknowledged before is kept" in message


@dataclass
class Found:
    """How many points there were, how many requests failed, what they said, what was wrong."""

    points: int = 0
    refused: int = 0
    messages: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def main() -> None:
    """Run as the program that the first lines describe."""
    workload, url, folder, stride = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
    gc.freeze()
    listed = Failing(url, workload, folder, f"{workload}-whole")
    status = traced(listed, ["-e", f"trace={','.join(CALLS)}"], whole=False)
    trace = (folder / f"{listed.name}.trace").read_text()
    points = [(*point, error) for point in points_in(trace) for error in ERRORS]
    found = Found(len(points), faults=listed.wrong() + ([f"it ended: {status}"] if status else []))
    for call, n, error in points[::stride]:
        one = Failing(url, workload, folder, f"{workload}-{call}-{n}-{error}")
        failing = ["-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={n}"]
        if status := traced(one, failing, whole=False):
            found.faults.append(f"{one.name} ended with {status}")
            continue
        found.faults += one.wrong()
        messages = [message for _, message in json.loads(one.noted.read_text()) if message]
        found.refused += len(messages)
        found.messages = sorted({*found.messages, *messages})
    sys.stdout.write(json.dumps(vars(found)) + "\n")


if __name__ == "__main__":
    main()
