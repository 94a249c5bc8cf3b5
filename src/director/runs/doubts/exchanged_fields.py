"""Fields that exchanged their values since an earlier run or test: the cells changed places.

Told only where both fields speak for it: the rows that are known have each other's values, or each
field holds only what the other held before, in its words, its notation or its range of numbers.
The latter not for fields that the page names as it did before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from director.runs.doubts.doubt import Doubt, RowReading, columns_of
from director.runs.doubts.headings import find_moved_columns, list_unmoved
from director.workflow.values import Json

_SOME = 3  # rows, and different ones of them, that are no accident
_MANY = 5
_MOST = 0.8
_FEW = 0.25
_FIELDS = 20
_NUMBER = re.compile(r"^[-+]?\d+(?:\.\d+)?$")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class _Values:
    """The values of two fields, row by row, where both have one."""

    pairs: tuple[tuple[str, str], ...]

    @property
    def sides(self) -> tuple[list[str], list[str]]:
        return [pair[0] for pair in self.pairs], [pair[1] for pair in self.pairs]


def find_exchanged_fields(reading: RowReading) -> Iterator[Doubt]:
    """Doubts about fields that now hold what others held in an earlier run, or when tested."""
    told = {doubt.field_name for doubt in find_moved_columns(reading)}
    for earlier in reading.rows_known:
        found = [*_find_pairs(reading, earlier, told)] or [*_find_turned(reading, earlier, told)]
        if found:
            yield from found
            return


def has_fields(reading: RowReading) -> bool:
    """Whether rows have several fields that could change places."""
    return len(columns_of(reading.rows)) > 1


def _find_pairs(
    reading: RowReading, earlier: Sequence[Json], told: Collection[str]
) -> Iterator[Doubt]:
    names = [name for name in columns_of(reading.rows) if name not in {"", *told}][:_FIELDS]
    same = list_unmoved(reading)
    for one, other in combinations(names, 2):
        now, before = _pair(reading.rows, one, other), _pair(earlier, one, other)
        if min(len(now.pairs), len(before.pairs)) < _SOME:
            continue
        why = _find_rows(now, before) or ("" if {one, other} <= same else _find_forms(now, before))
        if why:
            yield reading.doubt(
                "cells",
                f"{reading.alias} reads in {one!r} what was in {other!r} before, and in {other!r} "
                f"what was in {one!r} ({why}): the cells changed places.",
                field=one,
                other=other,
                now=[*now.pairs[0]],
                before=[*before.pairs[0]],
                rows=len(now.pairs),
                rows_before=len(before.pairs),
                url=reading.visits[-1].url,
            )


def _find_turned(
    reading: RowReading, earlier: Sequence[Json], told: Collection[str]
) -> Iterator[Doubt]:
    """Two or more fields whose words are now each other's, where each had its own."""
    now, before = columns_of(reading.rows), columns_of(earlier)
    known = {"", *told, *list_unmoved(reading)}
    names = [name for name in now if name not in known and before.get(name)][:_FIELDS]
    sources = {
        one: [other for other in names if _comes_from(now[one], before[other], before[one])]
        for one in names
    }
    turned = {one: found[0] for one, found in sources.items() if len(found) == 1}
    if len(turned) < 2 or {*turned} != {*turned.values()}:
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


def _pair(rows: Sequence[Json], one: str, other: str) -> _Values:
    found = (
        (_text(row.get(one)), _text(row.get(other))) for row in rows if isinstance(row, Mapping)
    )
    return _Values(tuple(pair for pair in found if all(pair)))


def _text(value: Json) -> str:
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return " ".join(str(value).split()) if plain else ""


def _find_rows(now: _Values, before: _Values) -> str:
    """Rows of before that are there the other way round, and hardly one as it was."""
    known = {*before.pairs}
    turned = [(a, b) for a, b in now.pairs if a != b and (b, a) in known and (a, b) not in known]
    kept = sum((a, b) in known for a, b in now.pairs if a != b)
    if len({*turned}) < _SOME or len(turned) < _MOST * (len(turned) + kept):
        return ""
    if len(turned) < _FEW * len(now.pairs):
        return ""
    return f"in {len(turned)} of {len(now.pairs)} rows the same two values, exchanged"


def _comes_from(texts: Sequence[str], theirs: Sequence[str], own: Sequence[str]) -> bool:
    """Whether values are those of another field, and several of them."""
    only_theirs = {text for text in {*theirs} - {*own} if _LETTER.search(text)}
    said = [text for text in texts if text]
    found = [text for text in said if text in only_theirs]
    return len(said) >= _SOME and len({*found}) > 1 and len(found) >= _MOST * len(said)


def _find_forms(now: _Values, before: _Values) -> str:
    """The way in which nearly all values are written, or the range of their numbers."""
    (one, other), (was_one, was_other) = now.sides, before.sides
    for form, is_telling in ((_mask, _are_codes), (_short_mask, _are_unlike)):
        first, second = _main_form(was_one, form), _main_form(was_other, form)
        turned = (_main_form(other, form), _main_form(one, form))
        if first and second and turned == (first, second) and is_telling(first, second):
            return f"written as {one[0]!r}, before as {was_one[0]!r}"
    low, high = _range(was_one), _range(was_other)
    now_low, now_high = _range(one), _range(other)
    if not (low and high and now_low and now_high) or min(len(one), len(was_one)) < _MANY:
        return ""
    if (low[1] < high[0] or high[1] < low[0]) and _is_in(now_low, high) and _is_in(now_high, low):
        return f"numbers from {now_low[0]:g} to {now_low[1]:g}, before {low[0]:g} to {low[1]:g}"
    return ""


def _mask(text: str) -> str:
    return re.sub(r"\d", "9", _LETTER.sub("a", text))


def _short_mask(text: str) -> str:
    return re.sub(r"a+", "a", re.sub(r"9+", "9", _mask(text)))


def _are_codes(one: str, other: str) -> bool:
    """Whether both have letters and digits: only then the number of each says something."""
    return one != other and all("a" in mask and "9" in mask for mask in (one, other))


def _are_unlike(one: str, other: str) -> bool:
    return one != other and not {one, other} <= {"a", "9"}


def _main_form(texts: Sequence[str], form: Callable[[str], str]) -> str:
    """The form of nearly all texts, or nothing."""
    name, count = Counter(map(form, texts)).most_common(1)[0]
    return name if count >= _MOST * len(texts) else ""


def _range(texts: Sequence[str]) -> tuple[float, float] | None:
    """The least and the greatest of numbers, if all are and several differ."""
    if not all(_NUMBER.match(text) for text in texts) or len({*texts}) < _SOME:
        return None
    numbers = [float(text) for text in texts]
    return min(numbers), max(numbers)


def _is_in(inner: tuple[float, float], outer: tuple[float, float]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
