"""Hash everything again and name the first thing that is not as it was written. Reads only."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import Connection, Row, func, select, union
from sqlalchemy.exc import DBAPIError

from director.store.canonical import encode_canonical
from director.store.database import Database
from director.store.large_values import (
    find_hashes,
    find_present_large_values,
    fold_texts,
    list_folded_hashes,
    may_mention_kept_bytes,
    read_large_texts,
    unfold_texts,
)
from director.store.positions import count_taken_positions, get_newest_possible_position
from director.store.schema import blobs, entries, meta, records, refs, threads
from director.store.thread_log import (
    hash_model_reference,
    hash_thread,
    hash_thread_entry,
    make_thread_entry,
)
from director.store.versioned_records import hash_record_version, make_record_version

_AT_ONCE = 200
_BROKEN = (KeyError, TypeError, ValueError, AttributeError, zlib.error)
"""What reading an altered row may raise; UnicodeError and JSONDecodeError are ValueErrors."""


@dataclass(frozen=True, slots=True)
class IntegrityReport:
    """Whether all is as it was written, how many things were checked, and the first bad one."""

    ok: bool
    checked: int
    first_bad: str | None = None


def verify_integrity(database: Database) -> IntegrityReport:
    """Check the texts, then each thread, each record, each reference, and that none is missing."""
    checked = 0
    with database.reading() as connection:
        try:
            for bad in _findings(connection):
                if bad is not None:
                    return IntegrityReport(ok=False, checked=checked, first_bad=bad)
                checked += 1
        except DBAPIError as error:
            if not database.is_sqlite or "locked" in str(error.orig):
                raise
            return IntegrityReport(
                ok=False, checked=checked, first_bad="the file: it cannot be read whole"
            )
    return IntegrityReport(ok=True, checked=checked)


def _findings(connection: Connection) -> Iterator[str | None]:
    """None for each thing that is as it was written, else what is wrong with it."""
    if connection.dialect.name == "sqlite":
        yield from _file(connection)
    yield from _texts(connection)
    yield from _threads(connection)
    yield from _entries(connection)
    yield from _records(connection)
    yield from _references(connection)
    yield from _missing(connection)


def _file(connection: Connection) -> Iterator[str | None]:
    found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
    yield None if found == "ok" else "the file: its pages are damaged"
    stray = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    yield None if stray is None else f"the table {stray[0]}: a row names a thread that is not there"


def _texts(connection: Connection) -> Iterator[str | None]:
    asked = select(blobs).order_by(blobs.c.hash).execution_options(yield_per=_AT_ONCE)
    for row in connection.execute(asked):
        try:
            same = hashlib.sha256(zlib.decompress(row.body)).hexdigest() == row.hash
        except _BROKEN:
            same = False
        yield None if same else f"the large text {row.hash}: it is not what was written"


def _threads(connection: Connection) -> Iterator[str | None]:
    asked = select(threads).order_by(threads.c.id).execution_options(yield_per=_AT_ONCE)
    for row in connection.execute(asked):
        same = hash_thread(row.id, row.workflow, row.title, row.at) == row.hash
        yield None if same else f"thread {row.id}: its workflow, title or time was altered"


def _entries(connection: Connection) -> Iterator[str | None]:
    asked = select(entries).order_by(entries.c.thread, entries.c.seq)
    rows = connection.execute(asked.execution_options(yield_per=_AT_ONCE))
    for thread, own in groupby(rows, key=lambda row: row.thread):
        seq, before, position = 0, "", 0
        for row in own:
            name = f"thread {thread}, entry {seq + 1}"
            if row.seq != seq + 1:
                yield f"{name}: it is missing"
            elif row.before != before or row.position <= position:
                yield f"{name}: it does not follow the entry before it"
            else:
                yield None if _is_entry(connection, row) else f"{name}: it is not what was written"
            seq, before, position = row.seq, row.hash, row.position


def _is_entry(connection: Connection, row: Row[*tuple[object, ...]]) -> bool:
    try:
        stored = json.loads(row.body)
        body = unfold_texts(stored, read_large_texts(connection, list_folded_hashes(stored)))
        if not isinstance(body, dict) or encode_canonical(fold_texts(body, {})) != row.body:
            return False
        return hash_thread_entry(make_thread_entry(row, body)) == str(row.hash)
    except _BROKEN:
        return False


def _records(connection: Connection) -> Iterator[str | None]:
    asked = select(records).order_by(records.c.kind, records.c.id, records.c.version)
    rows = connection.execute(asked.execution_options(yield_per=_AT_ONCE))
    for (kind, own_id), own in groupby(rows, key=lambda row: (row.kind, row.id)):
        before = ""
        for version, row in enumerate(own, 1):
            name = f"{kind} {own_id}, version {version}"
            same = _is_record(connection, row, version, before)
            yield None if same else f"{name}: it is not what was written"
            yield from _check_bytes(connection, row, name)
            before = row.hash


def _is_record(
    connection: Connection, row: Row[*tuple[object, ...]], version: int, before: str
) -> bool:
    try:
        if row.version != version or row.before != before:
            return False
        stored = json.loads(row.body)
        body = unfold_texts(stored, read_large_texts(connection, list_folded_hashes(stored)))
        # Schema 0001 put no large texts of records aside.
        spellings = (
            encode_canonical(fold_texts(body, {})),
            encode_canonical(fold_texts(body, None)),
        )
        if not isinstance(body, dict) or row.body not in spellings:
            return False
        return hash_record_version(before, make_record_version(row, body)) == str(row.hash)
    except _BROKEN:
        return False


def _check_bytes(
    connection: Connection, row: Row[*tuple[object, ...]], name: str
) -> Iterator[str | None]:
    if may_mention_kept_bytes(row.body):
        named = find_hashes(json.loads(row.body))
        missing = named - find_present_large_values(connection, named)
        yield f"{name}: what is kept under {min(missing)} is missing" if missing else None


def _references(connection: Connection) -> Iterator[str | None]:
    for row in connection.execute(select(refs).order_by(refs.c.thread)):
        try:
            body = json.loads(row.body)
            same = (
                encode_canonical(body) == row.body
                and hash_model_reference(row.thread, body) == row.hash
            )
        except _BROKEN:
            same = False
        yield None if same else f"the reference of thread {row.thread}: it is not what was written"


def _missing(connection: Connection) -> Iterator[str | None]:
    """A whole thread, or the end of one, may be gone: then positions are missing."""
    positions = union(select(entries.c.position), select(records.c.position)).subquery()
    there = connection.execute(select(func.count(), func.max(positions.c.position))).one()
    row = connection.execute(select(meta.c.purged)).first()
    same = (
        row is not None
        and there[0] == count_taken_positions(connection) - row.purged
        and (there[1] or 0) <= get_newest_possible_position(connection)
    )
    yield None if same else "the whole: entries or records that were counted are missing"
