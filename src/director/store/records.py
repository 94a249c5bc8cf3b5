"""Versioned records, such as plans: every version stays readable.

A version is one more row; this module must never alter or delete one.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence

from sqlalchemy import Connection, Row, and_, func, insert, select

from director.store.aside import check_kept, put_aside, put_back
from director.store.canonical import check_name, digest
from director.store.positions import Writing, get_settled
from director.store.schema import records
from director.store.values import Json, RecordDraft, StoreError, VersionConflict, Versioned


def put_all(
    writing: Writing, drafts: Sequence[RecordDraft], unchanged: Sequence[Versioned] = ()
) -> tuple[Versioned, ...]:
    """Write the next version of each record, if all are still at the versions the caller saw."""
    connection = writing.connection
    for seen in unchanged:
        held = RecordDraft(seen.kind, seen.id, seen.body, expect=seen.version)
        _check_version(held, _end(connection, seen.kind, seen.id)[0])
    check_kept(connection, (draft.body for draft in drafts))
    stored = put_aside(connection, (draft.body for draft in drafts))
    ends: dict[tuple[str, str], tuple[int, str]] = {}
    rows: list[dict[str, object]] = []
    written: list[Versioned] = []
    for place, (draft, body) in enumerate(zip(drafts, stored, strict=True), 1):
        for text in (draft.kind, draft.id, draft.reason):
            check_name(text)
        record = draft.kind, draft.id
        version, before = ends.get(record) or _end(connection, *record)
        _check_version(draft, version)
        next_one = Versioned(
            *record, version + 1, draft.body, draft.reason, writing.at, writing.taken + place
        )
        ends[record] = next_one.version, record_hash(before, next_one)
        rows.append(row_of(next_one, body, before))
        written.append(next_one)
    if rows:
        connection.execute(insert(records), rows)
    return tuple(written)


def row_of(record: Versioned, body: str, before: str) -> dict[str, object]:
    """The row of a version, with its body as it is stored."""
    return {
        "position": record.position,
        "kind": record.kind,
        "id": record.id,
        "version": record.version,
        "body": body,
        "reason": record.reason,
        "at": record.at,
        "hash": record_hash(before, record),
        "before": before,
    }


def record_hash(before: str, record: Versioned) -> str:
    """The hash of a version, which covers the hash of the version before it."""
    named = [before, record.kind, record.id, record.version, record.body, record.reason, record.at]
    return digest(named)


def get(connection: Connection, kind: str, name: str, version: int | None) -> Versioned | None:
    """A version of a record, the newest if none is named."""
    row = _row(connection, kind, name, version)
    return records_of(connection, [row])[0] if row else None


def versions(
    connection: Connection, kind: str, name: str, *, after: int = 0, upto: int | None = None
) -> list[Versioned]:
    """The versions of a record after one and up to another, the oldest first."""
    asked = (
        select(records)
        .where(records.c.kind == kind, records.c.id == name, records.c.version > after)
        .order_by(records.c.version)
    )
    if upto is not None:
        asked = asked.where(records.c.version <= upto)
    return records_of(connection, connection.execute(asked).all())


def newest(connection: Connection, kind: str, prefix: str) -> list[Versioned]:
    """The newest version of each record of a kind whose id starts with the prefix, by id."""
    # In the order of the characters' numbers, on whatever server: so a prefix is a range.
    name = records.c.id if connection.dialect.name == "sqlite" else records.c.id.collate("C")
    # Of older versions nothing is read but their places in the index.
    last = select(records.c.id, func.max(records.c.version).label("version")).where(
        records.c.kind == kind, name >= prefix
    )
    if end := _after(prefix):
        last = last.where(name < end)
    found = last.group_by(records.c.id).subquery()
    asked = select(records).join(
        found,
        and_(
            records.c.kind == kind,
            records.c.id == found.c.id,
            records.c.version == found.c.version,
        ),
    )
    return records_of(connection, connection.execute(asked.order_by(name)).all())


def newest_after(connection: Connection, kind: str, position: int) -> list[Versioned]:
    """The newest version of each record of a kind that was written after a position, in order.

    Whoever goes on from the last of them misses nothing: what is not settled comes later.
    """
    asked = (
        select(records)
        .where(records.c.kind == kind, records.c.position > position)
        .where(records.c.position <= get_settled(connection))
        .order_by(records.c.position)
    )
    last = {row.id: row for row in connection.execute(asked)}
    rows = sorted(last.values(), key=lambda row: row.position)
    return records_of(connection, rows)


def _after(prefix: str) -> str:
    """The first text behind all that start with the prefix; empty if there is none."""
    head = prefix.rstrip("\U0010ffff")
    if not head:
        return ""
    # What comes after U+D7FF is half a character and no text: U+E000 is the next.
    return head[:-1] + chr({0xD7FF: 0xE000}.get(ord(head[-1]), ord(head[-1]) + 1))


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


def records_of(connection: Connection, rows: Sequence[Row[*tuple[object, ...]]]) -> list[Versioned]:
    """The versions that some rows hold, with their large texts put back."""
    bodies = bodies_of(connection, rows)
    return [record_of(row, body) for row, body in zip(rows, bodies, strict=True)]


def bodies_of(connection: Connection, rows: Sequence[Row[*tuple[object, ...]]]) -> list[Json]:
    """The bodies of some rows, with their large texts put back."""
    return put_back(
        connection, rows, lambda row: f"version {row.version} of the {row.kind} {row.id}"
    )


def record_of(row: Row[*tuple[object, ...]], body: Json) -> Versioned:
    """The version that a row holds, with the body that was read from it."""
    return Versioned(row.kind, row.id, row.version, body, row.reason, row.at, row.position)


def _check_version(draft: RecordDraft, version: int) -> None:
    if draft.expect is not None and draft.expect != version:
        raise VersionConflict(
            f"The {draft.kind} {draft.id} is at version {version} and not at {draft.expect}: it "
            "has changed since it was looked at. Nothing was written. Look again and decide again."
        )


def _end(connection: Connection, kind: str, name: str) -> tuple[int, str]:
    row = _row(connection, kind, name, None)
    return (row.version, row.hash) if row else (0, "")


def _lines(record: Versioned) -> list[str]:
    return json.dumps(record.body, sort_keys=True, indent=2, ensure_ascii=False).splitlines()


def _row(
    connection: Connection, kind: str, name: str, version: int | None
) -> Row[*tuple[object, ...]] | None:
    asked = select(records).where(records.c.kind == kind, records.c.id == name)
    if version is not None:
        asked = asked.where(records.c.version == version)
    return connection.execute(asked.order_by(records.c.version.desc()).limit(1)).first()
