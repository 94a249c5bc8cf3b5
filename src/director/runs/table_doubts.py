"""Doubts about a downloaded table, by what was kept of the one of the last run that passed.

The rules for rows that a node reads are used for its rows too, as far as they compare.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from director.runs.doubts import Doubt, RowReading
from director.runs.doubts.doubt import RowVisit, list_doubt_columns
from director.runs.doubts.node_checks import is_key_name
from director.runs.doubts.value_doubts import find_value_doubts
from director.runs.doubts.value_shapes import compute_column_value_shape
from director.runs.row_readings import as_count, as_rows
from director.runs.values import Step
from director.workflow.values import Config, Json

_SOME = 5  # rows of which a key is known to tell them apart
_MANY = 20  # rows whose values are not different by accident
_SHARE = 0.2  # of the rows, which do not repeat by accident
_COMPARED = ("cells", "format", "input", "blank")


def find_table_doubts(
    step: Step, now: Config, before: Config, inputs: Mapping[str, Json]
) -> Iterator[Doubt]:
    """What speaks against a table that a step downloaded, compared with an earlier one."""
    reading = _make_reading(step, now, before, inputs)
    values = [*_find_values(reading, as_rows(before.get("rows")))]
    moved = {each.field_name for each in values if each.kind == "cells"}
    copies = [each for each in _find_copies(reading, now, before) if each.field_name not in moved]
    for doubt in (*_find_separator(reading, now, before), *values, *copies):
        evidence = {name: each for name, each in doubt.evidence.items() if name != "url"}
        yield replace(doubt, alias=step.alias, evidence={**evidence, "file": now["name"]})


def _make_reading(
    step: Step, now: Config, before: Config, inputs: Mapping[str, Json]
) -> RowReading:
    """A table as if a node had read its rows; sentences name the file."""
    visit = RowVisit(step.key, "", as_rows(now.get("rows")))
    name, known = str(now["name"]), as_rows(before.get("rows"))
    return RowReading(
        step.node, name, (visit,), inputs=inputs, rows_known=(known,), rows_before=(known,)
    )


def _find_separator(reading: RowReading, now: Config, before: Config) -> Iterator[Doubt]:
    new, old = now.get("separator"), before.get("separator")
    columns = [as_rows(each.get("columns")) for each in (now, before)]
    if new != old and min(map(len, columns)) > 1:
        yield reading.doubt(
            "download",
            f"The cells of {reading.alias} are separated by {new!r}; in the last run that passed "
            f"it was {old!r}. A program that reads the file as before finds one column.",
            separator=new,
            separator_before=old,
        )


def _find_values(reading: RowReading, before: Sequence[Json]) -> Iterator[Doubt]:
    """Columns that are in another form, empty, or not of an input, as they were before."""
    visit = RowVisit("", "", before)
    earlier = replace(reading, visits=(visit,), inputs={}, rows_known=(), rows_before=())
    # What could be said of the earlier table by itself was right then.
    known = {(each.kind, each.field_name) for each in find_value_doubts(earlier, ())}
    for doubt in find_value_doubts(reading, before):
        if doubt.kind in _COMPARED and (doubt.kind, doubt.field_name) not in known:
            yield doubt


def _find_copies(reading: RowReading, now: Config, before: Config) -> Iterator[Doubt]:
    """Whole rows, or values of a key, that are there twice where none was."""
    rows, copies = len(as_rows(before.get("rows"))), as_count(now.get("repeated"))
    keys = _list_keys(before)
    many = rows >= _MANY and copies >= _SHARE * (copies + as_count(now.get("different")))
    if copies and (keys or many) and not before.get("repeated"):
        shown = ", ".join(str(each) for each in as_rows(now.get("example")))
        yield reading.doubt(
            "repeated",
            f"Rows of {reading.alias} that repeat an earlier one: {copies}, such as {shown!r}; in "
            "the last run that passed none did. Others may be missing.",
            repeated=copies,
            example=shown,
        )
        return
    for name in keys:
        value = _twice(now).get(name)
        if value:
            yield reading.doubt(
                "unique",
                f"The {name!r} of {reading.alias} is {value!r} in more than one row; in the last "
                "run that passed all were different.",
                field=name,
                values=[value],
                rows_before=rows,
            )


def _list_keys(table: Config) -> list[str]:
    """The columns that told rows apart: by their names, or the first one if it holds numbers."""
    rows = as_rows(table.get("rows"))
    columns = [str(each) for each in as_rows(table.get("columns"))]
    if len(rows) < _SOME:
        return []
    texts = list_doubt_columns(rows)
    first = [name for name in columns[:1] if len(rows) >= _MANY and _is_code(texts.get(name, []))]
    named = [name for name in columns if is_key_name(name)]
    return [name for name in dict.fromkeys((*named, *first)) if name not in _twice(table)]


def _is_code(texts: Sequence[str]) -> bool:
    """Whether all values have a digit and are neither dates nor numbers with decimals."""
    has_digits = all(any(map(str.isdigit, text)) for text in texts)
    shape = compute_column_value_shape(texts)
    return has_digits and not shape.forms and not any(" " in text for text in texts)


def _twice(table: Config) -> Mapping[str, Json]:
    found = table.get("twice")
    return found if isinstance(found, Mapping) else {}
