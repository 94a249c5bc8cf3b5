"""Threads: appending entries, reading them back verbatim, the chain of hashes.

An append is one transaction. This module must never alter or delete an entry.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    bindparam,
    delete,
    insert,
    literal_column,
    or_,
    select,
    true,
    update,
)

from director.store.canonical import check_name, encode_canonical, hash_canonical
from director.store.checkpoints import (
    HIDING,
    find_current_checkpoint,
    find_deleted,
    find_hidden,
    list_standing_checkpoints,
)
from director.store.context_view import TURNS
from director.store.database import StoredData
from director.store.large_values import restore_large_values, store_large_values
from director.store.positions import Writing
from director.store.schema import entries, refs, threads
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


def _check_kind(draft: EntryDraft) -> None:
    if draft.kind not in KINDS:
        raise StoreError(
            f"There is no entry of the kind {draft.kind!r}. Nothing was written. "
            f"The kinds are {', '.join(KINDS)}."
        )


def _end(connection: Connection, thread: str) -> tuple[int, str]:
    row = connection.execute(_END, {"thread": thread}).first()
    return (row.seq, row.hash) if row else (0, "")


def put_model_state(writing: Writing, thread: str, reference: Json | None) -> None:
    """Replace the reference of a thread, or remove it."""
    own = refs.c.thread == thread
    if reference is None:
        writing.connection.execute(delete(refs).where(own))
        return
    make_thread(writing, thread)
    columns = {"body": encode_canonical(reference), "hash": hash_model_reference(thread, reference)}
    if writing.connection.execute(update(refs).where(own).values(columns)).rowcount == 0:
        writing.connection.execute(insert(refs).values(thread=thread, **columns))


def hash_model_reference(thread: str, reference: Json) -> str:
    """The hash of a reference, which names its thread."""
    return hash_canonical([thread, reference])


class StoredThreads(StoredData):
    """The threads of a store. Each method is one transaction."""

    def append(
        self,
        thread: str,
        drafts: Sequence[EntryDraft],
        *,
        expect: int | None = None,
        reference: Json | None = None,
        clear_reference: bool = False,
    ) -> tuple[Entry, ...]:
        """Write drafts at the end of a thread; when this returns, they are durable.

        `expect` is the head the caller saw: if it is another by now, Moved is raised and nothing
        is written. `reference` replaces the thread's reference in the same transaction.
        """
        with self._database.writing(len(drafts), [("thread", thread)]) as writing:
            written = append_thread_entries(writing, thread, drafts, expect)
            if reference is not None or clear_reference:
                put_model_state(writing, thread, reference)
        return written

    def head(self, thread: str) -> int:
        """The number of the last entry of a thread, or 0."""
        with self.database.reading() as connection:
            return _end(connection, thread)[0]

    def entries(self, thread: str, after: int = 0, upto: int | None = None) -> list[Entry]:
        """The entries of a thread after one and up to another, as they were given."""
        with self.database.reading() as connection:
            return read_thread_entries(connection, thread, after, upto)

    def last(self, thread: str, kind: str) -> Entry | None:
        """The newest entry of a kind in a thread."""
        with self.database.reading() as connection:
            found = connection.execute(_NEWEST, {"thread": thread, "kind": kind}).all()
            return next(iter(load_thread_entries(connection, found)), None)

    def read_visible(self, thread: str) -> list[Entry]:
        """The entries that decide what a model sees, however long the thread is.

        Enough for `project`, `view` and `compress`: the last entry, the compression that is shown,
        restores and deletions, and all from the first visible turn on. A compression that was taken
        in by the one that is shown decides nothing: it is left out.
        """
        with self.database.reading() as connection:
            brief = _brief(connection, thread)
            taken_in = list_standing_checkpoints(brief)[:-1]
            made = [entry.seq for entry in brief if entry.kind == "checkpoint"]
            shown = entries.c.seq.in_({*made}.difference(taken_in))
            decides = or_(entries.c.kind != "checkpoint", shown)
            own = entries.c.thread == thread
            marks = _read(connection, own, _HIDES, decides)
            out_of_sight = find_hidden(find_current_checkpoint(marks), find_deleted(marks))
            first = _first(connection, thread, out_of_sight) if out_of_sight else 1
            last = _end(connection, thread)[0]
            start = last if first is None else min(first, last)
            before = [entry for entry in marks if entry.seq < start]
            return [*before, *_read(connection, own, entries.c.seq >= start, _upto(last), decides)]

    seen = read_visible  # its name of one release ago

    def hiding(self, thread: str) -> list[Entry]:
        """Every compression, restore and deletion of a thread: enough for `checkpoints`."""
        with self.database.reading() as connection:
            found = connection.execute(_HIDING, {"thread": thread}).all()
            return load_thread_entries(connection, found)

    def open_thread(self, workflow: str = "", title: str = "", thread: str | None = None) -> str:
        """Make a thread, unless there is one of this id, and return its id."""
        made = thread or str(uuid.uuid4())
        with self._database.writing(names=[("thread", made)]) as writing:
            make_thread(writing, made, workflow, title)
        return made

    def threads(self, workflow: str | None = None) -> list[str]:
        """The ids of the threads, of one workflow or all, the oldest first."""
        with self.database.reading() as connection:
            return list_thread_ids(connection, workflow)

    def find_workflow(self, thread: str) -> str:
        """The workflow that a thread was made for; empty if for none."""
        with self.database.reading() as connection:
            return str(connection.execute(_WORKFLOW, {"thread": thread}).scalar() or "")

    def reference(self, thread: str) -> Json | None:
        """What the model layer keeps for a thread."""
        with self.database.reading() as connection:
            own = refs.c.thread == thread
            body = connection.execute(select(refs.c.body).where(own)).scalar()
            return None if body is None else cast("Json", json.loads(body))

    def set_reference(self, thread: str, reference: Json | None) -> None:
        """Replace what the model layer keeps for a thread, or remove it."""
        with self._database.writing(names=[("thread", thread)]) as writing:
            put_model_state(writing, thread, reference)
