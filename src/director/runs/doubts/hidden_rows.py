"""Rows that the page has and hides, beside those that were read, though nobody asked it to."""

from __future__ import annotations

from collections.abc import Iterator

from director.runs.doubts.doubt import Doubt, RowReading, RowVisit
from director.runs.doubts.row_counts import claims_of


def find_hidden_rows(reading: RowReading) -> Iterator[Doubt]:
    """A doubt about a page that was only opened and hides rows of the same form.

    Not where something was typed, chosen or clicked on it before: that may have filtered them. Nor
    where the page counts as many as were read. With a limit, those are hidden rows that stand
    before the last one that was taken: others were taken in their place.
    """
    found = [
        (visit, hidden)
        for visit in reading.visits
        if (hidden := _count_before(visit) if visit.limited else visit.hidden)
        and not visit.is_touched
        and not _is_counted(visit)
    ]
    if not found:
        return
    visit = found[0][0]
    hidden, read = sum(many for _, many in found), sum(len(each.rows) for each, _ in found)
    on = f" on {len(found)} pages" if len(found) > 1 else ""
    among = "before the last of them" if visit.limited else "of the same form"
    it, does = ("the pages hold", "do") if on else ("the page holds", "does")
    yield reading.doubt(
        "total",
        f"{reading.alias} read {read} rows{on}, and {it} {hidden} more {among} that "
        f"{'they' if on else 'it'} {does} not show: is a filter on, or a part folded? With "
        '"visibleOnly": false they are read too.',
        read=read,
        hidden=hidden,
        url=visit.url,
    )


def _count_before(visit: RowVisit) -> int:
    """How many hidden rows stand before the last one that was read."""
    taken = len(visit.rows) + visit.empty
    return sum(at < taken for at in visit.hidden_at) if taken > 1 else 0


def _is_counted(visit: RowVisit) -> bool:
    """Whether the page counts only rows that it shows: in all, or in the part that it states."""
    shown = visit.drawn if visit.limited else len(visit.rows)
    claims = claims_of(visit)
    parts = [each.last - each.first + 1 for each in claims if each.first and each.last]
    return any(each.total == shown for each in claims) or (visit.limited and shown in parts)
