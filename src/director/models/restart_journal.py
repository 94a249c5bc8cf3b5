"""Journals: where the layer keeps what a restart needs, one record for each thread.

A record is written whole or not at all. What a journal holds is a shortcut to what a server
remembers; the history itself is never in it, and losing a journal costs a replay, not a word.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

from director.models.values import Handle, Reply, ResumeRecord, StateRef, ToolCall


class Journal(Protocol):
    """What the layer needs of a store."""

    def read(self, thread: str, /) -> ResumeRecord:
        """The record of a thread, an empty one if there is none."""

    def write(self, thread: str, record: ResumeRecord, reply: Reply | None = None, /) -> None:
        """Keep a record, together with the reply that it belongs to if there is one."""


@dataclass(eq=False, slots=True)
class MemoryJournal:
    """A journal that lasts as long as the program."""

    _records: dict[str, ResumeRecord] = field(default_factory=dict)

    def read(self, thread: str, /) -> ResumeRecord:
        """The record of a thread, an empty one if there is none."""
        return self._records.get(thread, ResumeRecord())

    def write(self, thread: str, record: ResumeRecord, reply: Reply | None = None, /) -> None:
        """Keep a record."""
        self._records[thread] = record


class FileJournal:
    """A journal in one JSON file, replaced as a whole at each write."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def read(self, thread: str, /) -> ResumeRecord:
        """The record of a thread, an empty one if there is none."""
        return make_restart_record(self._all().get(thread, {}))

    def write(self, thread: str, record: ResumeRecord, reply: Reply | None = None, /) -> None:
        """Keep a record: written beside the file, then moved over it."""
        records = {**self._all(), thread: asdict(record)}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name)
        try:
            with os.fdopen(number, "w") as file:
                json.dump(records, file)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self._path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _all(self) -> dict[str, dict[str, object]]:
        try:
            found = json.loads(self._path.read_text())
        except FileNotFoundError:
            return {}
        except ValueError as error:
            message = (
                f"{self._path} is not a journal ({error}); move it away to go on: "
                "the next turn then sends its whole history, and nothing that was said is lost"
            )
            raise ValueError(message) from error
        return found if isinstance(found, dict) else {}


def make_restart_record(kept: Mapping[str, object]) -> ResumeRecord:
    """The record that a journal kept as JSON."""
    state, handle, pending = kept.get("state"), kept.get("handle"), kept.get("pending")
    return ResumeRecord(
        StateRef(**state) if isinstance(state, dict) else None,
        tuple(ToolCall(**call) for call in pending) if isinstance(pending, list) else (),
        Handle(**handle) if isinstance(handle, dict) else None,
    )
