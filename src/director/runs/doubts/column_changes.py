"""Fields whose values are not what they should be: none at all, all alike, in another notation.

Most of it is told by comparing with an earlier run that passed. What needs none is a field that
found no element or only icons, texts that the page itself cut, and two notations in one field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from director.runs.doubts.doubt import Doubt, RowReading, is_same_text, list_doubt_columns, name_of
from director.runs.doubts.new_notations import find_new_notations
from director.runs.doubts.value_shapes import ColumnShape, compute_column_value_shape
from director.workflow.doubt_checks import DoubtKind
from director.workflow.values import Json

_SOME = 3  # rows from which on nothing at all is no accident
_MANY = 5
_SHARE = 0.2
_CUT_LENGTH = 4
_SHORT = ("snippet", "excerpt", "summary", "preview", "teaser", "abstract", "description", "intro")


def find_column_doubts(reading: RowReading, earlier: Sequence[Json]) -> Iterator[Doubt]:
    """Doubts about the fields of the rows; `earlier` are the rows of the run before."""
    now, before = list_doubt_columns(reading.rows), list_doubt_columns(earlier)
    for name, texts in now.items():
        shape = compute_column_value_shape(texts)
        yield from _find_absent(reading, name, texts)
        yield from _find_pictured(reading, name, shape)
        yield from _find_cut(reading, name, texts)
        yield from _find_mixed(reading, name, shape)
        yield from _find_orders(reading, name, shape)
        yield from _find_inputs(reading, name, texts, before.get(name, []))
        if before.get(name):
            yield from _find_changes(reading, name, shape, compute_column_value_shape(before[name]))
    yield from find_new_notations(reading, earlier)


def _find_absent(reading: RowReading, name: str, texts: Sequence[str]) -> Iterator[Doubt]:
    """A field that was found in no row of any visit."""
    whole = [visit for visit in reading.visits if visit.rows]
    if len(texts) >= _SOME and all(name in visit.absent for visit in whole):
        yield reading.doubt(
            "blank",
            f"The {name_of(name)} of {reading.alias} found no element in any of {len(texts)} rows.",
            field=name,
            rows=len(texts),
            filled=0,
            url=whole[-1].url,
        )


def _find_pictured(reading: RowReading, name: str, shape: ColumnShape) -> Iterator[Doubt]:
    """A field without a text in any row, where the page shows icons or boxes."""
    seen = [visit.pictured[name] for visit in reading.visits if name in visit.pictured]
    found = [each for each in seen if isinstance(each, Mapping)]
    if shape.values or shape.blank < _SOME or not found:
        return
    said = next((str(each["said"]) for each in found if each.get("said")), "")
    read = next((str(each["read"]) for each in found if each.get("read")), "")
    hint = f", such as {said!r}; the field {read!r} reads it" if said else ""
    yield reading.doubt(
        "blank",
        f"The {name_of(name)} of {reading.alias} is empty in all {shape.blank} rows, and the page "
        f"shows something there that is no text{hint}.",
        field=name,
        rows=shape.blank,
        filled=0,
        url=reading.visits[-1].url,
    )


def _find_cut(reading: RowReading, name: str, texts: Sequence[str]) -> Iterator[Doubt]:
    """Texts that end in … where the page holds more, or all at the same length."""
    held = sum(_as_count(visit.cut.get(name)) for visit in reading.visits)
    ends = [len(text) for text in texts if text.endswith(("…", "..."))]
    alike = (
        len(ends) >= max(_SOME, _SHARE * len(texts))
        and max(ends) - min(ends) <= _CUT_LENGTH
        and min(ends) > 12
        and not any(word in name.casefold() for word in _SHORT)
    )
    if not held and not alike:
        return
    many = held or len(ends)
    why = "the page holds the whole text beside it" if held else "all are cut at the same length"
    yield reading.doubt(
        "cut",
        f"{many} of {len(texts)} values of the {name_of(name)} of {reading.alias} end in '…', and "
        f"{why}.",
        field=name,
        rows=len(texts),
        cut=many,
        example=next((text for text in texts if text.endswith(("…", "..."))), ""),
        url=reading.visits[-1].url,
    )


def _find_mixed(reading: RowReading, name: str, shape: ColumnShape) -> Iterator[Doubt]:
    """Numbers with a decimal point and with a decimal comma in one field."""
    point, comma = shape.forms["number point"], shape.forms["number comma"]
    if shape.kind == "number" and min(point, comma) > 0:
        yield reading.doubt(
            "format",
            f"The {name_of(name)} of {reading.alias} has numbers in two notations: "
            f"{shape.example['number point']!r} ({point} rows) and "
            f"{shape.example['number comma']!r} ({comma} rows).",
            field=name,
            point=point,
            comma=comma,
            url=reading.visits[-1].url,
        )


def _find_inputs(
    reading: RowReading, name: str, texts: Sequence[str], before: Sequence[str]
) -> Iterator[Doubt]:
    """Rows that are not of the input by which the page was filtered when the node was built.

    Or in the run before, in which every row of several was of it.
    """
    given = str(reading.check("input", name).get("input", ""))
    for one, said in reading.inputs.items() if not given and len(before) >= _SOME else ():
        if isinstance(said, str) and len(said) > 1 and all(is_same_text(b, said) for b in before):
            given = one
    value = reading.inputs.get(given)
    if not isinstance(value, str):
        return
    other = [text for text in texts if not is_same_text(text, value)]
    if other:
        yield reading.doubt(
            "input",
            f"In {len(other)} of {len(texts)} rows the {name_of(name)} of {reading.alias} is not "
            f"{value!r}, the input {given!r}, but for example {other[0]!r}: is the list filtered?",
            field=name,
            rows=len(texts),
            other=len(other),
            wanted=value,
            example=other[0],
            url=reading.visits[-1].url,
        )


def _find_orders(reading: RowReading, name: str, shape: ColumnShape) -> Iterator[Doubt]:
    """Dates of which some have the day first and others the month."""
    day, month = shape.forms["date day/month/year"], shape.forms["date month/day/year"]
    if min(day, month) > 0:
        yield reading.doubt(
            "format",
            f"The {name_of(name)} of {reading.alias} has dates in two orders: "
            f"{shape.example['date day/month/year']!r} ({day} rows) and "
            f"{shape.example['date month/day/year']!r} ({month} rows).",
            field=name,
            day_first=day,
            month_first=month,
            url=reading.visits[-1].url,
        )


def _find_changes(
    reading: RowReading, name: str, now: ColumnShape, before: ColumnShape
) -> Iterator[Doubt]:
    rows = now.values + now.blank
    was_full = before.values >= _SOME and before.blank < _SHARE * before.values
    if was_full and rows >= _SOME and not now.values:
        if not all(name in visit.absent for visit in reading.visits):
            yield _change(reading, "blank", name, f"is empty in all {rows} rows", before=before)
        return
    if before.different >= _SOME and min(before.values, now.values) >= _MANY and now.different == 1:
        yield _change(reading, "constant", name, f"is the same in all {rows} rows", before=before)
    said = _notation(now, before)
    if said:
        yield _change(reading, "format", name, said, before=before)
    if before.cut == 0 and before.values >= _MANY and now.cut >= max(2, _SHARE * now.values):
        yield _change(reading, "cut", name, f"ends in '…' in {now.cut} rows", before=before)


def _notation(now: ColumnShape, before: ColumnShape) -> str:
    """How the notation of a field changed, in words; nothing if that is not sure."""
    if before.currencies and now.currencies and not before.currencies & now.currencies:
        return f"is in {_join_names(now.currencies)}, not in {_join_names(before.currencies)}"
    old, new = set(before.forms), set(now.forms)
    for first, second in (("number point", "number comma"), ("number comma", "number point")):
        if first in old and second not in old and second in new and first not in new:
            return f"is written as {now.example[second]!r}, not as {before.example[first]!r}"
    if said := _find_other_dress(now, before):
        return said
    if before.kind == now.kind == "date" and _is_other_date(old, new):
        form = min(new)
        return f"is written {form.removeprefix('date ')}: {now.example[form]!r}"
    if (
        before.kind not in ("", "text")
        and min(before.values, now.values) >= _SOME
        and now.kinds[before.kind] <= _SHARE * now.values
    ):
        return f"holds no {before.kind} in most rows"
    return ""


def _find_other_dress(now: ColumnShape, before: ColumnShape) -> str:
    """Another currency's place, unit, sign between thousands, or decimals that are gone."""
    if now.dress and before.dress and now.dress != before.dress:
        return f"is written as {now.dress!r}, not as {before.dress!r} (# is a number)"
    if now.gap and before.gap and now.gap != before.gap:
        return f"has thousands parted by {now.gap!r}, not by {before.gap!r}"
    if now.inside and before.inside and now.inside != before.inside:
        return f"has {now.inside} in its texts, not {before.inside}"
    lost = _find_lost_point(now, before) if before.kind == now.kind == "number" else ""
    return f"has no decimals any more; they were written as {lost!r}" if lost else ""


def _find_lost_point(now: ColumnShape, before: ColumnShape) -> str:
    """An example of numbers that all had decimals, where none has now: cents, perhaps."""
    for form in ("number point", "number comma"):
        if before.forms[form] == before.values >= _MANY and now.values >= _MANY:
            is_lost = not (now.forms["number point"] or now.forms["number comma"])
            return before.example[form] if is_lost else ""
    return ""


def _is_other_date(old: set[str], new: set[str]) -> bool:
    """Slashes that could be either order are no other notation, unless others tell which it is."""
    orders = {"date day/month/year", "date month/day/year"}
    unsure = {"date with slashes"}
    old, new = (each - unsure if each & orders else each for each in (old, new))
    if len(old) != 1 or len(new) != 1 or old == new:
        return False
    return not (unsure & (old | new) and old | new <= unsure | orders)


def _change(
    reading: RowReading, kind: DoubtKind, name: str, what: str, *, before: ColumnShape
) -> Doubt:
    return reading.doubt(
        kind,
        f"The {name_of(name)} of {reading.alias} {what}; it was not so in {reading.name_before}.",
        field=name,
        rows=len(reading.rows),
        rows_before=before.values + before.blank,
        filled_before=before.values,
        run_before=reading.run_before,
        example_before=next(iter(before.example.values()), ""),
        url=reading.visits[-1].url,
    )


def _join_names(names: frozenset[str]) -> str:
    return " and ".join(sorted(names))


def _as_count(value: Json) -> int:
    return value if isinstance(value, int) else 0
