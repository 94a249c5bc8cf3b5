"""Doubts about downloaded files: not what their names say, or other tables than the last time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from director.runs.doubts import Doubt
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
    now = [each for each in list_tables(steps) if not each.file.get("wrong")]
    known = list_tables(before()) if now else []
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


@dataclass(frozen=True, slots=True)
class DownloadedTable:
    """A table that a step downloaded, with what was kept of it."""

    step: Step
    file: Config
    profile: Config

    @property
    def bare_name(self) -> str:
        """Its name without dates and the numbers that tell files of one name apart."""
        return re.sub(r"[\d\W_]+", "", str(self.file["name"]))


def list_tables(steps: Iterable[Step]) -> list[DownloadedTable]:
    """The tables that steps downloaded, in their order."""
    return [
        DownloadedTable(
            step, file, {each["name"]: each for each in step.tables}.get(file["name"], {})
        )
        for step in steps
        for file in list_downloads([step])
        if "columns" in file
    ]


def _find_same(
    table: DownloadedTable, now: Sequence[DownloadedTable], before: Sequence[DownloadedTable]
) -> DownloadedTable | None:
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
