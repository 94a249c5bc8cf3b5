"""Rounds of a loop that failed while the loop went on: what they should have done is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from director.runs.doubts.doubt import Doubt


@dataclass(frozen=True, slots=True)
class LoopSeen:
    """The rounds of a loop over all of its visits: how many there were, and what failed."""

    node: str
    alias: str
    total: int
    errors: tuple[str, ...]


def find_failed_rounds(seen: LoopSeen) -> Iterator[Doubt]:
    """A doubt if any round failed."""
    if seen.errors:
        yield Doubt(
            "rounds",
            seen.node,
            seen.alias,
            f"{len(seen.errors)} of {seen.total} rounds of {seen.alias} failed and were left out: "
            f"{seen.errors[0]}",
            {"failed": len(seen.errors), "rounds": seen.total, "errors": list(seen.errors[:5])},
        )
