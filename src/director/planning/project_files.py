"""From a folder to a project: tolerant of drift, since what lies on the disk is the truth.

A task is done if its file says so by its name. Numbers may be missing, other files may lie
anywhere; nothing here fails on what a file holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from director.planning.disk import Disk
from director.planning.markdown import read_markdown_fields, read_markdown_section
from director.planning.values import GOALS, Folder, Goal, PlanStep, Project, StepTask

_NUMBERED = re.compile(r"(\d+)[-_. ]*(.*)", re.DOTALL)
_DONE = ".done.md"


def open_project(root: Path | str) -> Project:
    """The project in a folder that holds `.director/`; ProjectError if there is none."""
    return read_project(Disk(Path(root)))


def read_project(folder: Folder) -> Project:
    """The project that the files of a folder make."""
    tree: dict[str, dict[str, list[str]]] = {}
    for path in folder.paths:
        names = path.removeprefix(f"{GOALS}/").split("/")
        if path.startswith(f"{GOALS}/") and len(names) > 1:
            steps = tree.setdefault(names[0], {})
            if len(names) > 2:
                steps.setdefault(names[1], []).append(path)
    goals = [_goal(folder, name, steps) for name, steps in tree.items()]
    return Project(folder, tuple(sorted(goals, key=_order)))


def _goal(folder: Folder, name: str, steps: Mapping[str, Sequence[str]]) -> Goal:
    path = f"{GOALS}/{name}"
    number, slug = _parse_name(name)
    found = [_step(f"{path}/{step}", step, files) for step, files in steps.items()]
    return Goal(
        path, number, slug, tuple(sorted(found, key=_order)), _is_called_complete(folder, path)
    )


def _is_called_complete(folder: Folder, path: str) -> bool:
    content = folder.read(f"{path}/GOAL.md")
    text = content.decode("utf-8", "replace") if content else ""
    status = read_markdown_section(text, "Status")
    told = read_markdown_fields(status).get("progress", status.strip())
    return bool(re.match(r"\W*(complete|completed|done)\b", told, re.IGNORECASE))


def _step(path: str, name: str, files: Sequence[str]) -> PlanStep:
    number, slug = _parse_name(name)
    kept = tuple(one for one in files if not _is_task(path, one) and one != f"{path}/STEP.md")
    return PlanStep(path, number, slug, _tasks([one for one in files if _is_task(path, one)]), kept)


def _is_task(step: str, path: str) -> bool:
    name = path.removeprefix(f"{step}/tasks/")
    return name != path and "/" not in name and name.lower().endswith(".md")


def _tasks(paths: Sequence[str]) -> tuple[StepTask, ...]:
    """The two forms of a task are one, and that is done."""
    forms: dict[str, list[str]] = {}
    for path in paths:
        bare = path[: -len(_DONE)] if path.lower().endswith(_DONE) else path[:-3]
        forms.setdefault(bare, []).append(path)
    tasks = []
    for bare, there in forms.items():
        done = [path for path in there if path.lower().endswith(_DONE)]
        number, slug = _parse_name(bare.rpartition("/")[2])
        tasks.append(StepTask((done or there)[0], number, slug, bool(done), len(there) > 1))
    return tuple(sorted(tasks, key=_order))


def _parse_name(name: str) -> tuple[int | None, str]:
    found = _NUMBERED.fullmatch(name)
    # A name may be all digits, and there are digits that no number holds.
    return (int(found[1][:9]), found[2] or name) if found else (None, name)


def _order(one: Goal | PlanStep | StepTask) -> tuple[bool, int, str]:
    return one.number is None, one.number or 0, one.path
