"""Doubts about downloaded files: not what their names say, or other tables than the last time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from director.runs.doubts import Doubt, RowReading
from director.runs.download_facts import list_downloads
from director.runs.table_doubts import find_table_doubts
from director.runs.values import Step
from director.workflow.paths import is_list
from director.workflow.values import Config, Json

_SHARE = 0.5
_LEAST = 5  # rows that may go without being far fewer


def find_wrong_files(steps: Iterable[Step]) -> Iterator[Doubt]:
    """Files that are empty, or not what their names say."""
    for step in steps:
        for file in list_downloads([step]):
            if file.get("wrong"):
                said = f"{file['name']}, which {step.alias} downloaded, {file['wrong']}."
                yield Doubt("download", step.node, step.alias, said, file)


def find_changed_files(
    steps: Iterable[Step], before: Callable[[], Iterable[Step]], inputs: Mapping[str, Json]
) -> Iterator[Doubt]:
    """Tables that lack a column of the last run's, have far fewer rows, or hold other things."""
    now = [each for each in _list_tables(steps) if not each.file.get("wrong")]
    known = _list_tables(before()) if now else []
    for each in now:
        was = _find_same(each, now, known)
        if was is None:
            continue
        step, name = each.step, each.file["name"]
        if said := _find_change(was.file, each.file):
            told = f"{name}, which {step.alias} downloaded, {said}."
            evidence = {"now": each.file, "before": was.file}
            yield Doubt("download", step.node, step.alias, told, evidence)
        if each.profile and was.profile:
            yield from find_table_doubts(step, each.profile, was.profile, inputs)


def find_partial_files(steps: Iterable[Step], readings: Sequence[RowReading]) -> Iterator[Doubt]:
    """Tables that hold a part of a list, downloaded on a page on which the run read all of it."""
    for table in _list_tables(steps):
        url, rows = (table.step.before or {}).get("url"), table.file.get("rows")
        for reading in readings:
            read = [row for row in reading.rows if isinstance(row, Mapping)]
            is_there = any(visit.url == url for visit in reading.visits)
            if is_there and isinstance(rows, int) and rows < len(read) and _is_part(table, read):
                step, name = table.step, table.file["name"]
                said = (
                    f"{name}, which {step.alias} downloaded, has {rows} rows, all of them among "
                    f"the {len(read)} that {reading.alias} read on that page: it may hold only a "
                    "part of the list."
                )
                evidence: Config = {"rows": rows, "read": len(read), "url": url}
                yield Doubt("download", step.node, step.alias, said, evidence)


def _is_part(table: _FoundTable, read: Sequence[Mapping[str, Json]]) -> bool:
    """Whether a column that tells the rows of a table apart has only values of one field."""
    rows, twice = table.profile.get("rows"), table.profile.get("twice") or {}
    found = [row for row in rows if isinstance(row, Mapping)] if is_list(rows) else []
    names = {name for row in found for name in row if name not in twice}
    columns = [{_plain(row.get(name)) for row in found} for name in names]
    fields = [{_plain(row.get(name)) for row in read} for name in {n for row in read for n in row}]
    return any(column <= known for column in columns for known in fields)


def _plain(value: Json) -> str:
    return " ".join(str(value).split()).casefold()


@dataclass(frozen=True, slots=True)
class _FoundTable:
    """A table that a step downloaded, with what was kept of it."""

    step: Step
    file: Config
    profile: Config

    @property
    def bare_name(self) -> str:
        """Its name without dates and the numbers that tell files of one name apart."""
        return re.sub(r"[\d\W_]+", "", str(self.file["name"]))


def _list_tables(steps: Iterable[Step]) -> list[_FoundTable]:
    return [
        _FoundTable(step, file, {each["name"]: each for each in step.tables}.get(file["name"], {}))
        for step in steps
        for file in list_downloads([step])
        if "columns" in file
    ]


def _find_same(
    table: _FoundTable, now: Sequence[_FoundTable], before: Sequence[_FoundTable]
) -> _FoundTable | None:
    """The table of an earlier run: of the same step, else of the same node or run, if one is sure.

    Of several it is the one of the same name.
    """
    for same in (
        lambda each: each.step.key == table.step.key,
        lambda each: each.step.node == table.step.node,
        lambda _: True,
    ):
        ours, theirs = [*filter(same, now)], [*filter(same, before)]
        if len(ours) != 1 or len(theirs) != 1:
            ours, theirs = (
                [each for each in part if each.bare_name == table.bare_name]
                for part in (ours, theirs)
            )
        if len(ours) == len(theirs) == 1:
            return theirs[0]
    return None


def _find_change(before: Config, now: Mapping[str, object]) -> str:
    old, new = before.get("columns"), now.get("columns")
    if not is_list(old) or not isinstance(new, list):
        return ""
    gone = [str(each) for each in old if each not in new]
    if gone:
        return f"has no column {gone[0]!r}, as it had in the last run that passed"
    many, few = before.get("rows"), now.get("rows")
    if not isinstance(many, int) or not isinstance(few, int):
        return ""
    if many - few >= _LEAST and few < _SHARE * many:
        return f"has {few} rows; it had {many} in the last run that passed"
    return ""
