"""Rows that the page has and hides, beside those that were read, though nobody asked it to."""

from __future__ import annotations

from collections.abc import Iterator

from director.runs.doubts.doubt import Doubt, RowReading
from director.runs.doubts.row_counts import claims_of


def find_hidden_rows(reading: RowReading) -> Iterator[Doubt]:
    """A doubt about a page that was only opened and hides rows of the same form.

    Not where something was typed, chosen or clicked on it before: that may have filtered them. Nor
    where the page counts as many as were read.
    """
    for visit in reading.visits:
        if not visit.hidden or visit.is_touched or visit.limited:
            continue
        read = len(visit.rows)
        if any(claim.total == read for claim in claims_of(visit)):
            continue
        yield reading.doubt(
            "total",
            f"{reading.alias} read {read} rows, and the page holds {visit.hidden} more of the same "
            "form that it does not show: is a filter on, or a part folded? With "
            '"visibleOnly": false they are read too.',
            read=read,
            hidden=visit.hidden,
            url=visit.url,
        )
        return
