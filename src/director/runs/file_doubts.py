"""Doubts about downloaded files: not what their names say, or other tables than the last time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from director.runs.doubts import Doubt
from director.runs.download_facts import list_downloads
from director.runs.values import Step
from director.workflow.paths import is_list
from director.workflow.values import Config

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
    steps: Iterable[Step], before: Callable[[], Iterable[Step]]
) -> Iterator[Doubt]:
    """Tables that lack a column of the last run's, or have far fewer rows."""
    now = [(step, file) for step in steps for file in list_downloads([step]) if "columns" in file]
    if not now:
        return
    known: dict[str, Config] = {}
    for step in before():
        for file in list_downloads([step]):
            known[step.node] = file
    for step, file in now:
        said = _find_change(known.get(step.node, {}), file)
        if said and not file.get("wrong"):
            told = f"{file['name']}, which {step.alias} downloaded, {said}."
            evidence = {"now": file, "before": known[step.node]}
            yield Doubt("download", step.node, step.alias, told, evidence)


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
