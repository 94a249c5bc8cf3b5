"""The heartbeats of workers: who says it is alive, how often it said so, and when it last did.

A heartbeat is not history: it is overwritten, and a worker that leaves takes its own away. Whether
a worker lives is decided by its count, which only rises: whoever watches measures by a clock of
its own how long it has not risen. The age is by the database's clock, which may step: it is shown
to people and decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Double, delete, insert, literal_column, select
from sqlalchemy import update as change

from director.store.connect import Database
from director.store.database_errors import translate_database_errors
from director.store.machine_identity import has_ended, read_machine_id
from director.store.positions import get_settled_position
from director.store.schema import workers

_NOW = {
    "sqlite": "(julianday('now') - 2440587.5) * 86400.0",
    "postgresql": "extract(epoch FROM clock_timestamp())",
}


@dataclass(frozen=True, slots=True)
class Beat:
    """A worker's last sign of life: where it runs, how many it gave, how many seconds ago.

    `epoch` is how far the store was when the worker began: of two, the later has the higher one.
    """

    worker: str
    host: str
    pid: int
    age: float
    count: int = 0
    epoch: int = 0
    machine: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether its program is known to have ended, without waiting for its silence."""
        return has_ended(self.machine, self.pid)


def record_heartbeat(database: Database, worker: str, host: str, pid: int) -> None:
    """Say that a worker is alive."""
    with translate_database_errors(database.place), database.lock() as connection:
        own = workers.c.name == worker
        values = {"host": host, "pid": pid, "machine": read_machine_id(), "at": _now(connection)}
        again = change(workers).where(own).values(beat=workers.c.beat + 1, **values)
        if connection.execute(again).rowcount == 0:
            values |= {"beat": 1, "epoch": get_settled_position(connection)}
            connection.execute(insert(workers).values(name=worker, **values))


def list_heartbeats(database: Database) -> list[Beat]:
    """Every worker that has not left, by name."""
    with database.reading() as connection:
        age = (_now(connection) - workers.c.at).label("age")
        asked = select(
            workers.c.name,
            workers.c.host,
            workers.c.pid,
            age,
            workers.c.beat,
            workers.c.epoch,
            workers.c.machine,
        ).order_by(workers.c.name)
        return [
            Beat(row.name, row.host, row.pid, float(row.age), row.beat, row.epoch, row.machine)
            for row in connection.execute(asked)
        ]


def remove_heartbeat(database: Database, worker: str) -> None:
    """Take a worker off the list: it has ended, and whatever it held may be taken at once."""
    with translate_database_errors(database.place), database.lock() as connection:
        connection.execute(delete(workers).where(workers.c.name == worker))


def _now(connection: Connection) -> ColumnElement[float]:
    return literal_column(_NOW[connection.dialect.name], Double)
