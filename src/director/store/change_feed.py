"""What was committed, in the order of the whole store, and a way to follow it live.

Nothing appears behind a position that was told, so whoever remembers one can go on from it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from types import TracebackType
from typing import Protocol, Self

from sqlalchemy import Connection, bindparam, select

from director.store.database import Database, make_database_cut_error, translate_database_errors
from director.store.positions import get_settled_position
from director.store.schema import entries, records
from director.store.thread_log import load_thread_entries
from director.store.values import Change
from director.store.versioned_records import load_record_versions

_AT_ONCE = 200
_BETWEEN = {
    table: select(table)
    .where(table.c.position > bindparam("after"), table.c.position <= bindparam("upto"))
    .order_by(table.c.position)
    .limit(bindparam("most"))
    for table in (entries, records)
}
_POLL = 0.05  # seconds between two looks at a file that another program may write
_LISTEN = 0.5  # seconds until a listener looks whether it was closed


def read_change_feed(connection: Connection, after: int, limit: int) -> list[Change]:
    """Entries and records after a position, merged in order, as far as they are settled."""
    given = {"after": after, "upto": get_settled_position(connection), "most": limit}
    rows = {table: connection.execute(asked, given).all() for table, asked in _BETWEEN.items()}
    found = [
        *(
            Change(entry.position, entry)
            for entry in load_thread_entries(connection, rows[entries])
        ),
        *(
            Change(record.position, record)
            for record in load_record_versions(connection, rows[records])
        ),
    ]
    return sorted(found, key=lambda change: change.position)[:limit]


class _Bell(Protocol):
    def wait(self, seconds: float) -> bool: ...
    def close(self) -> None: ...


class Subscription:
    """The changes after a position, one by one, waiting for those that are to come."""

    def __init__(self, database: Database, after: int | None) -> None:
        self._database = database
        self._ready: deque[Change] = deque()
        self._closed = self._silent = False
        self._using = threading.Lock()
        # The bell comes first: what is committed while we look is then heard.
        self._bell: _Bell = _FileBell(database) if database.is_sqlite else _ServerBell(database)
        self.position = self._newest() if after is None else after

    def next(self, timeout: float | None = None) -> Change | None:
        """The next change, or None when the seconds are over or the subscription is closed."""
        deadline = float("inf") if timeout is None else time.monotonic() + timeout
        heard = True
        while not self._closed:
            if heard and (change := self._take()) is not None:
                return change
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            heard = self._wait(left)
        return None

    def close(self) -> None:
        """Stop; whoever waits gets None soon. Closing twice is harmless."""
        self._closed = True
        with self._database.bell:
            self._database.bell.notify_all()
        with self._using:
            if not self._silent:
                self._bell.close()
            self._silent = True

    def _wait(self, seconds: float) -> bool:
        with self._using:
            return not self._silent and self._bell.wait(seconds)

    def _take(self) -> Change | None:
        if not self._ready:
            with self._database.reading() as connection:
                self._ready.extend(read_change_feed(connection, self.position, _AT_ONCE))
        if not self._ready:
            return None
        change = self._ready.popleft()
        self.position = change.position
        return change

    def _newest(self) -> int:
        with self._database.reading() as connection:
            return get_settled_position(connection)

    def __iter__(self) -> Iterator[Change]:
        while (change := self.next()) is not None:
            yield change

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _FileBell:
    """Rings at once for commits of this process, and soon for those of other programs."""

    def __init__(self, database: Database) -> None:
        self._database = database
        with translate_database_errors(database.place):
            self._connection = database.engine.raw_connection()
        self._rung = database.rung
        self._version = self._look()

    def wait(self, seconds: float) -> bool:
        bell, seen = self._database.bell, self._rung
        with bell:
            bell.wait_for(lambda: self._database.rung != seen, min(seconds, _POLL))
            self._rung = self._database.rung
        version, self._version = self._version, self._look()
        return self._rung != seen or self._version != version

    def close(self) -> None:
        self._connection.close()

    def _look(self) -> int:
        # SQLite changes this number for a connection when another connection has committed.
        cursor = self._connection.cursor()
        try:
            cursor.execute("PRAGMA data_version")
            return int((cursor.fetchone() or (0,))[0])
        finally:
            cursor.close()


class _ServerBell:
    """Rings when the server says that a position was taken, whoever took it."""

    def __init__(self, database: Database) -> None:
        import psycopg

        self._error = psycopg.Error
        self._place = database.place
        try:
            pooled = database.engine.raw_connection()
            connection = pooled.driver_connection
            assert isinstance(connection, psycopg.Connection)  # noqa: S101
            pooled.detach()
            self._connection = connection
            connection.rollback()
            connection.autocommit = True
            connection.execute("LISTEN director")
        except psycopg.Error:
            # Here the driver itself is asked, and nothing translates its errors.
            raise make_database_cut_error(self._place) from None

    def wait(self, seconds: float) -> bool:
        try:
            list(self._connection.notifies(timeout=min(seconds, _LISTEN), stop_after=1))
        except self._error:
            raise make_database_cut_error(self._place) from None
        return True

    def close(self) -> None:
        self._connection.close()
