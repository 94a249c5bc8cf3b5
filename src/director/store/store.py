"""The store: threads that only grow and records whose every version stays.

Each method is one transaction over the functions of this package; it must never hold one open.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from sqlalchemy import Connection

from director.store import (
    change_feed,
    heartbeats,
    integrity,
    large_values,
    model_state,
    purge,
    thread_log,
    versioned_records,
)
from director.store.change_feed import Subscription
from director.store.connect import Database
from director.store.heartbeats import Beat
from director.store.integrity import IntegrityReport
from director.store.purge import Removal
from director.store.purge_text import Rewritten, purge_text_everywhere
from director.store.values import Change, Entry, EntryDraft, Json, RecordDraft, Versioned


class Store:
    """A database of threads and records; threads of the process may share one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def database(self) -> Database:
        """What it reads and writes, for what else reads it in this package."""
        return self._database

    def _reading(self) -> AbstractContextManager[Connection]:
        """A transaction that sees one moment of the store."""
        return self._database.reading()

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

    def append(
        self,
        thread: str,
        drafts: Sequence[EntryDraft],
        *,
        expect: int | None = None,
        reference: Json | None = None,
        clear_reference: bool = False,
    ) -> tuple[Entry, ...]:
        """Write drafts at the end of a thread; when this returns, they are durable.

        `expect` is the head the caller saw: if it is another by now, Moved is raised and nothing
        is written. `reference` replaces the thread's reference in the same transaction.
        """
        with self._database.writing(len(drafts), [("thread", thread)]) as writing:
            written = thread_log.append_thread_entries(writing, thread, drafts, expect)
            if reference is not None or clear_reference:
                model_state.put_model_state(writing, thread, reference)
        return written

    def head(self, thread: str) -> int:
        """The number of the last entry of a thread, or 0."""
        with self._reading() as connection:
            return thread_log.get_thread_head(connection, thread)

    def entries(self, thread: str, after: int = 0, upto: int | None = None) -> list[Entry]:
        """The entries of a thread after one and up to another, as they were given."""
        with self._reading() as connection:
            return thread_log.read_thread_entries(connection, thread, after, upto)

    def last(self, thread: str, kind: str) -> Entry | None:
        """The newest entry of a kind in a thread."""
        with self._reading() as connection:
            return thread_log.find_last_thread_entry(connection, thread, kind)

    def read_visible(self, thread: str) -> list[Entry]:
        """The entries that decide what a model sees, however long the thread is.

        Enough for `project`, `view` and `compress`: the last entry, the compression that is shown,
        restores and deletions, and all from the first visible turn on.
        """
        with self._reading() as connection:
            return thread_log.read_visible_thread_entries(connection, thread)

    seen = read_visible  # its name of one release ago

    def hiding(self, thread: str) -> list[Entry]:
        """Every compression, restore and deletion of a thread: enough for `checkpoints`."""
        with self._reading() as connection:
            return thread_log.read_hiding_thread_entries(connection, thread)

    def open_thread(self, workflow: str = "", title: str = "", thread: str | None = None) -> str:
        """Make a thread, unless there is one of this id, and return its id."""
        made = thread or str(uuid.uuid4())
        with self._database.writing(names=[("thread", made)]) as writing:
            thread_log.make_thread(writing, made, workflow, title)
        return made

    def threads(self, workflow: str | None = None) -> list[str]:
        """The ids of the threads, of one workflow or all, the oldest first."""
        with self._reading() as connection:
            return thread_log.list_thread_ids(connection, workflow)

    def find_workflow(self, thread: str) -> str:
        """The workflow that a thread was made for; empty if for none."""
        with self._reading() as connection:
            return thread_log.find_workflow(connection, thread)

    def reference(self, thread: str) -> Json | None:
        """What the model layer keeps for a thread."""
        with self._reading() as connection:
            return model_state.get_model_state(connection, thread)

    def set_reference(self, thread: str, reference: Json | None) -> None:
        """Replace what the model layer keeps for a thread, or remove it."""
        with self._database.writing(names=[("thread", thread)]) as writing:
            model_state.put_model_state(writing, thread, reference)

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
            return versioned_records.put_record_versions(writing, drafts, unchanged)

    def get(self, kind: str, id: str, version: int | None = None) -> Versioned | None:
        """A version of a record, the newest if none is named."""
        with self._reading() as connection:
            return versioned_records.get_record_version(connection, kind, id, version)

    def versions(
        self,
        kind: str,
        id: str,
        *,
        after: int = 0,
        upto: int | None = None,
    ) -> list[Versioned]:
        """Every version of a record, or those after one and up to another, the oldest first."""
        with self._reading() as connection:
            return versioned_records.list_record_versions(
                connection, kind, id, after=after, upto=upto
            )

    def newest(self, kind: str, prefix: str = "") -> list[Versioned]:
        """The newest version of each record of a kind whose id starts so, sorted by id."""
        with self._reading() as connection:
            return versioned_records.list_newest_record_versions(connection, kind, prefix)

    def newest_after(self, kind: str, position: int) -> list[Versioned]:
        """The newest version of each record of a kind that was written after a position."""
        with self._reading() as connection:
            return versioned_records.list_newest_record_versions_after(connection, kind, position)

    def ids(self, kind: str) -> list[str]:
        """The ids of the records of a kind, sorted."""
        with self._reading() as connection:
            return versioned_records.list_record_ids(connection, kind)

    def restore_version(self, kind: str, id: str, version: int, reason: str = "") -> Versioned:
        """Write an old version's body as a new version."""
        with self._database.writing(1, [("record", kind, id)]) as writing:
            old = versioned_records.require_record_version(writing.connection, kind, id, version)
            why = reason or f"restored version {version}"
            return versioned_records.put_record_versions(
                writing, [RecordDraft(kind, id, old.body, why)]
            )[0]

    def diff(self, kind: str, id: str, a: int, b: int) -> list[str]:
        """What changed from version `a` to version `b`, in lines to read."""
        with self._reading() as connection:
            old = versioned_records.require_record_version(connection, kind, id, a)
            new = versioned_records.require_record_version(connection, kind, id, b)
        return versioned_records.diff_record_versions(old, new)

    def keep(self, content: bytes) -> str:
        """Keep bytes, such as a screenshot, once; the hash that a record names them by."""
        with self._database.writing(names=()) as writing:
            return large_values.keep_large_values(writing.connection, [content])[0]

    def read_kept(self, hash: str) -> bytes:
        """The bytes that were kept under a hash."""
        with self._reading() as connection:
            return large_values.read_large_bytes(connection, hash)

    kept = read_kept  # its name of one release ago

    def changes(self, after: int = 0, limit: int = 1000) -> list[Change]:
        """What was committed after a position, in order."""
        with self._reading() as connection:
            return change_feed.read_change_feed(connection, after, limit)

    def subscribe(self, after: int | None = None) -> Subscription:
        """Every change after a position (by default: from now on), as it is committed."""
        return Subscription(self.database, after)

    def beat(self, worker: str, *, host: str, pid: int) -> None:
        """Say that a worker is alive."""
        heartbeats.record_heartbeat(self._database, worker, host, pid)

    def beats(self) -> list[Beat]:
        """The last sign of life of every worker that has not left."""
        return heartbeats.list_heartbeats(self.database)

    def leave(self, worker: str) -> None:
        """Take a worker off the list."""
        heartbeats.remove_heartbeat(self._database, worker)

    def purge(self, thread: str) -> int:
        """Remove a thread for good and rewrite the database without it; how many entries went."""
        return purge.purge_thread(self._database, thread)

    def purge_workflow(self, workflow: str) -> Removal:
        """Remove a workflow for good, its threads, runs and records; what went."""
        return purge.purge_workflow(self._database, workflow)

    def purge_text(self, change: Callable[[Json], Json]) -> Rewritten:
        """Rewrite every entry and record that `change` changes, for good; what was changed."""
        return purge_text_everywhere(self._database, change)

    def preview_purge(self, workflow: str) -> Removal:
        """What a purge of this workflow would remove now."""
        with self._reading() as connection:
            return purge.preview_purge(connection, workflow)

    def verify(self) -> IntegrityReport:
        """Hash everything again and name the first thing that is not as it was written."""
        return integrity.verify_integrity(self.database)

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
