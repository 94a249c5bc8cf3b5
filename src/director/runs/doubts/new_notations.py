"""A second notation in a part of a column of which all values had one before.

Compared with an earlier run alone: a column may always have been mixed, which is nobody's fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from director.runs.doubts.doubt import Doubt, RowReading, list_doubt_columns, name_of
from director.runs.doubts.value_shapes import (
    ColumnShape,
    compute_column_value_shape,
    compute_value_shape,
)
from director.workflow.values import Json

_MANY = 20  # values of which one notation is no accident
_LEAST = 5  # values in another that are no slip
_SHARE = 0.02
_ORDERS = {"date with slashes", "date day/month/year", "date month/day/year"}
_DECIMALS = re.compile(r"[.,](\d+)\D*$")
_ZERO = re.compile(r"\D*0*\D*")


def find_new_notations(reading: RowReading, earlier: Sequence[Json]) -> Iterator[Doubt]:
    """Columns of which a part is written in a way that was not there before."""
    now, before = list_doubt_columns(reading.rows), list_doubt_columns(earlier)
    for name, texts in now.items():
        was = compute_column_value_shape(before.get(name, []))
        form = next(iter(was.forms), "")
        if was.values < _MANY or was.forms[form] != was.values:
            continue
        shape = compute_column_value_shape(texts)
        few = max(_LEAST, _SHARE * shape.values)
        other = _find_other_date(shape, form) or _find_no_decimals(texts, before[name], form)
        if shape.forms[form] >= few and len(other) >= few:
            yield reading.doubt(
                "format",
                f"The {name_of(name)} of {reading.alias} is written in another way in "
                f"{len(other)} of the {shape.values} values that were compared: {other[0]!r}, "
                f"where all were written as {was.example[form]!r} in {reading.name_before}.",
                field=name,
                rows=shape.values,
                other=len(other),
                example=other[0],
                example_before=was.example[form],
            )


def _find_other_date(now: ColumnShape, form: str) -> list[str]:
    """The dates of another form, as often as they are there; slashes are compared elsewhere."""
    known = {form, *(_ORDERS if form in _ORDERS else ())}
    others = [each for each in now.forms if each.startswith("date ") and each not in known]
    is_date = form.startswith("date ")
    return [now.example[each] for each in others for _ in range(now.forms[each]) if is_date]


def _find_no_decimals(texts: Sequence[str], before: Sequence[str], form: str) -> list[str]:
    """The numbers without decimals, where all had equally many: cents, perhaps."""
    lengths = {len(found[1]) for text in before if text and (found := _DECIMALS.search(text))}
    if form not in ("number point", "number comma") or len(lengths) != 1 or lengths == {1}:
        return []
    plain = [text for text in texts if text and not _ZERO.fullmatch(text)]
    return [
        text for text in plain if (it := compute_value_shape(text)).kind == "number" and not it.form
    ]
