"""What changed between two versions of a plan or a description, in lines that people read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from director.workflow.description import PARTS, Description
from director.workflow.plan import Phase, Plan, Task
from director.workflow.values import Json

_LINE = 120


def diff_plans(old: Plan | None, new: Plan) -> list[str]:
    """What the new plan changes, one line for each thing; none if it says the same."""
    if old is None:
        tasks = len(new.tasks)
        return [f"new plan: {_short(new.overall_goal)} ({len(new.phases)} phases, {tasks} tasks)"]
    return [*_goals(old, new), *_phases(old, new), *_tasks(old, new), *_lists(old, new)]


def diff_descriptions(old: Description | None, new: Description) -> list[str]:
    """What the new description changes, one line for each thing; none if it says the same."""
    found: list[str] = []
    for part in PARTS:
        before = getattr(old, part) if old else type(getattr(new, part))()
        after = getattr(new, part)
        if isinstance(after, str):
            found += _compare_values(part, before, after)
        else:
            found += _compare_order(part, before, after)
    return found


def _goals(old: Plan, new: Plan) -> Iterator[str]:
    yield from _compare_values("overall_goal", old.overall_goal, new.overall_goal)
    yield from _compare_values("current_phase", old.current_phase, new.current_phase)


def _lists(old: Plan, new: Plan) -> Iterator[str]:
    yield from _compare_order("next_actions", old.next_actions, new.next_actions)
    yield from _compare_order("blockers", old.blockers, new.blockers)
    yield from _compare_values("notes", old.notes, new.notes)


def _phases(old: Plan, new: Plan) -> Iterator[str]:
    before = {phase.phase_name: phase for phase in old.phases}
    after = {phase.phase_name: phase for phase in new.phases}
    yield from (f"- phase {name!r}" for name in before if name not in after)
    for name, phase in after.items():
        if name not in before:
            yield f"+ phase {name!r} ({phase.status})"
        elif before[name].status != phase.status:
            yield f"phase {name!r}: {before[name].status} → {phase.status}"
    yield from _order("phases", before, after)


def _tasks(old: Plan, new: Plan) -> Iterator[str]:
    before, after = _index_tasks(old.phases), _index_tasks(new.phases)
    for one, (_, task) in before.items():
        if one not in after:
            yield f"- task {one}: {_short(task.description)}"
    for one, (phase, task) in after.items():
        if one not in before:
            yield f"+ task {one} in {phase!r}: {_short(task.description)} ({task.status})"
            continue
        was, earlier = before[one]
        yield from _compare_values(f"task {one} phase", was, phase)
        yield from _task(f"task {one}", earlier, task)
    yield from _order("tasks", before, after)


def _task(name: str, old: Task, new: Task) -> Iterator[str]:
    if old.status != new.status:
        yield f"{name} {_short(new.description)!r}: {old.status} → {new.status}"
    yield from _compare_values(f"{name} description", old.description, new.description)
    yield from _compare_values(f"{name} notes", old.notes, new.notes)
    yield from _compare_values(f"{name} node_ids", ", ".join(old.node_ids), ", ".join(new.node_ids))


def _index_tasks(phases: Sequence[Phase]) -> dict[str, tuple[str, Task]]:
    return {str(task.task_id): (phase.phase_name, task) for phase in phases for task in phase.tasks}


def _order(name: str, before: Iterable[str], after: Iterable[str]) -> Iterator[str]:
    old, new = list(before), list(after)
    if [one for one in old if one in new] != [one for one in new if one in old]:
        yield f"{name} in a new order: {', '.join(new)}"


def _compare_values(name: str, old: str, new: str) -> Iterator[str]:
    if old == new:
        return
    # Of two long texts with one beginning, what differs is worth the line.
    both = enumerate(zip(old, new, strict=False))
    start = next((place for place, (a, b) in both if a != b), min(len(old), len(new)))
    start = 0 if start < _LINE // 2 else start - _LINE // 4
    before, after = (f"{'...' if start else ''}{_short(text[start:])}" for text in (old, new))
    yield f"{name}: {before or 'nothing'} → {after or 'nothing'}"


def _compare_order(name: str, old: Sequence[Json], new: Sequence[Json]) -> Iterator[str]:
    gone = [one for one in old if one not in new]
    come = [one for one in new if one not in old]
    yield from (f"- {name}: {_short(one)}" for one in gone)
    yield from (f"+ {name}: {_short(one)}" for one in come)
    if old != new and not gone and not come:
        yield f"{name} in a new order"


def _short(value: Json) -> str:
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(said.split())
    return line if len(line) <= _LINE else f"{line[: _LINE - 3]}..."
