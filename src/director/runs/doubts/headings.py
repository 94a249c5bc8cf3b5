"""Fields that are read by their place from another column than is meant, by the columns' headings.

The column has another heading than before, or another column has the field's own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from director.runs.doubts.doubt import Doubt, RowReading, RowVisit
from director.workflow.values import Config

_NO_WORD = re.compile(r"[\W\d_]+")


def propose_headings(visit: RowVisit) -> Iterator[Config]:
    """A check for each field that is read by its place: the heading over its column."""
    for name, heading in visit.headings.items():
        yield {"kind": "cells", "field": name, "heading": str(heading)}


def find_moved_columns(reading: RowReading) -> Iterator[Doubt]:
    """Fields whose column has another heading than when the node was tested, or in the last run."""
    for name, now in _headings_now(reading).items():
        was = _heading_before(reading, name)
        if was and _words(was) != _words(now):
            yield reading.doubt(
                "cells",
                f"{reading.alias} reads {name!r} by its place, under the heading {was!r} before "
                f"and under {now!r} now: the columns are others.",
                field=name,
                before=was,
                now=now,
                url=reading.visits[-1].url,
            )


def find_misnamed_columns(reading: RowReading) -> Iterator[Doubt]:
    """Fields whose name is the heading of a column from which they are not read.

    "Date" read under "Due date" may be meant; one read under "Number" is not.
    """
    columns = {_words(each): each for visit in reading.visits for each in visit.columns}
    for name, now in _headings_now(reading).items():
        own, said = _words(name), _words(now)
        if own in columns and f" {own} " not in f" {said} ":
            yield reading.doubt(
                "cells",
                f"{reading.alias} reads {name!r} by its place, under the heading {now!r}, and "
                f"another column has the heading {columns[own]!r}.",
                field=name,
                now=now,
                other=columns[own],
                url=reading.visits[-1].url,
            )


def list_unmoved(reading: RowReading) -> set[str]:
    """The fields that the page names as it did before."""
    return {
        name
        for name, now in _headings_now(reading).items()
        if _words(_heading_before(reading, name)) == _words(now)
    }


def _heading_before(reading: RowReading, name: str) -> str:
    known = str(reading.check("cells", name).get("heading") or "")
    return known or str(reading.headings_before.get(name, ""))


def _headings_now(reading: RowReading) -> dict[str, str]:
    return {name: str(said) for visit in reading.visits for name, said in visit.headings.items()}


def _words(heading: str) -> str:
    """A heading without the signs and numbers by which a table tells its order."""
    return _NO_WORD.sub(" ", heading).strip().casefold() or heading.strip()
