"""Parts of a loop or group that failed while it went on: what they should have done is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from director.runs.doubts.doubt import Doubt


@dataclass(frozen=True, slots=True)
class LoopSeen:
    """The parts of a loop or group over all of its visits: how many there were, what failed.

    `limit` is that of its node if it is a plain number, and `left` how many it left out.
    """

    node: str
    alias: str
    total: int
    errors: tuple[str, ...]
    parts: str = "rounds"
    limit: int = 0
    left: int = 0


def find_failed_rounds(seen: LoopSeen) -> Iterator[Doubt]:
    """A doubt if any part failed."""
    if seen.errors:
        yield Doubt(
            "rounds",
            seen.node,
            seen.alias,
            f"{len(seen.errors)} of {seen.total} {seen.parts} of {seen.alias} failed and were left "
            f"out: {seen.errors[0]}",
            {"failed": len(seen.errors), seen.parts: seen.total, "errors": list(seen.errors[:5])},
        )
