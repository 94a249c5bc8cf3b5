"""Recorded threads, as exports, and what was made of them: the history and the requests.

Run as a program (`python tests/agent/recorded.py`, with `src` and `tests` on the path) it records
the threads below that have no file yet. A thread that is there is never recorded again.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from director.context.wire import Wire
from director.store import EntryDraft, Store, open_store
from director.store.compression import (
    compress_turns,
    delete_turns,
    preview_turn_compression,
    restore_compressed_turns,
)
from director.store.context_view import build_thread_view
from director.store.export import export_thread
from director.testing.store_drafts import AWKWARD, LARGE, draft_summary
from store.threads import native, result, speaking, user

GOLDEN = Path(__file__).parent / "golden"


def _one_wire(wire: Wire) -> list[EntryDraft]:
    """Two exchanges with thinking, calls side by side, a failure and a call that was cut off."""
    return [
        user(f"Which lamp is cheaper? {AWKWARD}"),
        speaking(wire, 1, "I look at both.", ["call_1", "call_2"], "two pages"),
        result("call_2", "lamp B: 18", native=native(wire, "call_2", "lamp B: 18")),
        result("call_1", LARGE[:5_000], failed=True),
        speaking(wire, 2, "Lamp B costs 18; the page of lamp A is broken.", []),
        user("Try again."),
        speaking(wire, 3, "", ["call_3"]),
    ]


def _mixed(store: Store) -> None:
    """Every exchange by another model."""
    for number, wire in enumerate(("chat", "responses", "anthropic"), 1):
        call = f"call_{number}"
        said = [user(f"Question {number}"), speaking(wire, number, "Let me see.", [call], "hm")]
        said += [result(call, f"seen {number}", native=native(wire, call, f"seen {number}"))]
        store.append("thread", [*said, speaking(wire, number + 10, f"Answer {number}", [])])


def _compressed(store: Store) -> None:
    """Compressed, restored, compressed otherwise, a turn deleted, and it goes on."""
    for _ in range(2):
        _mixed(store)
    first = preview_turn_compression(store, "thread")
    done = compress_turns(store, "thread", first, draft_summary(first.covers, "All was answered."))
    restore_compressed_turns(store, "thread", done.seq)
    delete_turns(store, "thread", build_thread_view(store.entries("thread")).units[2])
    some = preview_turn_compression(
        store, "thread", build_thread_view(store.entries("thread")).units[1]
    )
    compress_turns(
        store, "thread", some, draft_summary(some.covers, "Two were answered."), by="auto"
    )
    store.append("thread", _one_wire("responses"))


def _plain(wire: Wire) -> Callable[[Store], None]:
    return lambda store: store.append("thread", _one_wire(wire)) and None


THREADS: Mapping[str, Callable[[Store], None]] = {
    "chat": _plain("chat"),
    "responses": _plain("responses"),
    "anthropic": _plain("anthropic"),
    "mixed": _mixed,
    "compressed": _compressed,
}


def record(folder: Path) -> None:
    """Record each thread that has no file."""
    for name, said in THREADS.items():
        place = folder / f"{name}.jsonl"
        if place.exists():
            continue
        clock = itertools.count(1_700_000_000)
        with (
            tempfile.TemporaryDirectory() as made,
            open_store(Path(made, "director.db"), now=lambda c=clock: float(next(c))) as store,
        ):
            said(store)
            place.write_text("".join(export_thread(store, "thread")), encoding="ascii")


if __name__ == "__main__":
    record(GOLDEN)
