"""The only real deletion: a whole thread or workflow, with everything that nobody else needs.

The guards are put down and up again inside the one transaction that deletes, so nothing else can
be deleted meanwhile. Then the database is rewritten, so that the words are gone from its pages.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    Table,
    and_,
    delete,
    func,
    select,
    union_all,
    update,
)

from director.store.database import Database
from director.store.large_values import (
    find_hashes,
    list_folded_hashes,
    may_mention_folded_texts,
    may_mention_kept_bytes,
)
from director.store.record_owners import list_solely_owned_records
from director.store.schema import blobs, entries, meta, records, refs, threads
from director.store.thread_log import list_thread_ids
from director.store.values import StoreError

_GUARDED = ("entries", "records", "blobs", "threads")
_REWRITTEN = "entries, records, blobs, refs, threads"
_AT_ONCE = 500
TOLD_AGAIN = ("request", "compression")


@dataclass(frozen=True, slots=True)
class Removal:
    """What a purge of a workflow removes: its threads, how many entries, its records by kind."""

    threads: tuple[str, ...]
    entries: int
    records: Mapping[str, int]
    versions: int


def purge_thread(database: Database, thread: str) -> int:
    """Remove a thread for good and rewrite the database; how many entries were removed."""
    with database.writing() as writing:
        count = _count(writing.connection, entries, entries.c.thread == thread)
        # What was sent and tried for a thread holds its words: it goes with it.
        purge_rows(writing.connection, [thread], [(kind, thread) for kind in TOLD_AGAIN])
    rewrite_purged_file(database)
    return count


def purge_workflow(database: Database, workflow: str) -> Removal:
    """Remove a workflow with its threads and records for good, and rewrite the database."""
    with database.writing() as writing:
        own = _own(writing.connection, workflow)
        removal = _count_removal(writing.connection, *own)
        purge_rows(writing.connection, *own)
    rewrite_purged_file(database)
    return removal


def preview_purge(connection: Connection, workflow: str) -> Removal:
    """What a purge of this workflow would remove now."""
    return _count_removal(connection, *_own(connection, workflow))


def _own(connection: Connection, workflow: str) -> tuple[list[str], list[tuple[str, str]]]:
    if not workflow:
        # Threads of no workflow have this name too.
        raise StoreError("A workflow needs a name. Nothing was removed.")
    found = list_thread_ids(connection, workflow)
    return found, sorted(list_solely_owned_records(connection, {workflow, *found}))


def _count_removal(connection: Connection, own: list[str], found: list[tuple[str, str]]) -> Removal:
    entry_count = sum(_count(connection, entries, entries.c.thread == thread) for thread in own)
    versions = sum(_count(connection, records, _is(*record)) for record in found)
    return Removal(tuple(own), entry_count, Counter(kind for kind, _ in found), versions)


def _count(connection: Connection, table: Table, which: ColumnElement[bool]) -> int:
    return connection.execute(select(func.count()).select_from(table).where(which)).scalar_one()


def _is(kind: str, name: str) -> ColumnElement[bool]:
    return and_(records.c.kind == kind, records.c.id == name)


def purge_rows(connection: Connection, own: list[str], found: list[tuple[str, str]]) -> int:
    """Remove threads and records, and what was put aside for them alone; how many rows went."""
    aside: set[str] = set()
    removed = 0
    chosen = [(entries, entries.c.thread == thread) for thread in own]
    chosen += [(records, _is(*record)) for record in found]
    with lower_purge_guards(connection):
        for table, which in chosen:
            aside |= list_purged_hashes(connection, select(table.c.body).where(which))
            removed += connection.execute(delete(table).where(which)).rowcount
        for thread in own:
            connection.execute(delete(refs).where(refs.c.thread == thread))
            connection.execute(delete(threads).where(threads.c.id == thread))
        purge_unneeded_values(connection, aside)
        connection.execute(update(meta).values(purged=meta.c.purged + removed))
    return removed


def purge_unneeded_values(connection: Connection, own: set[str]) -> None:
    """Remove what was put aside for what is gone, unless something that is left needs it too."""
    left = union_all(select(entries.c.body), select(records.c.body))
    hashes = sorted(own - list_purged_hashes(connection, left)) if own else []
    for start in range(0, len(hashes), _AT_ONCE):
        chosen = blobs.c.hash.in_(hashes[start : start + _AT_ONCE])
        connection.execute(delete(blobs).where(chosen))


def list_purged_hashes(
    connection: Connection, bodies: Select[str] | CompoundSelect[str]
) -> set[str]:
    """The hashes of large texts and kept bytes that some bodies name."""
    found: set[str] = set()
    for body in connection.execute(bodies.execution_options(yield_per=_AT_ONCE)).scalars():
        if may_mention_folded_texts(body) or may_mention_kept_bytes(body):
            read = json.loads(body)
            found |= list_folded_hashes(read) | find_hashes(read)
    return found


@contextmanager
def lower_purge_guards(connection: Connection) -> Iterator[None]:
    """Let rows be changed and deleted inside; only a purge may."""
    if connection.dialect.name != "sqlite":
        for table in _GUARDED:
            connection.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER {table}_append_only")
        yield
        for table in _GUARDED:
            connection.exec_driver_sql(f"ALTER TABLE {table} ENABLE TRIGGER {table}_append_only")
        return
    guards = connection.exec_driver_sql(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    ).all()
    for name, _made in guards:
        connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
    yield
    for _name, made in guards:
        connection.exec_driver_sql(made)


def rewrite_purged_file(database: Database) -> None:
    """Rewrite the database, so that what was removed is gone from its pages."""
    with database.bare() as connection:
        if not database.is_sqlite:
            connection.exec_driver_sql(f"VACUUM FULL {_REWRITTEN}")
            return
        connection.exec_driver_sql("VACUUM")
        busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar_one()
    if busy:
        raise StoreError(
            f"It was removed from {database.place}, but another program reads the file, so its old "
            "pages are still in the write-ahead log. Everything else is kept. Close the other "
            "program and purge the same again."
        )
