"""The heartbeats of workers: who says it is alive, how often it said so, and when it last did.

A heartbeat is not history: it is overwritten, and a worker that leaves takes its own away. Whether
a worker lives is decided by its count, which only rises: whoever watches measures by a clock of
its own how long it has not risen. The age is by the database's clock, which may step: it is shown
to people and decides nothing.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, Double, delete, insert, literal_column, select
from sqlalchemy import update as change

from director.store.database import StoredData
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


def _now(connection: Connection) -> ColumnElement[float]:
    return literal_column(_NOW[connection.dialect.name], Double)


_BOOT = Path("/proc/sys/kernel/random/boot_id")


_NAMESPACE = Path("/proc/self/ns/pid")


@functools.cache
def read_machine_id() -> str:
    """The boot and the namespace of process numbers of this program; empty where nobody tells."""
    try:
        return f"{_BOOT.read_text(encoding='ascii').strip()}/{_NAMESPACE.readlink()}"
    except OSError:
        return ""


def has_ended(machine: str, pid: int) -> bool:
    """Whether a process of a machine is known to have ended; false for another machine's."""
    if not machine or machine != read_machine_id() or os.name != "posix":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


class StoredHeartbeats(StoredData):
    """The signs of life in a store. Each method is one transaction."""

    def beat(self, worker: str, *, host: str, pid: int) -> None:
        """Say that a worker is alive."""
        with self._database.lock() as connection:
            own = workers.c.name == worker
            values = {
                "host": host,
                "pid": pid,
                "machine": read_machine_id(),
                "at": _now(connection),
            }
            again = change(workers).where(own).values(beat=workers.c.beat + 1, **values)
            if connection.execute(again).rowcount == 0:
                values |= {"beat": 1, "epoch": get_settled_position(connection)}
                connection.execute(insert(workers).values(name=worker, **values))

    def beats(self) -> list[Beat]:
        """The last sign of life of every worker that has not left."""
        with self.database.reading() as connection:
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

    def leave(self, worker: str) -> None:
        """Take a worker off the list: whatever it held may be taken at once."""
        with self._database.lock() as connection:
            connection.execute(delete(workers).where(workers.c.name == worker))
