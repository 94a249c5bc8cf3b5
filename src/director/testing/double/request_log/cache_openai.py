"""OpenAI's implicit prompt cache, as a model: exact prefixes, a minimum size, a time to live.

It is reckoned at the granularity of blocks: every block's end is a place where a later request
may part ways, so what is read is the longest run of whole blocks that was sent before. (The real
one counts in steps of tokens.) Entries live for 30 minutes or 12 hours after their last use, on
the time of the double. Nothing here prices anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from director.testing.double.request_log.prefix import (
    Before,
    CacheEntry,
    CacheOutcome,
    Prefix,
    find_prefix_difference,
)

MINIMUM = 1_024
LIFETIMES = {"30m": 1_800.0, "12h": 43_200.0}


def compute_openai_cache_key(given: object, settings: Mapping[str, object]) -> str:
    """The key under which a request is cached: its own, with all else that keeps caches apart."""
    apart = {name: value for name, value in settings.items() if value is not None}
    key = str(given or "")
    return f"{key}\n{json.dumps(apart, sort_keys=True)}" if apart else key


@dataclass(slots=True)
class OpenAICache:
    """The cache of one model under one prompt_cache_key."""

    paid: bool = False
    minimum: int = MINIMUM
    _entries: dict[bytes, CacheEntry] = field(default_factory=dict)
    _before: dict[str, Before] = field(default_factory=dict)

    def use(self, row: Sequence[Prefix], *, at: float, lifetime: str, run: str) -> CacheOutcome:
        """Read what is there of a context, and write the rest."""
        lifetime = lifetime if lifetime in LIFETIMES else "30m"
        total = row[-1].tokens if row else 0
        read, expired = self._find_prefix(row, at)
        miss = self._miss(row, run, read, expired=expired)
        stored = total if total >= self.minimum else 0
        if stored:
            self._keep(row, at, LIFETIMES[lifetime])
        self._before[run] = Before(tuple(row), stored)
        written = stored - read if self.paid else 0
        return CacheOutcome(read, {lifetime: written} if written > 0 else {}, stored, miss)

    def _find_prefix(self, row: Sequence[Prefix], at: float) -> tuple[int, bool]:
        """The longest living prefix, and whether a longer one has died."""
        expired = False
        for prefix in reversed(row):
            if prefix.tokens < self.minimum:
                break
            entry = self._entries.get(prefix.digest)
            if entry is not None and entry.until > at:
                return prefix.tokens, expired
            expired = expired or entry is not None
        return 0, expired

    def _keep(self, row: Sequence[Prefix], at: float, seconds: float) -> None:
        for prefix in row:
            if prefix.tokens >= self.minimum:
                entry = self._entries.setdefault(prefix.digest, CacheEntry(at, 0.0))
                life = entry.seconds if entry.until > at else 0.0
                entry.seconds = max(life, seconds)
                entry.until = at + entry.seconds

    def _miss(self, row: Sequence[Prefix], run: str, read: int, *, expired: bool) -> str:
        before = self._before.get(run)
        if not row or row[-1].tokens < self.minimum:
            return "too_short"
        if expired:
            return "expired"
        if before is None:
            return ""
        if not before.stored:
            return "" if read else "too_short"
        return find_prefix_difference(before, row)
