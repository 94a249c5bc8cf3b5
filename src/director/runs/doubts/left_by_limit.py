"""A limit that left something: one that was set for a test and stayed, perhaps.

A limit that is an input is chosen by whoever starts the run, and one that takes a single element
says which: neither is doubted.
"""

from __future__ import annotations

from collections.abc import Iterator

from director.runs.doubts.doubt import Doubt, RowReading
from director.runs.doubts.failed_rounds import LoopSeen
from director.runs.doubts.row_counts import claims_of

_HINT = "If it was set for a test, take it out; if it is meant, make it an input."


def find_left_rounds(seen: LoopSeen) -> Iterator[Doubt]:
    """A doubt about a loop that stopped at its limit."""
    if seen.left and seen.limit:
        every = seen.total + seen.left
        yield Doubt(
            "limit",
            seen.node,
            seen.alias,
            f"{seen.alias} stopped at its limit {seen.limit}, after {seen.total} of {every}. "
            f"{_HINT}",
            {"limit": seen.limit, "done": seen.total, "left": seen.left},
        )


def find_left_rows(reading: RowReading) -> Iterator[Doubt]:
    """A doubt about a node that read rows up to its limit, where there are more."""
    for visit in reading.visits:
        read = len(visit.rows) + visit.empty
        if not visit.limited or reading.limit < 2:
            continue
        stated = [claim.total for claim in claims_of(visit) if claim.total is not None]
        # Of several counts the smallest is the surest, and none is of rows that were chosen.
        said = min(stated, default=0) if visit.drawn >= visit.of else 0
        if (every := max(visit.drawn, said)) > read:
            yield reading.doubt(
                "limit",
                f"{reading.alias} stopped at its limit {reading.limit}, and the page has {every} "
                f"rows. {_HINT}",
                limit=reading.limit,
                read=read,
                rows=every,
                url=visit.url,
            )
            return
