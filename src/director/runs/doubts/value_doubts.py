"""Everything that speaks against the values of rows, whatever they were read from.

Known rows speak first, by name, then whole columns. Of each field one doubt of a kind is told, and
of fields that changed places nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from director.runs.doubts.column_changes import find_column_doubts
from director.runs.doubts.doubt import Doubt, RowReading
from director.runs.doubts.exchanged_fields import find_exchanged_fields
from director.runs.doubts.lost_values import find_lost_values
from director.runs.doubts.rewritten_values import find_rewritten_values
from director.workflow.values import Json


def find_value_doubts(reading: RowReading, earlier: Sequence[Json]) -> Iterator[Doubt]:
    """Doubts about the fields of rows; `earlier` are the rows that columns are compared with."""
    cells = [*find_exchanged_fields(reading)]
    moved = {str(each.evidence.get(name)) for each in cells for name in ("field", "other")}
    others = (
        *find_lost_values(reading),
        *find_rewritten_values(reading),
        *find_column_doubts(reading, earlier),
    )
    told: set[tuple[str, str]] = set()
    for doubt in (*cells, *(each for each in others if each.field_name not in moved)):
        if doubt.kind == "cells" or (doubt.kind, doubt.field_name) not in told:
            told.add((doubt.kind, doubt.field_name))
            yield doubt
