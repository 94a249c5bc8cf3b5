"""Versioned records, such as plans: every version stays readable.

A version is one more row; this module must never alter or delete one.
"""

from __future__ import annotations

import difflib
import json

from sqlalchemy import Connection, Row, insert, select

from director.store.canonical import canonical, digest
from director.store.connect import Writing
from director.store.schema import records
from director.store.values import Json, Moved, StoreError, Versioned


def put(  # noqa: PLR0913, PLR0917  a record has that many parts
    writing: Writing, kind: str, name: str, body: Json, reason: str, expect: int | None
) -> Versioned:
    """Write the next version of a record, if its newest is still the one the caller saw."""
    newest = _row(writing.connection, kind, name, None)
    version, before = (newest.version, newest.hash) if newest else (0, "")
    if expect is not None and expect != version:
        raise Moved(
            f"The {kind} {name} is at version {version} and not at {expect}: it has changed since "
            "it was looked at. Nothing was written. Look again and decide again."
        )
    written = Versioned(kind, name, version + 1, body, reason, writing.at, writing.taken + 1)
    writing.connection.execute(
        insert(records).values(
            position=written.position,
            kind=kind,
            id=name,
            version=written.version,
            body=canonical(body),
            reason=reason,
            at=written.at,
            hash=record_hash(before, written),
            before=before,
        )
    )
    return written


def record_hash(before: str, record: Versioned) -> str:
    """The hash of a version, which covers the hash of the version before it."""
    named = [before, record.kind, record.id, record.version, record.body, record.reason, record.at]
    return digest(named)


def get(connection: Connection, kind: str, name: str, version: int | None) -> Versioned | None:
    """A version of a record, the newest if none is named."""
    row = _row(connection, kind, name, version)
    return record_of(row) if row else None


def versions(connection: Connection, kind: str, name: str) -> list[Versioned]:
    """Every version of a record, the oldest first."""
    asked = (
        select(records)
        .where(records.c.kind == kind, records.c.id == name)
        .order_by(records.c.version)
    )
    return [record_of(row) for row in connection.execute(asked)]


def ids(connection: Connection, kind: str) -> list[str]:
    """The ids of the records of a kind."""
    asked = select(records.c.id).where(records.c.kind == kind, records.c.version == 1)
    return sorted(connection.execute(asked).scalars())


def existing(connection: Connection, kind: str, name: str, version: int) -> Versioned:
    """A version that must be there."""
    found = get(connection, kind, name, version)
    if found is None:
        raise StoreError(
            f"There is no version {version} of the {kind} {name}. Nothing was changed. "
            "Ask for the versions there are."
        )
    return found


def difference(old: Versioned, new: Versioned) -> list[str]:
    """What changed between two versions, line by line; nothing if they are equal."""
    lines = difflib.unified_diff(
        _lines(old), _lines(new), f"version {old.version}", f"version {new.version}", lineterm=""
    )
    return list(lines)


def record_of(row: Row[*tuple[object, ...]]) -> Versioned:
    """The version that a row holds."""
    body = json.loads(row.body)
    return Versioned(row.kind, row.id, row.version, body, row.reason, row.at, row.position)


def _lines(record: Versioned) -> list[str]:
    return json.dumps(record.body, sort_keys=True, indent=2, ensure_ascii=False).splitlines()


def _row(
    connection: Connection, kind: str, name: str, version: int | None
) -> Row[*tuple[object, ...]] | None:
    asked = select(records).where(records.c.kind == kind, records.c.id == name)
    if version is not None:
        asked = asked.where(records.c.version == version)
    return connection.execute(asked.order_by(records.c.version.desc()).limit(1)).first()
