"""Engines, their settings, the two kinds of transaction, and what a database complains about.

Every writing transaction first takes its positions, which orders it among the others: on a file all
writers form a queue, on PostgreSQL those that write to the same threads or records do.
A body must never reach a message or a log: parameters are hidden, causes are not chained.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry

from director.home import make_file_private
from director.store.positions import Name, Writing, ensure_position_order, take_positions
from director.store.values import StoreAway, StoreError

# Seconds until a connection must stand, milliseconds until what was sent must be acknowledged: a
# server that was cut off must not hold a program for as long as the system's own limits would.
_LIMITS = {"connect_timeout": 10, "tcp_user_timeout": 20_000}
_IDLE = 5  # connections to a server that are kept open when nobody needs them
_ORDERED = "director_ordered"  # a connection that was seen to write behind all that is there
_BEGIN = "director_begin"  # the option that says how a transaction on SQLite begins


@dataclass(slots=True)
class Database:
    """One database, its clock, and a bell that rings in this process after each commit."""

    engine: Engine
    url: str
    now: Callable[[], float]
    rung: int = 0
    bell: threading.Condition = field(default_factory=threading.Condition)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_sqlite(self) -> bool:
        """Whether this is a file and not a server."""
        return self.engine.dialect.name == "sqlite"

    @property
    def place(self) -> str:
        """Where the database is, in words that hide its password."""
        return self.engine.url.render_as_string(hide_password=True)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one moment of the database."""
        with translate_database_errors(self.place), self.engine.connect() as connection:
            if not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def lock(self) -> Iterator[Connection]:
        """A transaction that may write; on SQLite no other program writes meanwhile."""
        with translate_database_errors(self.place), self.engine.connect() as connection:
            connection.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
            with connection.begin():
                yield connection

    @contextmanager
    def bare(self) -> Iterator[Connection]:
        """A connection without a transaction, for what no transaction may do."""
        with translate_database_errors(self.place), self.engine.connect() as connection:
            if self.is_sqlite:
                connection.execution_options(**{_BEGIN: ""})
            else:
                connection.execution_options(isolation_level="AUTOCOMMIT")
            yield connection

    @contextmanager
    def writing(self, positions: int = 0, names: Iterable[Name] | None = None) -> Iterator[Writing]:
        """A transaction that takes so many positions; all of it is kept, or nothing.

        `names` is what it writes to, as far as another writer must not meanwhile; without them
        nobody else writes at all. On a file nobody else does anyway.
        """
        turn = self._turn if self.is_sqlite else nullcontext()
        with turn, translate_database_errors(self.place), self.engine.connect() as connection:
            self._see_order(connection)
            connection.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
            with connection.begin():
                taken = take_positions(connection, positions, names)
                yield Writing(connection, taken, self.now())
            if not self.is_sqlite:
                _tell(connection)
        with self.bell:
            self.rung += 1
            self.bell.notify_all()

    def _see_order(self, connection: Connection) -> None:
        """Once for each connection to a server: another one may answer at the same address."""
        if not self.is_sqlite and _ORDERED not in connection.info:
            with connection.begin():
                ensure_position_order(connection)
            connection.info[_ORDERED] = True


def connect_database(
    where: str | Path, now: Callable[[], float], patience: float, connections: int = 15
) -> Database:
    """An engine for a path or a URL, with the settings that make a commit durable.

    `patience` is how many seconds a writer waits for its turn.
    """
    url = _url(where)
    if url.get_backend_name() == "sqlite":
        # What SQLite makes beside the file (the log, the shared memory) has the file's mode.
        _keep_private(url)
        engine = create_engine(url, hide_parameters=True)
        set_up = partial(_set_up_sqlite, milliseconds=round(patience * 1000))
        event.listen(engine, "begin", _begin_sqlite)
    else:
        # A connection that broke while it was idle is replaced before it is used.
        engine = create_engine(
            url,
            hide_parameters=True,
            isolation_level="READ COMMITTED",
            pool_pre_ping=True,
            pool_size=min(_IDLE, connections),
            max_overflow=max(0, connections - _IDLE),
            connect_args=set_connect_limits(url),
        )
        set_up = partial(_set_up_postgresql, milliseconds=round(patience * 1000))
    event.listen(engine, "connect", set_up)
    return Database(engine, url.render_as_string(hide_password=False), now)


def _tell(connection: Connection) -> None:
    """Wake whoever listens, in a transaction of its own.

    The server lets only one transaction at a time commit that notifies: were it the one that has
    to wait for the disk, all others would wait with it. Who is not woken looks soon by itself.
    """
    with contextlib.suppress(SQLAlchemyError):
        connection.execution_options(isolation_level="AUTOCOMMIT")
        connection.exec_driver_sql("NOTIFY director")


def set_connect_limits(url: URL) -> dict[str, int]:
    """How long the driver waits for a server that does not answer, unless the address says so."""
    return {name: value for name, value in _LIMITS.items() if name not in url.query}


def _url(where: str | Path) -> URL:
    if isinstance(where, Path) or "://" not in where:
        url = URL.create("sqlite", database=str(where))
    else:
        try:
            url = make_url(where)
        except ArgumentError:
            raise StoreError(f"This is not the address of a database. {_ADDRESSES}") from None
    backend = url.get_backend_name()
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise StoreError(f"Director does not know databases of the kind {backend}. {_ADDRESSES}")
    if url.database in (None, "", ":memory:"):
        raise StoreError(f"A store needs a file, so that nothing is lost. {_ADDRESSES}")
    return url


def _keep_private(url: URL) -> None:
    """Let only its owner read the file, made or found; where that cannot be, the rest says why."""
    file = str(url.database)
    if url.query or file.startswith("file:"):
        return
    with contextlib.suppress(OSError):
        make_file_private(Path(file))


_ADDRESSES = (
    "Nothing was opened. Give the path of a file, sqlite:///path, or "
    "postgresql://user@host/database."
)


def _set_up_sqlite(
    connection: DBAPIConnection, _entry: ConnectionPoolEntry, *, milliseconds: int
) -> None:
    # The driver must not begin transactions by itself: _begin_sqlite says which kind.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")
    _use_wal(cursor)
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _set_up_postgresql(
    connection: DBAPIConnection, _entry: ConnectionPoolEntry, *, milliseconds: int
) -> None:
    cursor = connection.cursor()
    cursor.execute(f"SET lock_timeout = {milliseconds}")
    # A machine that died while it wrote must not keep the others waiting for hours.
    for name, value in (("idle", 30), ("interval", 10), ("count", 3)):
        cursor.execute(f"SET tcp_keepalives_{name} = {value}")
    cursor.close()
    connection.commit()


def _use_wal(cursor: DBAPICursor) -> None:
    # Two programs that open a new file at once: SQLite does not wait here, so we do.
    for pause in (0.01, 0.05, 0.1, 0.5, 1, 2):
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            time.sleep(pause)
        else:
            return
    cursor.execute("PRAGMA journal_mode = WAL")


def _begin_sqlite(connection: Connection) -> None:
    statement = connection.get_execution_options().get(_BEGIN, "BEGIN")
    if statement:
        connection.exec_driver_sql(statement)


_KEPT = "Nothing of this request was written; all that was acknowledged before is kept."


_UNSURE = (
    "If it broke off while a request was being committed, that request was written whole or not at "
    "all; all that was acknowledged before is kept."
)


_LOCKED = (
    "Another program is writing to it and did not finish in time",
    ("Try again; if it stays so, see which other program has it open."),
)


_FULL = "The disk is full", "Free some space and try again."


_READ_ONLY = (
    "It cannot be written to",
    ("Check the permissions of the file and of its folder, or of the user of the database."),
)


_UNREACHABLE = (
    "It cannot be opened",
    ("Check the address, that the folder or server exists, and that you may use it."),
)


_CUT_OFF = (
    "The connection broke off",
    ("See that the server runs, then look at the end of the thread before you try again."),
)


_DAMAGED = (
    "It is damaged, or it is not a database of Director",
    ("Keep the file as it is, copy it, and run `director verify` on the copy or open a backup."),
)


_NO_NAME = "A name holds half a character", "Leave it out."


_BROKEN_DISK = (
    "The disk failed to read or write",
    ("Check the disk, copy the database to another one, and run `director verify` there."),
)


_GUARDED = (
    "What is written in a store cannot be altered or deleted",
    ("Append instead, or use `director purge` to remove a whole thread."),
)


# What SQLite says, in the words of its own error messages.
_SQLITE = (
    ("database is locked", _LOCKED),
    ("database table is locked", _LOCKED),
    ("database or disk is full", _FULL),
    ("attempt to write a readonly database", _READ_ONLY),
    ("unable to open database file", _UNREACHABLE),
    ("file is not a database", _DAMAGED),
    ("malformed", _DAMAGED),
    ("no such table", _DAMAGED),
    ("disk I/O error", _BROKEN_DISK),
    ("append-only", _GUARDED),
)


# What PostgreSQL says, by the first characters of its SQLSTATE.
_POSTGRESQL = (
    ("53100", _FULL),
    ("25006", _READ_ONLY),
    ("25P03", _CUT_OFF),
    ("42501", _READ_ONLY),
    ("55P03", _LOCKED),
    ("40", _LOCKED),
    ("P0001", _GUARDED),
    ("58", _BROKEN_DISK),
    ("XX", _DAMAGED),
    ("42P01", _DAMAGED),
    ("08", _CUT_OFF),
    ("28", _UNREACHABLE),
    ("3D", _UNREACHABLE),
    ("53", _UNREACHABLE),
    ("57", _CUT_OFF),
)


# What the driver says of a server that is not there for a while: a connection has no SQLSTATE yet.
_AWAY = (
    *("connection refused", "timeout expired", "timed out", "closed the connection"),
    *("starting up", "shutting down", "recovery mode", "no route to host", "unreachable"),
)


@contextmanager
def translate_database_errors(place: str) -> Iterator[None]:
    """Turn what a database complains about into a StoreError."""
    try:
        yield
    except PoolTimeout:
        raise StoreError(_sentence(place, *_LOCKED)) from None
    except UnicodeDecodeError:
        # SQLite quotes a damaged page in its complaint, and the driver cannot read that.
        raise StoreError(_sentence(place, *_DAMAGED)) from None
    except UnicodeEncodeError:
        raise StoreError(_sentence(place, *_NO_NAME)) from None
    except DBAPIError as error:
        kind = StoreAway if _is_away(error) else StoreError
        raise kind(_sentence(place, *_explain(error))) from None
    except SQLAlchemyError as error:
        raise StoreError(_sentence(place, *_unknown(error))) from None


def make_database_cut_error(place: str) -> StoreAway:
    """The error that says that a connection broke off."""
    return StoreAway(_sentence(place, *_CUT_OFF))


def _explain(error: DBAPIError) -> tuple[str, str]:
    code = getattr(error.orig, "sqlstate", None)
    if isinstance(code, str):
        return next(
            (said for start, said in _POSTGRESQL if code.startswith(start)), _unknown(error)
        )
    if type(error.orig).__module__.startswith("psycopg"):
        return _CUT_OFF if error.connection_invalidated else _UNREACHABLE
    words = str(error.orig)
    return next((said for part, said in _SQLITE if part in words), _unknown(error))


def _is_away(error: DBAPIError) -> bool:
    words = str(error.orig).lower()
    is_server = type(error.orig).__module__.startswith("psycopg")
    return is_server and any(each in words for each in _AWAY)


def _unknown(error: SQLAlchemyError) -> tuple[str, str]:
    cause = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorname", None)
    name = f"{type(cause).__name__} {code}" if code else type(cause).__name__
    return f"The database refused ({name})", "Run `director doctor` to see what is wrong."


def _sentence(place: str, happened: str, advice: str) -> str:
    kept = _UNSURE if happened in (_CUT_OFF[0], _BROKEN_DISK[0]) else _KEPT
    return f"{happened}: {place}. {kept} {advice}"


class StoredData:
    """What is kept in a database; each kind of it is a part of the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def database(self) -> Database:
        """What it reads and writes, for what else reads it in this package."""
        return self._database
