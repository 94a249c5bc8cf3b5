"""The queue of runs: which database it is in, and how a run is put into it.

The store is the truth about a run; the queue, kept by DBOS, only says who is to execute it. So a
run may be queued twice without harm: its steps are fenced by the store. Only the public interface
of DBOS is used, here and in the reconciler.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dbos import DBOS, DBOSClient, EnqueueOptions
from sqlalchemy import Dialect, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from director.home import make_file_private
from director.store.database import set_connect_limits
from director.store.file_lock import lock_file

QUEUE = "director-runs"
APPLICATION = "director"
TASK = "director.run"
# Runs outlive releases: what is in the queue is only the id of a run.
VERSION = "1"
_SQLITE = "sqlite:///"
_CONNECTIONS = 1  # of one worker to its queue: DBOS never needs a second while it has one
_PAUSE = 0.5  # seconds between two attempts to reach a server that is away


def make_queue_url(store_url: str) -> str:
    """Where the queue of a store is: a file beside its file, or the same PostgreSQL database."""
    if not store_url.startswith("sqlite"):
        return store_url
    stem = store_url.removesuffix(".db")
    return f"{stem}-queue.db"


def make_queue_private(url: str) -> None:
    """Let only its owner read the file of a queue, if it is one."""
    if url.startswith(_SQLITE):
        with contextlib.suppress(OSError):
            make_file_private(Path(url.removeprefix(_SQLITE)))


def quiet_queue_log() -> None:
    """Let DBOS speak only of what is wrong."""
    log = logging.getLogger("dbos")
    log.setLevel(logging.ERROR)
    # What an earlier worker of this program wrote to may be closed by now.
    log.handlers.clear()


def migrate_queue(url: str) -> None:
    """Make or update the tables of a queue; programs that start at once wait for one another."""
    quiet_queue_log()
    make_queue_private(url)
    with _migration_lock(url):
        DBOS.migrate(url)


@contextmanager
def _migration_lock(url: str) -> Iterator[None]:
    # On a server DBOS takes a lock itself; on SQLite it takes none.
    if not url.startswith(_SQLITE):
        yield
        return
    with lock_file(Path(f"{url.removeprefix(_SQLITE)}.lock")):
        yield


def make_queue_engine(url: str, stopped: threading.Event) -> Engine | None:
    """The connections of a worker to its queue on a server; on SQLite DBOS makes its own.

    While the server is away a new connection waits for it, until `stopped`: DBOS would wait
    longer after each failure and be late by a minute when the server is back.
    """
    if url.startswith("sqlite"):
        return None
    address = make_url(url).set(drivername="postgresql+psycopg")
    engine = create_engine(
        address,
        pool_size=_CONNECTIONS,
        max_overflow=0,
        pool_timeout=3600,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args=set_connect_limits(address),
    )

    def wait_for_server(
        dialect: Dialect, _entry: ConnectionPoolEntry, args: list[Any], given: dict[str, Any]
    ) -> DBAPIConnection:
        while True:
            try:
                return dialect.connect(*args, **given)
            except dialect.loaded_dbapi.OperationalError:
                if stopped.wait(_PAUSE):
                    raise

    event.listen(engine, "do_connect", wait_for_server)
    return engine


def make_queue_options(run: str, *, site: str, id_: str = "") -> EnqueueOptions:
    """How a run is put into the queue; runs of one site wait for one another."""
    return {
        "queue_name": QUEUE,
        "workflow_name": TASK,
        "workflow_id": id_ or make_queue_row_id(run),
        "app_version": VERSION,
        "queue_partition_key": site or run,
    }


def make_queue_row_id(run: str) -> str:
    """A new id for a row of the queue that names a run."""
    return f"{run}#{uuid.uuid4().hex[:8]}"


class Queue:
    """Puts runs into the queue; whatever worker is free takes them."""

    def __init__(self, url: str) -> None:
        migrate_queue(url)
        self._client = DBOSClient(system_database_url=url, application_name=APPLICATION)

    def submit(self, run: str, *, site: str = "") -> None:
        """Let a worker execute a run; runs of one site wait for one another."""
        self._client.enqueue(make_queue_options(run, site=site), run)

    def close(self) -> None:
        """Close the connections."""
        self._client.destroy()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
