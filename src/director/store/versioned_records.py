"""Versioned records, such as plans: every version stays readable.

A version is one more row; this module must never alter or delete one.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from functools import cache

from sqlalchemy import Connection, Row, Select, and_, bindparam, func, insert, select

from director.store.canonical import check_name, hash_canonical
from director.store.database import StoredData
from director.store.large_values import (
    check_large_values_kept,
    restore_large_values,
    store_large_values,
)
from director.store.positions import Writing, get_settled_position
from director.store.schema import records
from director.store.values import Json, RecordDraft, StoreError, VersionConflict, Versioned

# Statements are built once: building one takes several times as long as running it.
_INSERT = insert(records)
_OWN = records.c.kind == bindparam("kind"), records.c.id == bindparam("name")
_LAST = records.c.version.desc()
_NEWEST = select(records).where(*_OWN).order_by(_LAST).limit(1)
_VERSION = select(records).where(*_OWN, records.c.version == bindparam("version"))
_END = select(records.c.version, records.c.hash).where(*_OWN).order_by(_LAST).limit(1)
_AFTER = (
    select(records).where(*_OWN, records.c.version > bindparam("after")).order_by(records.c.version)
)
_UPTO = _AFTER.where(records.c.version <= bindparam("upto"))
_SINCE = (
    select(records)
    .where(records.c.kind == bindparam("kind"), records.c.position > bindparam("position"))
    .where(records.c.position <= bindparam("settled"))
    .order_by(records.c.position)
)
_IDS = select(records.c.id).where(records.c.kind == bindparam("kind"), records.c.version == 1)


def put_record_versions(
    writing: Writing, drafts: Sequence[RecordDraft], unchanged: Sequence[Versioned] = ()
) -> tuple[Versioned, ...]:
    """Write the next version of each record, if all are still at the versions the caller saw."""
    connection = writing.connection
    for seen in unchanged:
        held = RecordDraft(seen.kind, seen.id, seen.body, expect=seen.version)
        _check_version(held, _end(connection, seen.kind, seen.id)[0])
    check_large_values_kept(connection, (draft.body for draft in drafts))
    stored = store_large_values(connection, (draft.body for draft in drafts))
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
        ends[record] = next_one.version, hash_record_version(before, next_one)
        rows.append(make_record_row(next_one, body, before))
        written.append(next_one)
    if rows:
        connection.execute(_INSERT, rows)
    return tuple(written)


def make_record_row(record: Versioned, body: str, before: str) -> dict[str, object]:
    """The row of a version, with its body as it is stored."""
    return {
        "position": record.position,
        "kind": record.kind,
        "id": record.id,
        "version": record.version,
        "body": body,
        "reason": record.reason,
        "at": record.at,
        "hash": hash_record_version(before, record),
        "before": before,
    }


def hash_record_version(before: str, record: Versioned) -> str:
    """The hash of a version, which covers the hash of the version before it."""
    named = [before, record.kind, record.id, record.version, record.body, record.reason, record.at]
    return hash_canonical(named)


def get_record_version(
    connection: Connection, kind: str, name: str, version: int | None
) -> Versioned | None:
    """A version of a record, the newest if none is named."""
    given = {"kind": kind, "name": name, "version": version}
    row = connection.execute(_NEWEST if version is None else _VERSION, given).first()
    return load_record_versions(connection, [row])[0] if row else None


@cache
def _build_newest(dialect: str, *, has_end: bool) -> Select[*tuple[object, ...]]:
    # In the order of the characters' numbers, on whatever server: so a prefix is a range.
    name = records.c.id if dialect == "sqlite" else records.c.id.collate("C")
    # Of older versions nothing is read but their places in the index.
    is_kind = records.c.kind == bindparam("kind")
    last = select(records.c.id, func.max(records.c.version).label("version")).where(
        is_kind, name >= bindparam("prefix")
    )
    if has_end:
        last = last.where(name < bindparam("end"))
    found = last.group_by(records.c.id).subquery()
    is_last = and_(is_kind, records.c.id == found.c.id, records.c.version == found.c.version)
    return select(records).join(found, is_last).order_by(name)


def _after(prefix: str) -> str:
    """The first text behind all that start with the prefix; empty if there is none."""
    head = prefix.rstrip("\U0010ffff")
    if not head:
        return ""
    # What comes after U+D7FF is half a character and no text: U+E000 is the next.
    return head[:-1] + chr({0xD7FF: 0xE000}.get(ord(head[-1]), ord(head[-1]) + 1))


def require_record_version(connection: Connection, kind: str, name: str, version: int) -> Versioned:
    """A version that must be there."""
    found = get_record_version(connection, kind, name, version)
    if found is None:
        raise StoreError(
            f"There is no version {version} of the {kind} {name}. Nothing was changed. "
            "Ask for the versions there are."
        )
    return found


def load_record_versions(
    connection: Connection, rows: Sequence[Row[*tuple[object, ...]]]
) -> list[Versioned]:
    """The versions that some rows hold, with their large texts put back."""
    bodies = load_record_bodies(connection, rows)
    return [make_record_version(row, body) for row, body in zip(rows, bodies, strict=True)]


def load_record_bodies(
    connection: Connection, rows: Sequence[Row[*tuple[object, ...]]]
) -> list[Json]:
    """The bodies of some rows, with their large texts put back."""
    return restore_large_values(
        connection, rows, lambda row: f"version {row.version} of the {row.kind} {row.id}"
    )


def make_record_version(row: Row[*tuple[object, ...]], body: Json) -> Versioned:
    """The version that a row holds, with the body that was read from it."""
    return Versioned(row.kind, row.id, row.version, body, row.reason, row.at, row.position)


def _check_version(draft: RecordDraft, version: int) -> None:
    if draft.expect is not None and draft.expect != version:
        raise VersionConflict(
            f"The {draft.kind} {draft.id} is at version {version} and not at {draft.expect}: it "
            "has changed since it was looked at. Nothing was written. Look again and decide again."
        )


def _end(connection: Connection, kind: str, name: str) -> tuple[int, str]:
    row = connection.execute(_END, {"kind": kind, "name": name}).first()
    return (row.version, row.hash) if row else (0, "")


def _lines(record: Versioned) -> list[str]:
    return json.dumps(record.body, sort_keys=True, indent=2, ensure_ascii=False).splitlines()


class StoredRecords(StoredData):
    """The records of a store. Each method is one transaction."""

    def put(
        self,
        kind: str,
        id: str,
        body: Json,
        reason: str = "",
        *,
        expect: int | None = None,
    ) -> Versioned:
        """Write the next version of a record; Moved if `expect` is not its newest version."""
        return self.put_all([RecordDraft(kind, id, body, reason, expect)])[0]

    def put_all(
        self, drafts: Sequence[RecordDraft], *, unchanged: Sequence[Versioned] = ()
    ) -> tuple[Versioned, ...]:
        """Write the next versions of several records, all or none.

        Moved is raised if one of them is not at the version its draft expects, or if one of those
        that must be unchanged has a newer version. A body names bytes that were kept before as
        {"$kept": hash}.
        """
        names = {("record", each.kind, each.id) for each in drafts}
        names |= {("record", each.kind, each.id) for each in unchanged}
        with self._database.writing(len(drafts), names) as writing:
            return put_record_versions(writing, drafts, unchanged)

    def get(self, kind: str, id: str, version: int | None = None) -> Versioned | None:
        """A version of a record, the newest if none is named."""
        with self.database.reading() as connection:
            return get_record_version(connection, kind, id, version)

    def versions(
        self,
        kind: str,
        id: str,
        *,
        after: int = 0,
        upto: int | None = None,
    ) -> list[Versioned]:
        """Every version of a record, or those after one and up to another, the oldest first."""
        with self.database.reading() as connection:
            given = {"kind": kind, "name": id, "after": after, "upto": upto}
            asked = _AFTER if upto is None else _UPTO
            return load_record_versions(connection, connection.execute(asked, given).all())

    def newest(self, kind: str, prefix: str = "") -> list[Versioned]:
        """The newest version of each record of a kind whose id starts so, sorted by id."""
        with self.database.reading() as connection:
            end = _after(prefix)
            asked = _build_newest(connection.dialect.name, has_end=bool(end))
            given = {"kind": kind, "prefix": prefix, "end": end}
            return load_record_versions(connection, connection.execute(asked, given).all())

    def newest_after(self, kind: str, position: int) -> list[Versioned]:
        """The newest version of each record of a kind that was written after a position, in order.

        Whoever goes on from the last of them misses nothing: what is not settled comes later.
        """
        with self.database.reading() as connection:
            settled = get_settled_position(connection)
            given = {"kind": kind, "position": position, "settled": settled}
            last = {row.id: row for row in connection.execute(_SINCE, given)}
            rows = sorted(last.values(), key=lambda row: row.position)
            return load_record_versions(connection, rows)

    def ids(self, kind: str) -> list[str]:
        """The ids of the records of a kind, sorted."""
        with self.database.reading() as connection:
            return sorted(connection.execute(_IDS, {"kind": kind}).scalars())

    def restore_version(self, kind: str, id: str, version: int, reason: str = "") -> Versioned:
        """Write an old version's body as a new version."""
        with self._database.writing(1, [("record", kind, id)]) as writing:
            old = require_record_version(writing.connection, kind, id, version)
            why = reason or f"restored version {version}"
            return put_record_versions(writing, [RecordDraft(kind, id, old.body, why)])[0]

    def diff(self, kind: str, id: str, a: int, b: int) -> list[str]:
        """What changed from version `a` to version `b`, in lines to read."""
        with self.database.reading() as connection:
            old = require_record_version(connection, kind, id, a)
            new = require_record_version(connection, kind, id, b)
        names = f"version {a}", f"version {b}"
        return list(difflib.unified_diff(_lines(old), _lines(new), *names, lineterm=""))
