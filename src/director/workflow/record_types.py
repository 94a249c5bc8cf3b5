"""The records of a run at a glance: how many of each type, and what the first ones say. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from director.workflow.records import Record, select_records
from director.workflow.values import Config, Json

FIRST = 3


@dataclass(frozen=True, slots=True)
class RecordType:
    """The records of one type: how many, the first and the last by id, the first ones as rows."""

    type: str
    count: int
    first: str
    last: str
    rows: tuple[Config, ...]
    failed: int = 0

    def __str__(self) -> str:
        names = self.first if self.count == 1 else f"{self.first} to {self.last}"
        failed = f", {self.failed} of them failed" if self.failed else ""
        return f"{self.count} of type {self.type!r} ({names}{failed})"


def list_record_types(records: Iterable[Record], rows: int = FIRST) -> tuple[RecordType, ...]:
    """Each type of records, in the order in which they were first made."""
    by_type: dict[str, list[Record]] = {}
    for record in records:
        by_type.setdefault(record.type, []).append(record)
    return tuple(
        RecordType(
            type_,
            len(same),
            same[0].id,
            same[-1].id,
            tuple(record_row(each) for each in same[:rows]),
            sum(each.status == "failed" for each in same),
        )
        for type_, same in by_type.items()
    )


def record_row(record: Record) -> dict[str, Json]:
    """A record as one row: its id, what nodes found, what was gathered about it."""
    found: dict[str, Json] = {"id": record.id}
    for alias, value in record.fields.items():
        found |= dict(value) if isinstance(value, Mapping) else {alias: value}
    return {**found, **record.vars}


def count_records(query: str, records: Iterable[Record]) -> int:
    """How many records a condition names: by type, by a pattern, or by id."""
    known = list(records)
    if same := [each for each in known if each.type == query]:
        return len(same)
    return (
        len(select_records(query, known))
        if "*" in query
        else sum(each.id == query for each in known)
    )
