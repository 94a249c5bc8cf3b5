"""Threads: appending entries, reading them back verbatim, the chain of hashes.

An append is one transaction. This module must never alter or delete an entry.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    bindparam,
    insert,
    literal_column,
    or_,
    select,
    true,
)

from director.store.canonical import check_name, hash_canonical
from director.store.checkpoints import (
    HIDING,
    find_current_checkpoint,
    find_deleted,
    find_hidden,
    list_standing_checkpoints,
)
from director.store.context_view import TURNS
from director.store.large_values import restore_large_values, store_large_values
from director.store.positions import Writing
from director.store.schema import entries, threads
from director.store.values import KINDS, Entry, EntryDraft, Json, StoreError, VersionConflict

_AT_ONCE = 1_000
_FEW = 16  # rows that may be as long as the thread has turns
_COVERS = re.compile(r'"covers":\[[\d,]*\]')
# Spelled out as in the index of these entries.
_HIDES: ColumnElement[bool] = literal_column(f"kind IN {HIDING}")
# Statements are built once: building one takes several times as long as running it.
_INSERT = insert(entries)
_OWN = entries.c.thread == bindparam("thread")
_LAST = entries.c.seq.desc()
_END = select(entries.c.seq, entries.c.hash).where(_OWN).order_by(_LAST).limit(1)
_NEWEST = select(entries).where(_OWN, entries.c.kind == bindparam("kind"))
_NEWEST = _NEWEST.order_by(_LAST).limit(1)
_AFTER = select(entries).where(_OWN, entries.c.seq > bindparam("after")).order_by(entries.c.seq)
_UPTO = _AFTER.where(entries.c.seq <= bindparam("upto"))
_HIDING = select(entries).where(_OWN, _HIDES).order_by(entries.c.seq)
_BRIEF = _HIDING.where(entries.c.kind != "delete").execution_options(yield_per=_FEW)
_TURNS = select(entries.c.seq).where(_OWN, entries.c.kind.in_(TURNS)).order_by(entries.c.seq)
_TURNS = _TURNS.execution_options(yield_per=_AT_ONCE)
_WORKFLOW = select(threads.c.workflow).where(threads.c.id == bindparam("thread"))


def append_thread_entries(
    writing: Writing, thread: str, drafts: Sequence[EntryDraft], expect: int | None
) -> tuple[Entry, ...]:
    """Write drafts at the end of a thread, if it still ends where the caller saw it end."""
    check_name(thread)
    seq, before = _end(writing.connection, thread)
    if expect is not None and expect != seq:
        raise VersionConflict(
            f"The thread {thread} ends at {seq} and not at {expect}: it has grown since it was "
            "looked at. Nothing was written. Look again and decide again."
        )
    if seq == 0:
        make_thread(writing, thread)
    written: list[Entry] = []
    for place, draft in enumerate(drafts, 1):
        _check_kind(draft)
        position = writing.taken + place
        bare = Entry(thread, seq + place, draft.kind, draft.body, writing.at, "", before, position)
        written.append(replace(bare, hash=hash_thread_entry(bare)))
        before = written[-1].hash
    write_thread_entries(writing.connection, written)
    return tuple(written)


def write_thread_entries(connection: Connection, written: Sequence[Entry]) -> None:
    """Write entries that are already chained, and the large texts that are not there yet."""
    if not written:
        return
    stored = store_large_values(connection, [entry.body for entry in written])
    rows = [
        {
            "position": entry.position,
            "thread": entry.thread,
            "seq": entry.seq,
            "kind": entry.kind,
            "body": body,
            "at": entry.at,
            "hash": entry.hash,
            "before": entry.before,
        }
        for entry, body in zip(written, stored, strict=True)
    ]
    connection.execute(_INSERT, rows)


def hash_thread_entry(entry: Entry) -> str:
    """The hash that an entry must have; it covers the hash of the entry before it."""
    covered = [entry.before, entry.thread, entry.seq, entry.kind, entry.body, entry.at]
    return hash_canonical(covered)


def get_thread_head(connection: Connection, thread: str) -> int:
    """The number of the last entry of a thread, or 0."""
    return _end(connection, thread)[0]


def read_thread_entries(
    connection: Connection, thread: str, after: int, upto: int | None
) -> list[Entry]:
    """The entries of a thread, in order, as they were given."""
    given = {"thread": thread, "after": after, "upto": upto}
    asked = _AFTER if upto is None else _UPTO
    return load_thread_entries(connection, connection.execute(asked, given).all())


def _upto(last: int | None) -> ColumnElement[bool]:
    return true() if last is None else entries.c.seq <= last


def _read(connection: Connection, *which: ColumnElement[bool]) -> list[Entry]:
    asked = select(entries).where(*which).order_by(entries.c.seq)
    return load_thread_entries(connection, connection.execute(asked).all())


def find_last_thread_entry(connection: Connection, thread: str, kind: str) -> Entry | None:
    """The newest entry of a kind."""
    found = connection.execute(_NEWEST, {"thread": thread, "kind": kind}).all()
    return next(iter(load_thread_entries(connection, found)), None)


def read_visible_thread_entries(connection: Connection, thread: str) -> list[Entry]:
    """The last entry, what decides which turns are hidden, and all from the first visible turn on.

    A compression that was taken in by the one that is shown decides nothing: it is left out.
    """
    brief = _brief(connection, thread)
    taken_in = list_standing_checkpoints(brief)[:-1]
    made = [entry.seq for entry in brief if entry.kind == "checkpoint"]
    decides = or_(entries.c.kind != "checkpoint", entries.c.seq.in_({*made}.difference(taken_in)))
    own = entries.c.thread == thread
    marks = _read(connection, own, _HIDES, decides)
    out_of_sight = find_hidden(find_current_checkpoint(marks), find_deleted(marks))
    first = _first(connection, thread, out_of_sight) if out_of_sight else 1
    last = get_thread_head(connection, thread)
    start = last if first is None else min(first, last)
    before = [entry for entry in marks if entry.seq < start]
    return [*before, *_read(connection, own, entries.c.seq >= start, _upto(last), decides)]


def read_hiding_thread_entries(connection: Connection, thread: str) -> list[Entry]:
    """The entries that hide turns or show them again: compressions, restores, deletions."""
    return load_thread_entries(connection, connection.execute(_HIDING, {"thread": thread}).all())


def _brief(connection: Connection, thread: str) -> list[Entry]:
    """The compressions and restores, without what they cover: that is nearly all of them."""
    with connection.execute(_BRIEF, {"thread": thread}) as rows:
        return [make_thread_entry(row, _drop_covers(row.body)) for row in rows]


def _drop_covers(stored: str) -> Json:
    body: dict[str, object] = json.loads(_COVERS.sub('"covers":[]', stored, count=1))
    said = body.get("summary")
    # A large summary is kept elsewhere; how it starts is enough to see that there is one.
    return body | {"summary": said.get("start")} if isinstance(said, dict) else body


def _first(connection: Connection, thread: str, out_of_sight: frozenset[int]) -> int | None:
    """The first turn that is visible."""
    with connection.execute(_TURNS, {"thread": thread}) as found:
        return next((seq for seq in found.scalars() if seq not in out_of_sight), None)


def load_thread_entries(
    connection: Connection, rows: Sequence[Row[*tuple[object, ...]]]
) -> list[Entry]:
    """The entries that some rows hold, with their large texts put back."""
    bodies = restore_large_values(
        connection, rows, lambda row: f"entry {row.seq} of the thread {row.thread}"
    )
    return [make_thread_entry(row, body) for row, body in zip(rows, bodies, strict=True)]


def make_thread_entry(row: Row[*tuple[object, ...]], body: Json) -> Entry:
    """The entry that a row holds, with the body that was read from it."""
    return Entry(row.thread, row.seq, row.kind, body, row.at, row.hash, row.before, row.position)


def make_thread(writing: Writing, thread: str, workflow: str = "", title: str = "") -> bool:
    """Make a thread if there is none of this id, and say whether it was made."""
    for text in (thread, workflow, title):
        check_name(text)
    there = select(threads.c.id).where(threads.c.id == thread)
    if writing.connection.execute(there).first() is not None:
        return False
    own = hash_thread(thread, workflow, title, writing.at)
    row = {"id": thread, "workflow": workflow, "title": title, "at": writing.at, "hash": own}
    writing.connection.execute(insert(threads).values(row))
    return True


def hash_thread(thread: str, workflow: str, title: str, at: float) -> str:
    """The hash of what a thread is besides its entries."""
    return hash_canonical([thread, workflow, title, at])


def list_thread_ids(connection: Connection, workflow: str | None) -> list[str]:
    """The ids of the threads, of one workflow or all, the oldest first."""
    asked = select(threads.c.id).order_by(threads.c.at, threads.c.id)
    if workflow is not None:
        asked = asked.where(threads.c.workflow == workflow)
    return list(connection.execute(asked).scalars())


def find_workflow(connection: Connection, thread: str) -> str:
    """The workflow that a thread was made for; empty if for none."""
    return str(connection.execute(_WORKFLOW, {"thread": thread}).scalar() or "")


def _check_kind(draft: EntryDraft) -> None:
    if draft.kind not in KINDS:
        raise StoreError(
            f"There is no entry of the kind {draft.kind!r}. Nothing was written. "
            f"The kinds are {', '.join(KINDS)}."
        )


def _end(connection: Connection, thread: str) -> tuple[int, str]:
    row = connection.execute(_END, {"thread": thread}).first()
    return (row.seq, row.hash) if row else (0, "")
