"""Anthropic's explicit prompt cache, as a model: marks, look-back, minimum, two lifetimes.

A prefix is written only where a mark stands, and found only from a mark: at its own place or at
one of the nineteen before it. Below the model's minimum nothing is cached and nothing is said.
Entries live for 5 minutes or an hour after their last use, on the time of the double. Whether
the marks are allowed at all is for the API to say, not for this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from director.testing.double.request_log.prefix import (
    Before,
    CacheEntry,
    CacheOutcome,
    Prefix,
    find_prefix_difference,
)

LIFETIMES = {"5m": 300.0, "1h": 3_600.0}
LOOK_BACK = 20


@dataclass(slots=True)
class AnthropicCache:
    """The cache of one model."""

    minimum: int = 1_024
    _entries: dict[bytes, CacheEntry] = field(default_factory=dict)
    _before: dict[str, Before] = field(default_factory=dict)

    def use(self, row: Sequence[Prefix], *, at: float, run: str) -> CacheOutcome:
        """Read the longest prefix that a mark can reach, and write up to the last mark."""
        marks = [place for place, prefix in enumerate(row) if prefix.mark]
        place, expired = self._find_prefix(row, marks, at)
        read = row[place].tokens if place >= 0 else 0
        self._refresh(row[: place + 1], at)
        writes: dict[str, int] = {}
        stored = read
        for mark in marks:
            prefix = row[mark]
            if mark > place and prefix.tokens >= self.minimum:
                writes[prefix.mark] = writes.get(prefix.mark, 0) + prefix.tokens - stored
                stored = prefix.tokens
                seconds = LIFETIMES[prefix.mark]
                self._entries[prefix.digest] = CacheEntry(at + seconds, seconds)
        miss = self._miss(row, run, CacheOutcome(read, writes, stored), expired=expired)
        self._before[run] = Before(tuple(row), stored)
        return CacheOutcome(read, writes, stored, miss)

    def _find_prefix(
        self, row: Sequence[Prefix], marks: Sequence[int], at: float
    ) -> tuple[int, bool]:
        """The place of the longest living prefix in reach, and whether a longer one has died."""
        expired = False
        below = len(row)
        for mark in reversed(marks):
            lowest = max(mark - LOOK_BACK + 1, 0)
            for place in range(min(mark, below - 1), lowest - 1, -1):
                entry = self._entries.get(row[place].digest)
                if entry is not None and entry.until > at:
                    return place, expired
                expired = expired or entry is not None
            below = min(below, lowest)
        return -1, expired

    def _refresh(self, row: Sequence[Prefix], at: float) -> None:
        for prefix in row:
            entry = self._entries.get(prefix.digest)
            if entry is not None and entry.until > at:
                entry.until = at + entry.seconds

    def _miss(self, row: Sequence[Prefix], run: str, now: CacheOutcome, *, expired: bool) -> str:
        before = self._before.get(run)
        if expired:
            return "expired"
        if not now.stored:
            return "too_short" if any(prefix.mark for prefix in row) else ""
        if before is None or now.read >= before.stored:
            return ""
        return find_prefix_difference(before, row) or "out_of_reach"
