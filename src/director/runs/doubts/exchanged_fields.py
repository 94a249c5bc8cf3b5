"""Fields that exchanged their values since an earlier run or test: the cells changed places.

Told only where both fields speak for it: the rows that are known have each other's values, or each
field holds only what the other held before, in its words, its notation or its range of numbers.
The latter not for fields that the page names as it did before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from director.runs.doubts.doubt import Doubt, RowReading, list_doubt_columns
from director.runs.doubts.headings import find_moved_columns, list_unmoved
from director.workflow.values import Json

_SOME = 3  # rows, and different ones of them, that are no accident
_MANY = 5
_MOST = 0.8
_FEW = 0.25
_FIELDS = 20
_ROWS = 500  # of each reading: enough to tell, and every two fields are compared
_NUMBER = re.compile(r"^[-+]?\d+(?:\.\d+)?$")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class _FieldValues:
    """The values of one field, row by row, and what nearly all of them look like."""

    texts: tuple[str, ...]
    mask: str
    short_mask: str
    range: tuple[float, float] | None

    @property
    def first(self) -> str:
        return next(filter(None, self.texts))


def find_exchanged_fields(reading: RowReading) -> Iterator[Doubt]:
    """Doubts about fields that now hold what others held in an earlier run, or when tested."""
    told = {doubt.field_name for doubt in find_moved_columns(reading)}
    rows = reading.rows[:_ROWS]
    for known in reading.rows_known:
        both = (rows, known[:_ROWS])
        found = [*_find_pairs(reading, *both, told)] or [*_find_turned(reading, *both, told)]
        if found:
            yield from found
            return


def has_fields(reading: RowReading) -> bool:
    """Whether rows have several fields that could change places."""
    return len(list_doubt_columns(reading.rows)) > 1


def _find_pairs(
    reading: RowReading, rows: Sequence[Json], earlier: Sequence[Json], told: Collection[str]
) -> Iterator[Doubt]:
    names = [name for name in list_doubt_columns(rows) if name not in {"", *told}][:_FIELDS]
    now = {name: values for name in names if (values := _read_field(rows, name))}
    before = {name: values for name in now if (values := _read_field(earlier, name))}
    same = list_unmoved(reading)
    for one, other in combinations(before, 2):
        fields = (now[one], now[other], before[one], before[other])
        why = _find_rows(*fields) or ("" if {one, other} <= same else _find_forms(*fields))
        if why:
            yield reading.doubt(
                "cells",
                f"{reading.alias} reads in {one!r} what was in {other!r} before, and in {other!r} "
                f"what was in {one!r} ({why}): the cells changed places.",
                field=one,
                other=other,
                now=[now[one].first, now[other].first],
                before=[before[one].first, before[other].first],
                rows=len(rows),
                rows_before=len(earlier),
                url=reading.visits[-1].url,
            )


def _find_turned(
    reading: RowReading, rows: Sequence[Json], earlier: Sequence[Json], told: Collection[str]
) -> Iterator[Doubt]:
    """Two or more fields whose words are now others', where each had its own."""
    now, before = list_doubt_columns(rows), list_doubt_columns(earlier)
    known = {"", *told, *list_unmoved(reading)}
    names = [name for name in now if name not in known and before.get(name)][:_FIELDS]
    sources = {
        one: [other for other in names if _comes_from(now[one], before[other], before[one])]
        for one in names
    }
    turned = {one: found[0] for one, found in sources.items() if len(found) == 1}
    # A circle, or a chain: where a column was put in, each holds what the one beside it held.
    if len(turned) < 2 or len({*turned.values()}) < len(turned):
        return
    for one, other in turned.items():
        yield reading.doubt(
            "cells",
            f"{reading.alias} reads in {one!r} what was in {other!r} before, such as "
            f"{next(filter(None, now[one]))!r}: the cells changed places.",
            field=one,
            other=other,
            before=next(filter(None, before[one])),
            rows=len(now[one]),
            rows_before=len(before[one]),
            url=reading.visits[-1].url,
        )


def _read_field(rows: Sequence[Json], name: str) -> _FieldValues | None:
    """The values of a field, if there are enough to tell."""
    texts = tuple(_text(row.get(name)) if isinstance(row, Mapping) else "" for row in rows)
    filled = [text for text in texts if text]
    if len(filled) < _SOME:
        return None
    masks = [*map(_mask, filled)]
    return _FieldValues(
        texts, _most_common(masks), _most_common([*map(_shorten, masks)]), _range(filled)
    )


def _text(value: Json) -> str:
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return " ".join(str(value).split()) if plain else ""


def _find_rows(
    one: _FieldValues, other: _FieldValues, was_one: _FieldValues, was_other: _FieldValues
) -> str:
    """Rows of before that are there the other way round, and hardly one as it was."""
    known = {*zip(was_one.texts, was_other.texts, strict=True)}
    unlike = [(a, b) for a, b in zip(one.texts, other.texts, strict=True) if a and b and a != b]
    turned = [(a, b) for a, b in unlike if (b, a) in known and (a, b) not in known]
    kept = sum(pair in known for pair in unlike)
    if len({*turned}) < _SOME or len(turned) < _MOST * (len(turned) + kept):
        return ""
    if len(turned) < _FEW * len(one.texts):
        return ""
    return f"in {len(turned)} of {len(one.texts)} rows the same two values, exchanged"


def _comes_from(texts: Sequence[str], theirs: Sequence[str], own: Sequence[str]) -> bool:
    """Whether values are those of another field, and several of them."""
    only_theirs = {text for text in {*theirs} - {*own} if _LETTER.search(text)}
    said = [text for text in texts if text]
    found = [text for text in said if text in only_theirs]
    return len(said) >= _SOME and len({*found}) > 1 and len(found) >= _MOST * len(said)


def _find_forms(
    one: _FieldValues, other: _FieldValues, was_one: _FieldValues, was_other: _FieldValues
) -> str:
    """The way in which nearly all values are written, or the range of their numbers."""
    long = (was_one.mask, was_other.mask)
    short = (was_one.short_mask, was_other.short_mask)
    is_code = long == (other.mask, one.mask) and _are_codes(*long)
    if is_code or (short == (other.short_mask, one.short_mask) and _are_unlike(*short)):
        return f"written as {one.first!r}, before as {was_one.first!r}"
    low, high = was_one.range, was_other.range
    if not (low and high and one.range and other.range):
        return ""
    apart = low[1] < high[0] or high[1] < low[0]
    if apart and _is_in(one.range, high) and _is_in(other.range, low):
        return f"numbers from {one.range[0]:g} to {one.range[1]:g}, before {low[0]:g} to {low[1]:g}"
    return ""


def _mask(text: str) -> str:
    return re.sub(r"\d", "9", _LETTER.sub("a", text))


def _shorten(mask: str) -> str:
    return re.sub(r"a+", "a", re.sub(r"9+", "9", mask))


def _are_codes(one: str, other: str) -> bool:
    """Whether both have letters and digits: only then the number of each says something."""
    return one != other and all("a" in mask and "9" in mask for mask in (one, other))


def _are_unlike(one: str, other: str) -> bool:
    return one != other and bool(one and other) and not {one, other} <= {"a", "9"}


def _most_common(forms: Sequence[str]) -> str:
    """The form of nearly all, or nothing."""
    name, count = Counter(forms).most_common(1)[0]
    return name if count >= _MOST * len(forms) else ""


def _range(texts: Sequence[str]) -> tuple[float, float] | None:
    """The least and the greatest of numbers, if all of several are and some differ."""
    is_number = all(_NUMBER.match(text) for text in texts)
    if not is_number or len(texts) < _MANY or len({*texts}) < _SOME:
        return None
    numbers = [float(text) for text in texts]
    return min(numbers), max(numbers)


def _is_in(inner: tuple[float, float], outer: tuple[float, float]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
