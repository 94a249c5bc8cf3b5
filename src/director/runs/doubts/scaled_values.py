"""Numbers that are all ten, a hundred or a thousand times what they were for the same rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from director.runs.doubts.doubt import Doubt, RowReading, list_doubt_columns
from director.runs.doubts.lost_values import find_identity, write_lost_value
from director.runs.doubts.value_shapes import compute_value_shape
from director.workflow.values import Json

_SOME = 3
_MOST = 0.8
_SCALES = (10.0, 100.0, 1000.0, 0.1, 0.01, 0.001)


def find_scaled_values(reading: RowReading) -> Iterator[Doubt]:
    """A doubt about a field whose numbers grew or shrank by one power of ten in nearly all rows."""
    for earlier in reading.rows_before[:1]:
        now = [row for row in reading.rows if isinstance(row, Mapping)]
        before = [row for row in earlier if isinstance(row, Mapping)]
        for name in list_doubt_columns(now):
            own = find_identity(reading, (now, before), name)
            was = (
                {write_lost_value(row.get(own)): _number(row.get(name)) for row in before}
                if own
                else {}
            )
            pairs = [
                (_number(row.get(name)), was.get(write_lost_value(row.get(own)))) for row in now
            ]
            ratios = [round(new / old, 6) for new, old in pairs if new and old]
            if len(ratios) < _SOME:
                continue
            ratio, many = Counter(ratios).most_common(1)[0]
            if ratio in _SCALES and many >= _MOST * len(ratios):
                yield reading.doubt(
                    "format",
                    f"The field {name!r} of {reading.alias} is {ratio:g} times what it was in "
                    f"{reading.name_before} in {many} of {len(ratios)} rows: another unit?",
                    field=name,
                    times=ratio,
                    rows=many,
                    run_before=reading.run_before,
                    url=reading.visits[-1].url,
                )


def _number(value: Json) -> float | None:
    text = write_lost_value(value)
    shape = compute_value_shape(text) if text else None
    if shape is None or shape.kind != "number":
        return None
    digits = re.sub(r"[^\d.,]", "", text)
    point = "," if shape.form == "comma" else "."
    plain = "".join(sign for sign in digits if sign.isdigit() or (sign == point and shape.form))
    return float(plain.replace(",", ".")) if plain.count(point) <= 1 and plain else None
