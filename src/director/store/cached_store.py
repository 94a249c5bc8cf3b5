"""A store whose reads are kept in memory until what they read has changed, whoever changed it.

`refresh` asks the database what was written since the last time and forgets only that. Between two
refreshes a read may be as old as the first of them, so this is for whoever shows things, never
for whoever decides or writes by what was read: those ask the store itself.

What is made of reads can be kept as well: `record_reads` notes them, and `is_current` says whether
every one of them would be the same now.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeVar, cast

from sqlalchemy import BindParameter, Connection, Row, Text, bindparam, literal, select, union_all

from director.store.database import Database
from director.store.positions import Extent, get_position_extent
from director.store.schema import entries, records
from director.store.store import Store
from director.store.values import Entry, EntryDraft, Json, RecordDraft, Versioned

T = TypeVar("T")
_MOST = 4_000  # reads that are kept
_LONGEST = 200  # entries or records that one of them may hold
_BEHIND = 2_000  # positions after which forgetting all is cheaper than looking at each
_SINCE: BindParameter[int] = bindparam("position")
_SAID = select(
    entries.c.position, literal("", Text).label("kind"), entries.c.thread.label("name")
).where(entries.c.position > _SINCE)
_PUT = select(records.c.position, records.c.kind, records.c.id.label("name"))
_WRITTEN = union_all(_SAID, _PUT.where(records.c.position > _SINCE)).limit(_BEHIND + 1)


class _Key(NamedTuple):
    """What was read: of a thread, or of the records of a kind whose ids are so or begin so."""

    method: str
    kind: str
    name: str
    rest: tuple[object, ...] = ()


class ReadSet:
    """The reads that something was made of; not complete if one of them is not remembered."""

    def __init__(self) -> None:
        self.found: dict[_Key, object] = {}
        self.is_complete = True

    def note(self, key: _Key, found: object) -> None:
        """Add a read; one that gave something else before makes the set worthless."""
        if self.found.setdefault(key, found) is not found:
            self.is_complete = False


_READS: ContextVar[ReadSet | None] = ContextVar("director_reads", default=None)
_NOTHING = object()


@contextmanager
def record_reads() -> Iterator[ReadSet]:
    """Note what is read of a cached store in here, also by threads that are begun in here."""
    reads = ReadSet()
    token = _READS.set(reads)
    try:
        yield reads
    finally:
        _READS.reset(token)


class CachedStore(Store):
    """Reads of a store, each remembered until something that it read was written again."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.database)
        self._known: OrderedDict[_Key, object] = OrderedDict()
        self._extent = Extent(-1, -1)
        self._late: frozenset[int] = frozenset()  # behind what was settled, and seen already
        self._changed = 0  # how often something was forgotten
        self._lock = threading.Lock()

    @property
    def database(self) -> Database:
        """The database itself; what is read there is not remembered."""
        _note_unknown()
        return self._database

    def is_current(self, reads: ReadSet) -> bool:
        """Whether each of these reads is remembered, and so would be the same at this moment."""
        if not reads.is_complete:
            return False
        with self._lock:
            for key, found in reads.found.items():
                if self._known.get(key, _NOTHING) is not found:
                    return False
                self._known.move_to_end(key)
        return True

    def refresh(self) -> None:
        """Forget what was written since the last time; all of it if something was purged."""
        with self._database.reading() as connection:
            now = get_position_extent(connection)
            with self._lock:
                before = self._extent
                if self._database.is_sqlite and now == before:
                    return
                found = _list_written(connection, before.settled)
                new = [row for row in found if row.position not in self._late]
                self._extent = now
                self._late = frozenset(row.position for row in found if row.position > now.settled)
                if before.purged != now.purged or now.settled < before.settled:
                    self._changed += 1
                    self._known.clear()
                elif new:
                    self._changed += 1
                    self._forget(new)

    def head(self, thread: str) -> int:
        """The number of the last entry of a thread, or 0."""
        return self._remember(
            _Key("head", "", thread), lambda: super(CachedStore, self).head(thread)
        )

    def entries(self, thread: str, after: int = 0, upto: int | None = None) -> list[Entry]:
        """The entries of a thread after one and up to another, as they were given."""
        key = _Key("entries", "", thread, (after, upto))
        return self._remember(key, lambda: super(CachedStore, self).entries(thread, after, upto))

    def hiding(self, thread: str) -> list[Entry]:
        """Every compression, restore and deletion of a thread: enough for `checkpoints`."""
        key = _Key("hiding", "", thread)
        return self._remember(key, lambda: super(CachedStore, self).hiding(thread))

    def last(self, thread: str, kind: str) -> Entry | None:
        """The newest entry of a kind in a thread."""
        key = _Key("last", "", thread, (kind,))
        return self._remember(key, lambda: super(CachedStore, self).last(thread, kind))

    def get(self, kind: str, id: str, version: int | None = None) -> Versioned | None:
        """A version of a record, the newest if none is named."""
        key = _Key("get", kind, id, (version,))
        return self._remember(key, lambda: super(CachedStore, self).get(kind, id, version))

    def versions(
        self,
        kind: str,
        id: str,
        *,
        after: int = 0,
        upto: int | None = None,
    ) -> list[Versioned]:
        """Every version of a record, or those after one and up to another, the oldest first."""
        key = _Key("versions", kind, id, (after, upto))
        return self._remember(
            key, lambda: super(CachedStore, self).versions(kind, id, after=after, upto=upto)
        )

    def newest(self, kind: str, prefix: str = "") -> list[Versioned]:
        """The newest version of each record of a kind whose id starts so, sorted by id."""
        key = _Key("newest", kind, prefix)
        return self._remember(key, lambda: super(CachedStore, self).newest(kind, prefix))

    def ids(self, kind: str) -> list[str]:
        """The ids of the records of a kind, sorted."""
        return self._remember(_Key("ids", kind, ""), lambda: super(CachedStore, self).ids(kind))

    def append(
        self,
        thread: str,
        drafts: Sequence[EntryDraft],
        *,
        expect: int | None = None,
        reference: Json | None = None,
        clear_reference: bool = False,
    ) -> tuple[Entry, ...]:
        """Write drafts at the end of a thread, and read them from then on."""
        written = super().append(
            thread, drafts, expect=expect, reference=reference, clear_reference=clear_reference
        )
        self.refresh()
        return written

    def put_all(
        self, drafts: Sequence[RecordDraft], *, unchanged: Sequence[Versioned] = ()
    ) -> tuple[Versioned, ...]:
        """Write the next versions of several records, and read them from then on."""
        written = super().put_all(drafts, unchanged=unchanged)
        self.refresh()
        return written

    def _remember(self, key: _Key, read: Callable[[], T]) -> T:
        with self._lock:
            state = self._changed
            if key in self._known:
                self._known.move_to_end(key)
                return _note(key, cast("T", self._known[key]))
        # What this read reads in its turn is its own affair.
        token = _READS.set(None)
        try:
            found = read()
        finally:
            _READS.reset(token)
        if isinstance(found, list) and len(found) > _LONGEST and key.method != "newest":
            _note_unknown()
            return found
        with self._lock:
            # What was read before somebody else's refresh may be older than that: it is not kept.
            if self._changed == state and self._extent.settled >= 0:
                found = cast("T", self._known.setdefault(key, found))
                while len(self._known) > _MOST:
                    self._known.popitem(last=False)
        return _note(key, found)

    def _forget(self, new: Sequence[Row[*tuple[object, ...]]]) -> None:
        if len(new) > _BEHIND:
            self._known.clear()
            return
        threads = {row.name for row in new if not row.kind}
        written: dict[str, set[str]] = {}
        for row in new:
            written.setdefault(row.kind, set()).add(row.name)
        for key in list(self._known):
            if key.kind:
                stale = any(_touches(key, name) for name in written.get(key.kind, ()))
            else:
                stale = key.name in threads
            if stale:
                del self._known[key]


def _list_written(connection: Connection, position: int) -> Sequence[Row[*tuple[object, ...]]]:
    """What was written after a position, no more than is worth looking at."""
    return connection.execute(_WRITTEN, {"position": position}).all()


def _touches(key: _Key, name: str) -> bool:
    is_one = key.method in ("get", "versions")
    return name == key.name if is_one else name.startswith(key.name)


def _note_unknown() -> None:
    if (reads := _READS.get()) is not None:
        reads.is_complete = False


def _note(key: _Key, found: T) -> T:
    """What was read, noted where somebody asks what is read."""
    if (reads := _READS.get()) is not None:
        reads.note(key, found)
    return _copy(found)


def _copy(found: T) -> T:
    """A list of its own for each who asks, so that nobody changes what others are given."""
    return cast("T", list(found)) if isinstance(found, list) else found
