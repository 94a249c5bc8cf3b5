"""Append-only threads and versioned records: SQLite by default, PostgreSQL for many machines."""

from director.store.beats import Beat
from director.store.opening import open_store
from director.store.store import Store
from director.store.values import (
    KINDS,
    Change,
    Draft,
    Entry,
    Json,
    Kind,
    Moved,
    RecordDraft,
    StoreAway,
    StoreError,
    Versioned,
)
from director.store.verify import Verdict

__all__ = [
    "KINDS",
    "Beat",
    "Change",
    "Draft",
    "Entry",
    "Json",
    "Kind",
    "Moved",
    "RecordDraft",
    "Store",
    "StoreAway",
    "StoreError",
    "Verdict",
    "Versioned",
    "open_store",
]
