"""Purging words: entries and records are rewritten without them, and their hashes made anew.

The one way to alter what was written, for what should never have been: a password in a message.
What was sent to models for those threads goes with it, since it holds the same words. Everything
else stays, in its order and under its numbers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from sqlalchemy import Connection, Table, delete, select, update

from director.store.database import Database
from director.store.large_values import list_folded_hashes, store_large_values
from director.store.purge import (
    TOLD_AGAIN,
    lower_purge_guards,
    purge_rows,
    purge_unneeded_values,
    rewrite_purged_file,
)
from director.store.schema import entries, meta, records, refs
from director.store.thread_log import hash_thread_entry, list_thread_ids, load_thread_entries
from director.store.values import Json
from director.store.versioned_records import hash_record_version, load_record_versions

Change: TypeAlias = Callable[[Json], Json]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a purge of words changed: entries by thread, versions of records, requests removed."""

    entries: dict[str, tuple[int, ...]]
    versions: int
    requests: int

    def __str__(self) -> str:
        many = sum(map(len, self.entries.values()))
        return (
            f"{many:,} messages and {self.versions:,} versions of records were rewritten, "
            f"{self.requests:,} kept requests were removed."
        )


def purge_text_everywhere(database: Database, change: Change) -> Rewritten:
    """Rewrite every body that `change` changes, and the file, so that the words are gone."""
    # It takes a position and leaves it empty: so whoever keeps what was read learns of it.
    with database.writing(positions=1) as writing, lower_purge_guards(writing.connection):
        connection = writing.connection
        connection.execute(update(meta).values(purged=meta.c.purged + 1))
        aside: set[str] = set()
        changed: dict[str, tuple[int, ...]] = {}
        for thread in list_thread_ids(connection, None):
            if seqs := _rewrite_thread(connection, thread, change, aside):
                changed[thread] = seqs
                connection.execute(delete(refs).where(refs.c.thread == thread))
        versions = _rewrite_records(connection, change, aside)
        purge_unneeded_values(connection, aside)
        # What was sent and tried for these threads holds their words as bytes.
        told = [(kind, thread) for thread in changed for kind in TOLD_AGAIN]
        requests = purge_rows(connection, [], told)
    rewrite_purged_file(database)
    return Rewritten(changed, versions, requests)


def _rewrite_thread(
    connection: Connection, thread: str, change: Change, aside: set[str]
) -> tuple[int, ...]:
    """Write a thread anew from its first entry that changes; the numbers of those that did."""
    asked = select(entries).where(entries.c.thread == thread).order_by(entries.c.seq)
    rows = connection.execute(asked).all()
    before, seqs = "", []
    for row, entry in zip(rows, load_thread_entries(connection, rows), strict=True):
        body = change(entry.body)
        if body != entry.body:
            seqs.append(entry.seq)
            aside |= list_folded_hashes(json.loads(row.body))
        if not seqs:
            before = entry.hash
            continue
        fresh = replace(entry, body=body, before=before, hash="")
        own = hash_thread_entry(fresh)
        (stored,) = store_large_values(connection, [body])
        _write(connection, entries, row.position, {"body": stored, "hash": own, "before": before})
        before = own
    return tuple(seqs)


def _rewrite_records(connection: Connection, change: Change, aside: set[str]) -> int:
    """Write every record anew that changes, all of its versions; how many versions changed."""
    names = connection.execute(select(records.c.kind, records.c.id).distinct()).all()
    count = 0
    for kind, name in names:
        asked = select(records).where(records.c.kind == kind, records.c.id == name)
        rows = connection.execute(asked.order_by(records.c.version)).all()
        before, begun = "", False
        for row, version in zip(rows, load_record_versions(connection, rows), strict=True):
            body = change(version.body)
            if body != version.body:
                begun, count = True, count + 1
                aside |= list_folded_hashes(json.loads(row.body))
            if not begun:
                before = str(row.hash)
                continue
            own = hash_record_version(before, replace(version, body=body))
            (stored,) = store_large_values(connection, [body])
            values = {"body": stored, "hash": own, "before": before}
            _write(connection, records, row.position, values)
            before = own
    return count


def _write(connection: Connection, table: Table, position: int, values: Mapping[str, str]) -> None:
    connection.execute(update(table).where(table.c.position == position).values(**values))
