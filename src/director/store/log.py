"""Threads: appending entries, reading them back verbatim, the chain of hashes, large texts.

An append is one transaction. This module must never alter or delete an entry or a text.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from sqlalchemy import Connection, Row, insert, select

from director.store.canonical import (
    canonical,
    digest,
    encoded,
    folded,
    hashes_in,
    mentions_texts,
    unfolded,
)
from director.store.connect import Writing
from director.store.schema import blobs, entries, threads
from director.store.values import KINDS, Draft, Entry, Json, Moved, StoreError

_AT_ONCE = 500  # how many hashes one question may name


def append(
    writing: Writing, thread: str, drafts: Sequence[Draft], expect: int | None
) -> tuple[Entry, ...]:
    """Write drafts at the end of a thread, if it still ends where the caller saw it end."""
    seq, before = _end(writing.connection, thread)
    if expect is not None and expect != seq:
        raise Moved(
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
        written.append(replace(bare, hash=entry_hash(bare)))
        before = written[-1].hash
    write(writing.connection, written)
    return tuple(written)


def write(connection: Connection, written: Sequence[Entry]) -> None:
    """Write entries that are already chained, and the large texts that are not there yet."""
    if not written:
        return
    aside: dict[str, str] = {}
    rows = [
        {
            "position": entry.position,
            "thread": entry.thread,
            "seq": entry.seq,
            "kind": entry.kind,
            "body": canonical(folded(entry.body, aside)),
            "at": entry.at,
            "hash": entry.hash,
            "before": entry.before,
        }
        for entry in written
    ]
    _write_texts(connection, aside)
    connection.execute(insert(entries), rows)


def entry_hash(entry: Entry) -> str:
    """The hash that an entry must have; it covers the hash of the entry before it."""
    covered = [entry.before, entry.thread, entry.seq, entry.kind, entry.body, entry.at]
    return digest(covered)


def head(connection: Connection, thread: str) -> int:
    """The number of the last entry of a thread, or 0."""
    return _end(connection, thread)[0]


def read(connection: Connection, thread: str, after: int, upto: int | None) -> list[Entry]:
    """The entries of a thread, in order, as they were given."""
    asked = select(entries).where(entries.c.thread == thread, entries.c.seq > after)
    if upto is not None:
        asked = asked.where(entries.c.seq <= upto)
    return entries_of(connection, connection.execute(asked.order_by(entries.c.seq)).all())


def entries_of(connection: Connection, rows: Sequence[Row[*tuple[object, ...]]]) -> list[Entry]:
    """The entries that some rows hold, with their large texts put back."""
    bodies = [json.loads(row.body) for row in rows]
    folds = [mentions_texts(row.body) for row in rows]
    named = (hashes_in(body) for body, fold in zip(bodies, folds, strict=True) if fold)
    aside = texts(connection, set().union(*named))
    return [
        entry_of(row, _whole(row, body, aside) if fold else body)
        for row, body, fold in zip(rows, bodies, folds, strict=True)
    ]


def entry_of(row: Row[*tuple[object, ...]], body: Json) -> Entry:
    """The entry that a row holds, with the body that was read from it."""
    return Entry(row.thread, row.seq, row.kind, body, row.at, row.hash, row.before, row.position)


def texts(connection: Connection, hashes: Iterable[str]) -> dict[str, str]:
    """The large texts of these hashes."""
    wanted = sorted(hashes)
    found: dict[str, str] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        chosen = blobs.c.hash.in_(wanted[start : start + _AT_ONCE])
        for name, body in connection.execute(select(blobs.c.hash, blobs.c.body).where(chosen)):
            found[name] = zlib.decompress(body).decode("utf-8", "surrogatepass")
    return found


def make_thread(writing: Writing, thread: str, workflow: str = "", title: str = "") -> bool:
    """Make a thread if there is none of this id, and say whether it was made."""
    there = select(threads.c.id).where(threads.c.id == thread)
    if writing.connection.execute(there).first() is not None:
        return False
    writing.connection.execute(
        insert(threads).values(id=thread, workflow=workflow, title=title, at=writing.at)
    )
    return True


def thread_ids(connection: Connection, workflow: str | None) -> list[str]:
    """The ids of the threads, of one workflow or all, the oldest first."""
    asked = select(threads.c.id).order_by(threads.c.at, threads.c.id)
    if workflow is not None:
        asked = asked.where(threads.c.workflow == workflow)
    return list(connection.execute(asked).scalars())


def _check_kind(draft: Draft) -> None:
    if draft.kind not in KINDS:
        raise StoreError(
            f"There is no entry of the kind {draft.kind!r}. Nothing was written. "
            f"The kinds are {', '.join(KINDS)}."
        )


def _end(connection: Connection, thread: str) -> tuple[int, str]:
    newest = (
        select(entries.c.seq, entries.c.hash)
        .where(entries.c.thread == thread)
        .order_by(entries.c.seq.desc())
        .limit(1)
    )
    row = connection.execute(newest).first()
    return (row.seq, row.hash) if row else (0, "")


def _write_texts(connection: Connection, aside: Mapping[str, str]) -> None:
    if not aside:
        return
    there: set[str] = set()
    wanted = sorted(aside)
    for start in range(0, len(wanted), _AT_ONCE):
        chosen = blobs.c.hash.in_(wanted[start : start + _AT_ONCE])
        there.update(connection.execute(select(blobs.c.hash).where(chosen)).scalars())
    rows = [
        {"hash": name, "body": zlib.compress(encoded(text))}
        for name, text in aside.items()
        if name not in there
    ]
    if rows:
        connection.execute(insert(blobs), rows)


def _whole(row: Row[*tuple[object, ...]], body: object, aside: Mapping[str, str]) -> Json:
    try:
        return cast("Json", unfolded(body, aside))
    except KeyError:
        raise StoreError(
            f"A large text of entry {row.seq} of the thread {row.thread} is missing. The other "
            "entries are as they were. Run `director verify` to see what is damaged, and open a "
            "backup."
        ) from None
