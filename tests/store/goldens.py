"""Databases of every released schema, as SQL: what is in them, and what it looked like then.

Run as a program (`python tests/store/goldens.py`, with `src` and `tests` on the path) it writes
the one of today's schema, if there is none. A file that is there is never written again: it is
what a user's database of that time looks like.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from director.context.values import AgentTurn
from director.store import EntryDraft, Store, open_store
from director.store.compression import (
    compress_turns,
    delete_turns,
    preview_turn_compression,
    restore_compressed_turns,
)
from director.store.context_view import project_context_view
from director.store.schema import SCHEMA
from director.testing.store_drafts import (
    AWKWARD,
    LARGE,
    draft_agent_message,
    draft_call_result,
    draft_summary,
    draft_talk,
    draft_user_message,
)

GOLDEN = Path(__file__).parent / "golden"


def fill(store: Store) -> None:
    """Two threads of a workflow and one of none, with all that can happen to them; two records."""
    store.open_thread("shop", "Prices of “mugs”", "prices")
    store.append(
        "prices",
        [
            *draft_talk(6),
            draft_user_message(AWKWARD),
            draft_agent_message(AWKWARD, ["call_a", "call_b"]),
        ],
    )
    store.append("prices", [draft_call_result("call_a", LARGE)], reference={"response": "r1"})
    first = preview_turn_compression(store, "prices", [1, 2, 4, 5])
    undone = compress_turns(store, "prices", first, draft_summary(first.covers))
    restore_compressed_turns(store, "prices", undone.seq)
    delete_turns(store, "prices", [7, 8])
    again = preview_turn_compression(store, "prices", [1, 2, 4, 5, 10, 11])
    compress_turns(store, "prices", again, draft_summary(again.covers, "Three prices."), by="auto")
    store.append(
        "prices", [draft_user_message("And the last one?"), draft_agent_message("EUR 5.50")]
    )
    store.open_thread("shop", "", "empty")
    native = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
    said = {"type": "message", "id": "msg_1", "role": "assistant"}
    spoken = {**said, "content": [{"type": "output_text", "text": "Hello.", "annotations": []}]}
    store.append(
        "alone",
        [
            EntryDraft("user", {"text": "Hi", "native": {"wire": "responses", "message": native}}),
            EntryDraft("agent", {"wire": "responses", "items": [spoken], "text": "Hello."}),
        ],
    )
    store.put("plan", "p", {"workflow_id": "shop", "steps": ["look"]}, "begun")
    store.put("plan", "p", {"workflow_id": "shop", "steps": ["look", AWKWARD]}, "grown")
    store.put("note", "n", {"page": LARGE, "odd": {"$blob": "no reference"}}, "a large text")


def told(store: Store) -> dict[str, object]:
    """What models, people and verifiers see of a store, as JSON."""
    kinds = ("plan", "note")
    return {
        "threads": {name: _thread(store, name) for name in store.threads()},
        "records": [
            [each.kind, each.id, each.version, each.body, each.reason, each.at, each.position]
            for kind in kinds
            for name in store.ids(kind)
            for each in store.versions(kind, name)
        ],
        "references": {name: store.reference(name) for name in store.threads()},
    }


def _thread(store: Store, name: str) -> dict[str, object]:
    entries = store.entries(name)
    context = project_context_view(entries)
    shown: list[object] = []
    for turn in context.turns:
        calls = turn.calls if isinstance(turn, AgentTurn) else ()
        shown.append([turn.at, turn.text, [[c.id, c.tool, c.result, c.failed] for c in calls]])
    return {
        "chain": [[entry.kind, entry.hash] for entry in entries],
        "summary": context.summary and [context.summary.text, list(context.summary.covers)],
        "turns": shown,
    }


def write(folder: Path) -> None:
    """Write the database of today's schema and what is seen of it, unless it is there."""
    place = folder / f"{SCHEMA}.sql"
    if place.exists():
        return
    with tempfile.TemporaryDirectory() as made:
        file = Path(made, "director.db")
        clock = itertools.count(1_700_000_000)
        with open_store(file, now=lambda: float(next(clock))) as store:
            fill(store)
            seen = told(store)
        with closing(sqlite3.connect(file)) as database:
            place.write_text("\n".join(database.iterdump()) + "\n", encoding="utf-8")
    place.with_suffix(".json").write_text(json.dumps(seen, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(GOLDEN)
