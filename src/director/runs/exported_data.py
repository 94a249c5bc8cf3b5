"""The records and variables of a run as CSV and JSON, whole: for spreadsheets and programs.

In a table an object becomes columns (`detail.price`) and a list of texts or numbers one cell; only
a list of objects stays JSON there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Literal, cast

from director.runs.run_journal import list_run_records
from director.runs.run_report import flatten_report_record, flatten_report_row
from director.store import Store
from director.store.run_variables import read_run_variables
from director.workflow.paths import is_list
from director.workflow.values import Json

Row = dict[str, Json]
# A spreadsheet takes a text that begins so for a formula, and would compute it; blanks, tabs and
# line ends before it are passed over, and the wide forms count as well.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠\t\r\n\0|]")
_BARE = re.compile(r"[\w .:/@%+-]*")
# A number is what it is, also below zero, in groups or with a unit that is no letter; so is a dash
# that stands for nothing. Neither has anything in it that could be computed.
_NUMBER = re.compile(
    r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
    r"|[+-][ \u00a0\u202f]?\d(?:[ .,'\u2019\u00a0\u202f]?\d)*(?:[ \u00a0\u202f]?[%€$£¥])?"
    r"|-{1,3}",
    re.ASCII,
)


def list_exported_rows(store: Store, run: str, what: Literal["records", "variables"]) -> list[Row]:
    """What a run found: a row for each record, or for each variable."""
    if what == "records":
        return [flatten_report_record(record) for record in list_run_records(store, run)]
    found = cast("dict[str, Json]", read_run_variables(store, run))
    return [{"name": name, "value": value} for name, value in found.items()]


def list_exported_json_columns(rows: Sequence[Row]) -> list[str]:
    """The columns of a table in which some cells are lists of objects, as JSON."""
    table = [flatten_report_row(row) for row in rows]
    names = dict.fromkeys(name for row in table for name in row)
    return [name for name in names if any(is_list(row.get(name)) for row in table)]


def export_rows_as_json(rows: Sequence[Row]) -> str:
    """Rows as a list of objects."""
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"


def export_rows_as_csv(rows: Sequence[Row], *, bom: bool = False) -> str:
    """Rows under their names, which are defused like any text; what is no text or number is JSON.

    Excel takes a file for UTF-8 only if a `bom` begins it.
    """
    table = [flatten_report_row(row) for row in rows]
    names = list(dict.fromkeys(name for row in table for name in row))
    lines = [map(_cell, names), *(map(_cell, map(row.get, names)) for row in table)]
    return ("\ufeff" if bom else "") + "".join(f"{','.join(line)}\n" for line in lines)


def _cell(value: Json) -> str:
    if value is None:
        return ""
    text = _defuse(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    # Whatever a program may take for a separator or a line end is inside quotes.
    return text if _BARE.fullmatch(text) else '"' + text.replace('"', '""') + '"'


def _defuse(text: str) -> str:
    """A text that a spreadsheet shows and does not compute; a number stays one."""
    if _NUMBER.fullmatch(text) or not _FORMULA.match(text):
        return text
    return f"'{text}"
