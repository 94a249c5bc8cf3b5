"""Records and values as tables: columns, rows of text, how many more there are. Nothing is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from director.workflow.display import render_value
from director.workflow.record_types import record_row
from director.workflow.records import Record
from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Json

MOST = 200
_CELL = 2_000


@dataclass(frozen=True, slots=True)
class RecordTable:
    """Rows of one type; `more` are not shown."""

    type: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    count: int

    @property
    def more(self) -> int:
        """How many rows are left out."""
        return self.count - len(self.rows)


def record_tables(records: Iterable[Record]) -> tuple[RecordTable, ...]:
    """A table for each type of records, in the order in which they were first made."""
    by_type: dict[str, list[Record]] = {}
    for record in records:
        by_type.setdefault(record.type, []).append(record)
    found = []
    for type_, same in by_type.items():
        shown = [record_row(record) for record in same[:MOST]]
        found.append(_table(type_, shown, len(same)))
    return tuple(found)


def make_record_table(value: object, name: str = "") -> RecordTable | None:
    """A list of objects as a table, also where it stands in an object beside its count."""
    if isinstance(value, Mapping):
        lists = [(key, one) for key, one in value.items() if _is_rows(one)]
        return make_record_table(lists[0][1], str(lists[0][0])) if len(lists) == 1 else None
    if not _is_rows(value):
        return None
    rows = cast("Sequence[Mapping[str, Json]]", value)
    return _table(name, rows[:MOST], len(rows))


def list_record_fields(value: object) -> tuple[tuple[str, str], ...]:
    """A value as names and texts: the fields of an object, else the value itself."""
    if isinstance(value, Mapping):
        return tuple((str(name), write_record_cell(str(name), one)) for name, one in value.items())
    return () if value is None else (("value", write_record_cell("value", value)),)


def write_record_cell(name: str, value: object) -> str:
    """A value as the text of a cell, without what is sensitive."""
    said = mask_sensitive(cast("Json", value), name=name)
    if said is None:
        return ""
    text = said if isinstance(said, str) else render_value(name, said)
    return text if len(text) <= _CELL else f"{text[:_CELL]}…"


def _is_rows(value: object) -> bool:
    if not isinstance(value, list | tuple) or not value:
        return False
    return all(isinstance(one, Mapping) for one in value)


def _table(type_: str, rows: Sequence[Mapping[str, Json]], count: int) -> RecordTable:
    columns = tuple(dict.fromkeys(str(name) for row in rows for name in row))
    cells = tuple(tuple(write_record_cell(name, row.get(name)) for name in columns) for row in rows)
    return RecordTable(type_, columns, cells, count)
