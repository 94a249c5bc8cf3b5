"""Positions: the order of all that is written, on a file and on a server.

On a file one counter is taken by each writer in turn. On PostgreSQL a position is made of the
number of its transaction, which it gets once it holds the locks of what it writes: writers of
different threads and records do not wait for one another, and of two that meet the later has the
higher position. A transaction can become visible after one with a higher number; so whoever goes
on from a position must never read beyond `get_settled`: behind it something may still appear.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlalchemy import Connection, bindparam, func, select, text, update

from director.store.schema import meta, tallies

Name: TypeAlias = tuple[str, ...]
_BITS = 24  # how many positions one transaction has: 16 million
_MOST = 100  # names that are locked one by one; whoever writes more locks the whole store
_STORE = (0x64697265, 1)  # the lock that every writer shares, as the migration spells it
# Statements are built once: building one takes several times as long as running it.
_TAKE = update(meta).values(counter=meta.c.counter + bindparam("count")).returning(meta.c.counter)
_WRITE = text("SELECT director_write(CAST(:names AS bigint[]), :count)")
_EXTENT = select(meta.c.counter, meta.c.base, meta.c.purged)
_SNAPSHOT = text(
    "SELECT pg_snapshot_xmax(now)::text::bigint AS next,"
    " ARRAY(SELECT x::text::bigint FROM pg_snapshot_xip(now) AS x) AS open"
    " FROM pg_current_snapshot() AS now"
)
_OF_OTHERS = text(
    "WITH held AS MATERIALIZED (SELECT * FROM pg_locks WHERE granted AND pid IS NOT NULL)"
    " SELECT x FROM unnest(CAST(:open AS bigint[])) AS x JOIN held AS own"
    " ON own.locktype = 'transactionid' AND own.transactionid::text::bigint = x % 4294967296"
    " WHERE NOT EXISTS (SELECT 1 FROM held WHERE held.pid = own.pid AND locktype = 'advisory'"
    " AND classid = :app AND objid = :store AND objsubid = 2)"
)
_STILL_OPEN = text(
    "SELECT x FROM unnest(CAST(:found AS bigint[])) AS x"
    " WHERE pg_xact_status(x::text::xid8) = 'in progress'"
)


@dataclass(frozen=True, slots=True)
class Writing:
    """An open writing transaction and the last position that was taken before it."""

    connection: Connection
    taken: int
    at: float


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a store is, as one transaction sees it.

    Up to `settled` everything is there that ever will be. What was `purged` is counted.
    """

    settled: int
    purged: int


def take_positions(connection: Connection, count: int, names: Iterable[Name] | None) -> int:
    """Wait for whoever writes the same, take so many positions; the last one before them.

    Without names the whole store is locked.
    """
    if connection.dialect.name == "sqlite":
        return int(connection.execute(_TAKE, {"count": count}).scalar_one()) - count
    keys = None if names is None else _keys(names)
    given = {"names": keys, "count": count}
    return int(connection.execute(_WRITE, given).scalar_one())


def take_more_positions(writing: Writing, count: int) -> None:
    """Take positions after they were used, by a transaction that has locked the whole store."""
    if not count:
        return
    connection = writing.connection
    if connection.dialect.name == "sqlite":
        connection.execute(update(meta).values(counter=writing.taken + count))
        return
    connection.execute(select(func.director_count(count)))
    # What does not fit between two transactions pushes all that come later further back.
    beyond = count >> _BITS << _BITS
    if beyond:
        connection.execute(update(meta).values(base=meta.c.base + beyond))


def ensure_position_order(connection: Connection) -> None:
    """See that what is written next comes after all that is there, wherever it was written.

    The number of transactions begins anew on another server: a dump that was restored there.
    """
    if connection.dialect.name != "sqlite":
        connection.execute(select(func.director_order()))


def get_position_extent(connection: Connection) -> Extent:
    """How far the store is, in the transaction that then reads it."""
    row = connection.execute(_EXTENT).one()
    if connection.dialect.name == "sqlite":
        return Extent(row.counter, row.purged)
    now = connection.execute(_SNAPSHOT).one()
    first = min(_own(connection, now.open), default=now.next) if now.open else now.next
    return Extent(row.base + (int(first) << _BITS), row.purged)


def get_settled_position(connection: Connection) -> int:
    """The position up to which everything is there that ever will be."""
    return get_position_extent(connection).settled


def get_newest_possible_position(connection: Connection) -> int:
    """The highest position that anything can have by now."""
    row = connection.execute(_EXTENT).one()
    if connection.dialect.name == "sqlite":
        return int(row.counter)
    return int(row.base) + (int(connection.execute(_SNAPSHOT).one().next) << _BITS)


def count_taken_positions(connection: Connection) -> int:
    """How many positions were taken in all."""
    counted = select(func.coalesce(func.sum(tallies.c.counter), 0)).scalar_subquery()
    return int(connection.execute(select(meta.c.counter + counted)).scalar_one())


def _own(connection: Connection, open_ones: Sequence[int]) -> list[int]:
    """Those of the open transactions that may write to the store.

    Every writer holds the lock of the store before it has a number, and until it has ended. So
    one that does not hold it, and is open still after we looked, is not ours: whatever else uses
    the server may write for hours.
    """
    app, store = _STORE
    given = {"open": list(open_ones), "app": app, "store": store}
    found = list(connection.execute(_OF_OTHERS, given).scalars())
    if not found:
        return list(open_ones)
    others = {*connection.execute(_STILL_OPEN, {"found": found}).scalars()}
    return [number for number in open_ones if number not in others]


def _keys(names: Iterable[Name]) -> list[int] | None:
    """A number for each name, in the one order in which everybody locks them."""
    found = {_key(name) for name in names}
    return sorted(found) if len(found) <= _MOST else None


def _key(name: Name) -> int:
    spelled = "\0".join(name).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(spelled).digest()[:8], signed=True)
