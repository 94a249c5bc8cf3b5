"""The records and variables of a run as CSV and JSON, whole: for spreadsheets and programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Literal, cast

from director.runs.ledger import records_of
from director.runs.report import flat
from director.store import Store
from director.store.variables import variables
from director.workflow.values import Json

Row = dict[str, Json]
# A spreadsheet takes a text that begins so for a formula, and would compute it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def rows_of(store: Store, run: str, what: Literal["records", "variables"]) -> list[Row]:
    """What a run found: a row for each record, or for each variable."""
    if what == "records":
        return [flat(record) for record in records_of(store, run)]
    found = cast("dict[str, Json]", variables(store, run))
    return [{"name": name, "value": value} for name, value in found.items()]


def as_json(rows: Sequence[Row]) -> str:
    """Rows as a list of objects."""
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"


def as_csv(rows: Sequence[Row]) -> str:
    """Rows under their names; what is no text is written as JSON."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(row.get(name)) for name in names] for row in rows)
    return out.getvalue()


def _cell(value: Json) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return f"'{value}" if value.startswith(_FORMULA) else value
