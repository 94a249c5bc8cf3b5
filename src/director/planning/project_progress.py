"""How far a project is and what comes next, with the reason. Pure.

The files decide; the gameplan says where to begin to look. Prose that names a goal, a step or a
task is checked against the files; prose that names none is shown and left to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from director.planning.markdown import (
    read_markdown_fields,
    read_markdown_section,
    read_markdown_title,
)
from director.planning.values import (
    GAMEPLAN,
    Goal,
    PlanStep,
    Project,
    ProjectError,
    StepTask,
    WorkLocation,
)

_NUMBERS = r"(\d+(?:\s*(?:,|and|&|or)\s*\d+)*)"
_NAMED = re.compile(rf"\b(goal|step|task)s?\s+{_NUMBERS}", re.IGNORECASE)
_PREVIOUS = re.compile(r"\b(?:previous|preceding) task\b", re.IGNORECASE)
_LABEL = re.compile(r"^(?:goal|step|task)\s*\d*\s*:\s*", re.IGNORECASE)
_NOTHING = re.compile(r"\W*(nothing|none|n/a)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NextTask:
    """The next task and why it is that one; no place if every task is done."""

    place: WorkLocation | None
    why: str


@dataclass(frozen=True, slots=True)
class Focus:
    """What the gameplan calls the current goal and step, as far as they are there."""

    goal: Goal | None = None
    step: PlanStep | None = None


def find_next_task(project: Project) -> NextTask:
    """The first open task from the current focus on whose needs are met."""
    if not project.goals:
        return NextTask(None, "There is no goal yet.")
    focus = find_project_focus(project)
    waiting: list[tuple[WorkLocation, str]] = []
    for place in _from(project, focus):
        missing = describe_missing_needs(project, place)
        if not missing:
            return NextTask(place, _why(project, place, focus, len(waiting)))
        waiting.append((place, missing))
    if waiting:
        place, missing = waiting[0]
        return NextTask(place, f"Every open task waits for another; this one for {missing}.")
    planned = any(goal.tasks for goal in project.goals)
    return NextTask(None, "Every task is done." if planned else "There is no task yet.")


def find_project_focus(project: Project) -> Focus:
    """The goal and step that the gameplan names, by number or by words."""
    told = read_markdown_fields(
        read_markdown_section(project.text(GAMEPLAN) or "", "Current Focus")
    )
    goal = _find_meant(project, project.goals, told.get("current goal", ""), "goal")
    steps = goal.steps if isinstance(goal, Goal) else ()
    step = _find_meant(project, steps, told.get("current step", ""), "step")
    return Focus(
        goal if isinstance(goal, Goal) else None, step if isinstance(step, PlanStep) else None
    )


def describe_missing_needs(project: Project, place: WorkLocation) -> str:
    """What a task needs first and is not done, in words; nothing if it can start."""
    paths = (place.task.path, get_step_file(place.step))
    prose = "\n".join(read_task_needs(project, path) for path in paths)
    missing = list(_missing(project, place, prose))
    before = place.step.tasks[: place.step.tasks.index(place.task)][-1:]
    if _PREVIOUS.search(prose) and before and not before[0].done:
        missing.append("the task before it")
    return ", ".join(dict.fromkeys(missing))


def read_task_needs(project: Project, path: str) -> str:
    """The prose of Needs First, without the ways to say nothing."""
    prose = read_markdown_section(project.text(path) or "", "Needs First").strip()
    return "" if _NOTHING.match(prose) else prose


def get_step_file(step: PlanStep) -> str:
    """The file that describes a step."""
    return f"{step.path}/STEP.md"


def find_task(project: Project, wanted: str) -> WorkLocation:
    """The task that a user means: a path, a file's name, its slug, its title, or 2.1.3."""
    asked = wanted.strip().removeprefix("./")
    meant: tuple[Callable[[WorkLocation], bool], ...] = (
        lambda place: place.task.path in (asked, f".director/{asked}"),
        lambda place: asked in _file_names(place),
        lambda place: asked == _join_numbers(place),
        lambda place: get_progress_name(project, place.task).casefold() == asked.casefold(),
    )
    for fits in meant:
        found = [place for place in project.places() if fits(place)]
        if len(found) == 1:
            return found[0]
        if found:
            told = ", ".join(place.task.path for place in found[:5])
            raise ProjectError(f"{wanted!r} may be one of {len(found)} tasks: {told}. Give a path.")
    known = ", ".join(place.task.path for place in list(project.places())[:5]) or "none"
    raise ProjectError(f"There is no task {wanted!r}. The first tasks are: {known}.")


def get_progress_label(one: Goal | PlanStep | StepTask) -> str:
    """What it is: the word of its file's name and of its heading."""
    if isinstance(one, Goal):
        return "Goal"
    return "Step" if isinstance(one, PlanStep) else "Task"


def get_progress_name(project: Project, one: Goal | PlanStep | StepTask) -> str:
    """What a goal, step or task is called in its file, or its slug in words."""
    path = (
        one.path
        if isinstance(one, StepTask)
        else f"{one.path}/{get_progress_label(one).upper()}.md"
    )
    told = _LABEL.sub("", read_markdown_title(project.text(path) or ""))
    return told or one.slug.replace("-", " ")


def _file_names(place: WorkLocation) -> tuple[str, ...]:
    file = place.task.path.rpartition("/")[2]
    bare = file.removesuffix(".md").removesuffix(".done")
    return file, bare, f"{bare}.md", place.task.slug


def _join_numbers(place: WorkLocation) -> str:
    numbers = (place.goal.number, place.step.number, place.task.number)
    return ".".join(str(number) for number in numbers)


def _from(project: Project, focus: Focus) -> Iterator[WorkLocation]:
    """The open tasks: from the focus to the end, then what lies before it."""
    ahead: list[WorkLocation] = []
    reached = focus.goal is None
    for place in project.places():
        here = place.goal is focus.goal and (focus.step is None or place.step is focus.step)
        reached = reached or here
        if not place.task.done and reached:
            yield place
        elif not place.task.done:
            ahead.append(place)
    yield from ahead


def _why(project: Project, place: WorkLocation, focus: Focus, waiting: int) -> str:
    if focus.goal is None:
        why = "It is the first open task; the gameplan names no focus that is there."
    elif place.goal == focus.goal and focus.step in (None, place.step):
        why = "It is the first open task of the current focus in the gameplan."
    else:
        named = f"goal {focus.goal.number}"
        named += f", step {focus.step.number}" if focus.step else ""
        why = f"The gameplan's focus ({named}) has no open task that can start; this comes next."
    if waiting:
        why += f" {waiting} open tasks ahead of it wait for others."
    needs = read_task_needs(project, place.task.path)
    if not needs:
        return f"{why} It needs nothing first."
    named = "what it names is done" if _NAMED.search(needs) else "it names no task to check"
    return f"{why} Needs first ({named}): {' '.join(needs.split())}"


def _missing(project: Project, place: WorkLocation, prose: str) -> Iterator[str]:
    """What prose names and is not complete. A step belongs to the goal named before it."""
    goal: Goal | None = place.goal
    step: PlanStep | None = place.step
    named = [(one[1].lower(), one[2], one.end()) for one in _NAMED.finditer(prose)]
    for at, (kind, numbers, end) in enumerate(named):
        wanted = [int(number[:9]) for number in re.findall(r"\d+", numbers)]
        if kind == "goal":
            goals = [one for one in project.goals if one.number in wanted]
            goal, step = (goals[0] if goals else None), None
            narrower = at + 1 < len(named) and named[at + 1][0] == "step"
            if narrower and not re.search(
                r"[.;\n]", prose[end : prose.find(named[at + 1][1], end)]
            ):
                continue
            yield from (f"goal {one.number}" for one in goals if _open(one, place))
        elif kind == "step" and goal is not None:
            steps = [one for one in goal.steps if one.number in wanted]
            step = steps[0] if steps else None
            yield from (_name_step(goal, one) for one in steps if _open(one, place))
        elif kind == "task" and step is not None:
            tasks = [one for one in step.tasks if one.number in wanted]
            yield from (f"task {one.number}" for one in tasks if _open(one, place))


def _name_step(goal: Goal, step: PlanStep) -> str:
    return f"step {step.number} of goal {goal.number}"


def _open(one: Goal | PlanStep | StepTask, place: WorkLocation) -> bool:
    """Whether something else than the task's own goal, step or self is not done."""
    if one in (place.goal, place.step, place.task):
        return False
    return not (one.done if isinstance(one, StepTask) else one.complete)


def _find_meant(
    project: Project, among: tuple[Goal, ...] | tuple[PlanStep, ...], told: str, kind: str
) -> Goal | PlanStep | None:
    found = re.search(rf"\b{kind}\s+(\d+)", told, re.IGNORECASE) or re.match(r"\W*(\d+)\W*$", told)
    bare = re.sub(rf"^\W*{kind}\s+\d+\W*", "", told, flags=re.IGNORECASE).strip("*_ ").casefold()
    for one in among:
        if found and one.number == int(found[1][:9]):
            return one
    for one in among:
        if bare and bare in (get_progress_name(project, one).casefold(), one.slug.casefold()):
            return one
    return None
