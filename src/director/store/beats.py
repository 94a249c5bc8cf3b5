"""The heartbeats of workers: who says it is alive, and how long ago, by the database's own clock.

A heartbeat is not history: it is overwritten, and a worker that leaves takes its own away.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Double, delete, insert, literal_column, select
from sqlalchemy import update as change

from director.store.connect import Database
from director.store.schema import workers
from director.store.trouble import kindly

_NOW = {
    "sqlite": "(julianday('now') - 2440587.5) * 86400.0",
    "postgresql": "extract(epoch FROM clock_timestamp())",
}


@dataclass(frozen=True, slots=True)
class Beat:
    """A worker's last sign of life: where it runs, and how many seconds ago it was given."""

    worker: str
    host: str
    pid: int
    age: float


def beat(database: Database, worker: str, host: str, pid: int) -> None:
    """Say that a worker is alive."""
    with kindly(database.place), database.locked() as connection:
        own = workers.c.name == worker
        values = {"host": host, "pid": pid, "at": _now(connection)}
        if connection.execute(change(workers).where(own).values(values)).rowcount == 0:
            connection.execute(insert(workers).values(name=worker, **values))


def beats(database: Database) -> list[Beat]:
    """Every worker that has not left, by name."""
    with database.reading() as connection:
        age = (_now(connection) - workers.c.at).label("age")
        asked = select(workers.c.name, workers.c.host, workers.c.pid, age).order_by(workers.c.name)
        return [
            Beat(row.name, row.host, row.pid, float(row.age)) for row in connection.execute(asked)
        ]


def give_up(database: Database, worker: str) -> None:
    """Say that a worker stopped in the middle: whoever looks next may take over at once."""
    with kindly(database.place), database.locked() as connection:
        connection.execute(change(workers).where(workers.c.name == worker).values(at=0))


def leave(database: Database, worker: str) -> None:
    """Take a worker off the list: it ended with nothing to do, or its runs were taken over."""
    with kindly(database.place), database.locked() as connection:
        connection.execute(delete(workers).where(workers.c.name == worker))


def _now(connection: Connection) -> ColumnElement[float]:
    return literal_column(_NOW[connection.dialect.name], Double)
