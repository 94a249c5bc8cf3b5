"""Sessions as Claude Code records them: one JSON object a line, under `~/.claude/projects`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from director.audit.message_texts import read_blocks, read_time
from director.audit.recorded_session import (
    ClientCompaction,
    RecordedCall,
    RecordedSession,
)
from director.audit.recorded_texts import Message
from director.models.values import Usage

_SAID = ("user", "assistant")


def is_entry(row: Mapping[str, Any]) -> bool:
    """Whether a line is of Claude Code."""
    return row.get("type") in _SAID and "sessionId" in row and isinstance(row.get("message"), dict)


class _Reading:
    """The session as far as it was read."""

    def __init__(self) -> None:
        self.history: list[Message] = []
        self.places: dict[str, list[int]] = {}
        self.answers: dict[str, int] = {}
        self.calls: dict[int, RecordedCall] = {}
        self.compactions: list[ClientCompaction] = []
        self.skipped: Counter[str] = Counter()
        self._boundary: Mapping[str, Any] | None = None

    def read(self, row: Mapping[str, Any]) -> None:
        """Take in one line."""
        if row.get("isSidechain"):
            self.skipped["messages of sub-agents"] += 1
        elif row.get("subtype") == "compact_boundary":
            self._boundary = row
        elif row.get("isCompactSummary"):
            self._compact(row)
        elif row.get("type") == "assistant":
            self._read_answer(row)
        elif row.get("type") == "user" and not row.get("isVisibleInTranscriptOnly"):
            self._add(row, read_blocks(row["message"], "user"))

    def _add(self, row: Mapping[str, Any], messages: Sequence[Message]) -> None:
        first = len(self.history)
        self.history += messages
        self.places[str(row.get("uuid"))] = list(range(first, len(self.history)))

    def _read_answer(self, row: Mapping[str, Any]) -> None:
        """One block of an answer is one line; those of one request are one message."""
        told = row["message"]
        if told.get("model") == "<synthetic>":
            return
        key = str(row.get("requestId") or told.get("id") or row.get("uuid"))
        (message,) = read_blocks(told, "assistant") or [{"role": "assistant", "content": ""}]
        place = self.answers.get(key)
        if place is None or place < len(self.history) - 1:
            place = self.answers[key] = len(self.history)
            self._add(row, [message])
        else:
            known = self.history[place]
            content = "\n".join(filter(None, (known.get("content"), message.get("content"))))
            calls = [*known.get("tool_calls", ()), *message.get("tool_calls", ())]
            self.history[place] = {"role": "assistant", "content": content}
            if calls:
                self.history[place]["tool_calls"] = calls
            self.places[str(row.get("uuid"))] = [place]
        self.calls[place] = RecordedCall(
            place, read_time(row.get("timestamp")), str(told.get("model", "")), _usage(told)
        )

    def _compact(self, row: Mapping[str, Any]) -> None:
        told = (self._boundary or {}).get("compactMetadata") or {}
        kept = (told.get("preservedMessages") or {}).get("uuids") or ()
        keeps = sorted({place for uuid in kept for place in self.places.get(str(uuid), ())})
        (summary,) = read_blocks(row["message"], "user") or [{"content": ""}]
        reported = told.get("preTokens")
        self.compactions.append(
            ClientCompaction(
                len(self.history),
                str(summary.get("content") or ""),
                tuple(keeps),
                reported if isinstance(reported, int) else None,
            )
        )
        self._boundary = None


def read_entries(rows: Iterable[Mapping[str, Any]], path: str) -> RecordedSession:
    """The session that these lines record."""
    reading, project = _Reading(), ""
    for row in rows:
        project = project or str(row.get("cwd") or "")
        reading.read(row)
    calls = [reading.calls[place] for place in sorted(reading.calls)]
    name = Path(project).name or Path(path).stem
    return RecordedSession(
        "Claude Code", name, path, reading.history, calls, reading.compactions, reading.skipped
    )


def _usage(told: Mapping[str, Any]) -> Usage | None:
    usage = told.get("usage")
    if not isinstance(usage, Mapping):
        return None
    numbers = ("input_tokens", "cache_read_input_tokens", "output_tokens")
    uncached, read, output = (_number(usage.get(name)) for name in numbers)
    made = usage.get("cache_creation")
    lifetimes = made if isinstance(made, Mapping) else {}
    long = _number(lifetimes.get("ephemeral_1h_input_tokens"))
    short = _number(usage.get("cache_creation_input_tokens")) - long
    writes = {life: size for life, size in (("5m", short), ("1h", long)) if size > 0}
    return Usage(uncached, read, writes, output)


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
