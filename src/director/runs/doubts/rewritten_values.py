"""Values of known rows that are the same in another notation, or in another unit.

The rows are told by their key, so nothing has to be known about notations: what holds the same
letters and digits as before and is not the same text is written in another way. And numbers that
are all ten, a hundred or a thousand times what they were are in another unit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from director.runs.doubts.doubt import Doubt, RowReading, list_doubt_columns
from director.runs.doubts.lost_values import find_identity, write_lost_value
from director.runs.doubts.value_shapes import compute_value_shape
from director.workflow.values import Json

_SOME = 3
_DIGITS = 4
_HALF = 0.5
_MOST = 0.8
_SCALES = (10.0, 100.0, 1000.0, 0.1, 0.01, 0.001)
_PART = re.compile(r"\d+|[^\W\d_]+")


def find_rewritten_values(reading: RowReading) -> Iterator[Doubt]:
    """A doubt for each field whose values are the same as before, written otherwise."""
    for earlier in reading.rows_before[:1]:
        now = [row for row in reading.rows if isinstance(row, Mapping)]
        before = [row for row in earlier if isinstance(row, Mapping)]
        for name in list_doubt_columns(now):
            pairs = _pair_values(reading, now, before, name)
            yield from [*_find_scale(reading, name, pairs)] or _find_notation(reading, name, pairs)


def _pair_values(
    reading: RowReading,
    now: Sequence[Mapping[str, Json]],
    before: Sequence[Mapping[str, Json]],
    name: str,
) -> list[tuple[str, str]]:
    """What the known rows hold in a field now, and what they held."""
    own = find_identity(reading, (now, before), name)
    if not own:
        return _pair_in_turn(now, before, name)
    was = {write_lost_value(row.get(own)): write_lost_value(row.get(name)) for row in before}
    pairs = [
        (write_lost_value(row.get(name)), was.get(write_lost_value(row.get(own)), ""))
        for row in now
    ]
    return [(new, old) for new, old in pairs if new and old]


def _pair_in_turn(
    now: Sequence[Mapping[str, Json]], before: Sequence[Mapping[str, Json]], name: str
) -> list[tuple[str, str]]:
    """The same where another field names the same in every row in turn, such as labels do."""
    for own in list_doubt_columns(now):
        labels, were = ([write_lost_value(row.get(own)) for row in rows] for rows in (now, before))
        if own != name and all(labels) and len({*labels}) > 1 and labels == were:
            both = zip(now, before, strict=True)
            pairs = [tuple(write_lost_value(row.get(name)) for row in rows) for rows in both]
            return [(new, old) for new, old in pairs if new and old]
    return []


def _find_scale(
    reading: RowReading, name: str, pairs: Sequence[tuple[str, str]]
) -> Iterator[Doubt]:
    """Numbers that grew or shrank by one power of ten in nearly all rows."""
    numbers = [(_number(new), _number(old)) for new, old in pairs]
    ratios = [round(new / old, 6) for new, old in numbers if new and old]
    if len(ratios) < _SOME:
        return
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


def _find_notation(
    reading: RowReading, name: str, pairs: Sequence[tuple[str, str]]
) -> Iterator[Doubt]:
    """The same letters and digits in other texts, in several rows and in most that changed."""
    changed = [(new, old) for new, old in pairs if new != old]
    same = [(new, old) for new, old in changed if _is_rewritten(new, old)]
    sure = [(new, old) for new, old in same if _is_same_number(new, old)]
    if sure or (len(same) >= _SOME and len(same) >= _HALF * len(changed)):
        new, old = next(iter(sure or same))
        yield reading.doubt(
            "format",
            f"In {len(same)} of {len(pairs)} rows that {reading.alias} knows the field {name!r} "
            f"is written otherwise than in {reading.name_before}, such as {new!r}, which was "
            f"{old!r}.",
            field=name,
            rows=len(pairs),
            other=len(same),
            example=new,
            example_before=old,
            run_before=reading.run_before,
            url=reading.visits[-1].url,
        )


def _is_same_number(one: str, other: str) -> bool:
    """Whether two numbers have the same digits, four or more, and other signs between them."""
    shapes = {compute_value_shape(text).kind for text in (one, other)}
    return shapes == {"number"} and sum(map(str.isdigit, one)) >= _DIGITS


def _is_rewritten(one: str, other: str) -> bool:
    """Whether two texts differ only in signs, case and leading zeros, or in the order of numbers.

    Words in another order are no notation: labels are often shown in any.
    """
    parts, others = _split(one), _split(other)
    if "".join(parts) == "".join(others):
        return bool(parts)
    is_numbers = len(parts) > 1 and all(part.isdigit() for part in parts)
    return is_numbers and sorted(parts) == sorted(others)


def _split(text: str) -> list[str]:
    return [part.lstrip("0") or "0" for part in _PART.findall(text.casefold())]


def _number(text: str) -> float | None:
    shape = compute_value_shape(text) if text else None
    if shape is None or shape.kind != "number":
        return None
    digits = re.sub(r"[^\d.,]", "", text)
    point = "," if shape.form == "comma" else "."
    plain = "".join(sign for sign in digits if sign.isdigit() or (sign == point and shape.form))
    return float(plain.replace(",", ".")) if plain.count(point) <= 1 and plain else None
