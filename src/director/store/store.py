"""The store: threads that only grow and records whose every version stays.

Threads, records, bytes and signs of life stand in a file each, with what is read and written;
this is what a program opens. It must never hold a transaction open.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

from director.store.change_feed import Subscription, read_change_feed
from director.store.heartbeats import StoredHeartbeats
from director.store.integrity import IntegrityReport, verify_integrity
from director.store.large_values import StoredBytes
from director.store.purge import Removal, preview_purge, purge_thread, purge_workflow
from director.store.purge_text import Rewritten, purge_text_everywhere
from director.store.thread_log import StoredThreads
from director.store.values import Change, Json
from director.store.versioned_records import StoredRecords


class Store(StoredThreads, StoredRecords, StoredBytes, StoredHeartbeats):
    """A database of threads and records; threads of the process may share one."""

    @property
    def url(self) -> str:
        """The address that opens this store again. It may hold a password: do not print it."""
        return self._database.url

    @property
    def place(self) -> str:
        """The address, with any password hidden."""
        return self._database.place

    def now(self) -> float:
        """The time that would be written with an entry now."""
        return self._database.now()

    def changes(self, after: int = 0, limit: int = 1000) -> list[Change]:
        """What was committed after a position, in order."""
        with self.database.reading() as connection:
            return read_change_feed(connection, after, limit)

    def subscribe(self, after: int | None = None) -> Subscription:
        """Every change after a position (by default: from now on), as it is committed."""
        return Subscription(self.database, after)

    def purge(self, thread: str) -> int:
        """Remove a thread for good and rewrite the database without it; how many entries went."""
        return purge_thread(self._database, thread)

    def purge_workflow(self, workflow: str) -> Removal:
        """Remove a workflow for good, its threads, runs and records; what went."""
        return purge_workflow(self._database, workflow)

    def purge_text(self, change: Callable[[Json], Json]) -> Rewritten:
        """Rewrite every entry and record that `change` changes, for good; what was changed."""
        return purge_text_everywhere(self._database, change)

    def preview_purge(self, workflow: str) -> Removal:
        """What a purge of this workflow would remove now."""
        with self.database.reading() as connection:
            return preview_purge(connection, workflow)

    def verify(self) -> IntegrityReport:
        """Hash everything again and name the first thing that is not as it was written."""
        return verify_integrity(self.database)

    def close(self) -> None:
        """Close every connection; a subscription must be closed before."""
        self._database.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
