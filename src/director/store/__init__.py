"""Append-only threads and versioned records: SQLite by default, PostgreSQL for many machines."""

from director.store.heartbeats import Beat
from director.store.integrity import IntegrityReport
from director.store.store import Store
from director.store.store_opening import open_store
from director.store.values import (
    KINDS,
    Change,
    Entry,
    EntryDraft,
    Json,
    Kind,
    RecordDraft,
    StoreAway,
    StoreError,
    VersionConflict,
    Versioned,
)

__all__ = [
    "KINDS",
    "Beat",
    "Change",
    "Entry",
    "EntryDraft",
    "IntegrityReport",
    "Json",
    "Kind",
    "RecordDraft",
    "Store",
    "StoreAway",
    "StoreError",
    "VersionConflict",
    "Versioned",
    "open_store",
]

# Names of one release ago; they go with the next.
Draft = EntryDraft
Moved = VersionConflict
