"""The values of the store: entries of a thread, versioned records, changes. Plain and frozen.

A thread is append-only. What the model sees is a projection of it; nothing here is ever altered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from director.errors import DirectorError

Kind: TypeAlias = Literal["user", "agent", "result", "checkpoint", "restore", "delete"]
KINDS: tuple[Kind, ...] = ("user", "agent", "result", "checkpoint", "restore", "delete")
Json: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class EntryDraft:
    """An entry that is not written yet.

    The body of each kind, as JSON:
    user {"text", "native"?: {"wire", "message"}} · agent {"wire", "items", "text", "model"?} ·
    result {"call", "text", "failed", "native"?: {"wire", "message"}} ·
    checkpoint {"covers": [seq…], "summary", "previous": seq | None, "by": "manual" | "auto",
    "before", "after" (tokens), "head"} · restore {"checkpoint": seq} · delete {"seqs": [seq…]}
    """

    kind: Kind
    body: Json


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry: its place in the thread (from 1), its place in the whole store, its hashes."""

    thread: str
    seq: int
    kind: Kind
    body: Json
    at: float
    hash: str
    before: str
    position: int


@dataclass(frozen=True, slots=True)
class RecordDraft:
    """A version of a record that is not written yet; `expect` is the newest that its writer saw."""

    kind: str
    id: str
    body: Json
    reason: str = ""
    expect: int | None = None


@dataclass(frozen=True, slots=True)
class Versioned:
    """One version of a record, such as a plan."""

    kind: str
    id: str
    version: int
    body: Json
    reason: str
    at: float
    position: int


@dataclass(frozen=True, slots=True)
class Change:
    """Something that was committed, in the order of the whole store."""

    position: int
    what: Entry | Versioned


class VersionConflict(DirectorError):
    """The thread has grown since it was looked at; nothing was written."""

    next_step = "Somebody else was quicker: look again and decide again."


class StoreError(DirectorError):
    """What went wrong, what was kept, and what to do."""


class StoreAway(StoreError):
    """The server of a store does not answer now, and may later: it is down, or just starting."""

    status = 503
    next_step = "Try again when the server of the store answers."
