"""The only real deletion: a whole thread, with everything that nobody else needs.

The guards are put down and up again inside the one transaction that deletes, so nothing else can
be deleted meanwhile. Then the database is rewritten, so that the words are gone from its pages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import ColumnElement, Connection, delete, select, update

from director.store.canonical import hashes_in, mentions_texts
from director.store.connect import Database
from director.store.schema import blobs, entries, meta, refs, threads
from director.store.values import StoreError

_GUARDED = ("entries", "blobs")
_REWRITTEN = "entries, blobs, refs, threads"
_AT_ONCE = 500


def purge(database: Database, thread: str) -> int:
    """Remove a thread for good and rewrite the database; how many entries were removed."""
    with database.writing() as writing:
        connection = writing.connection
        with _guards_down(connection):
            own = _texts_of(connection, entries.c.thread == thread)
            removed = connection.execute(delete(entries).where(entries.c.thread == thread)).rowcount
            connection.execute(delete(refs).where(refs.c.thread == thread))
            connection.execute(delete(threads).where(threads.c.id == thread))
            _remove_texts(
                connection, sorted(own - _texts_of(connection, entries.c.thread != thread))
            )
            connection.execute(update(meta).values(purged=meta.c.purged + removed))
    _rewrite(database)
    return removed


def _texts_of(connection: Connection, which: ColumnElement[bool]) -> set[str]:
    found: set[str] = set()
    asked = select(entries.c.body).where(which).execution_options(yield_per=_AT_ONCE)
    for body in connection.execute(asked).scalars():
        if mentions_texts(body):
            found |= hashes_in(json.loads(body))
    return found


def _remove_texts(connection: Connection, hashes: list[str]) -> None:
    for start in range(0, len(hashes), _AT_ONCE):
        chosen = blobs.c.hash.in_(hashes[start : start + _AT_ONCE])
        connection.execute(delete(blobs).where(chosen))


@contextmanager
def _guards_down(connection: Connection) -> Iterator[None]:
    if connection.dialect.name != "sqlite":
        for table in _GUARDED:
            connection.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER {table}_append_only")
        yield
        for table in _GUARDED:
            connection.exec_driver_sql(f"ALTER TABLE {table} ENABLE TRIGGER {table}_append_only")
        return
    guards = connection.exec_driver_sql(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN (?, ?)",
        _GUARDED,
    ).all()
    for name, _made in guards:
        connection.exec_driver_sql(f"DROP TRIGGER {name}")
    yield
    for _name, made in guards:
        connection.exec_driver_sql(made)


def _rewrite(database: Database) -> None:
    with database.bare() as connection:
        if not database.is_sqlite:
            connection.exec_driver_sql(f"VACUUM FULL {_REWRITTEN}")
            return
        connection.exec_driver_sql("VACUUM")
        busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar_one()
    if busy:
        raise StoreError(
            f"The thread was removed from {database.place}, but another program reads the file, so "
            "its old pages are still in the write-ahead log. Everything else is kept. Close the "
            "other program and purge the same thread again."
        )
