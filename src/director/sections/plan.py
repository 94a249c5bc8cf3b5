"""The plan section: the whole plan as a to-do list, under the names that `update_plan` takes.

When it was written is not shown: it would cost tokens at each turn and help nobody.
"""

from __future__ import annotations

from collections.abc import Iterator

from director.context.values import Section
from director.sections.boundary import wrap_section
from director.sections.value_text import bullets, field, line
from director.workflow.plan import Plan, Task

NONE = "No plan yet: make one with update_plan before you build."


def plan_section(plan: Plan | None) -> Section:
    """The whole plan."""
    return wrap_section("plan", NONE if plan is None else "\n".join(_lines(plan)), "agent")


def _lines(plan: Plan) -> Iterator[str]:
    yield from field("plan_version", plan.plan_version)
    yield from field("overall_goal", plan.overall_goal)
    yield from field("current_phase", plan.current_phase)
    for phase in plan.phases:
        yield f"phase {phase.status}: {line(phase.phase_name)}"
        for task in phase.tasks:
            yield from _task(task)
    yield from bullets("next_actions", plan.next_actions)
    yield from bullets("blockers", plan.blockers)
    yield from field("notes", plan.notes)


def _task(task: Task) -> Iterator[str]:
    yield f"{line(str(task.task_id))} {task.status}: {line(task.description)}"
    yield from (f" {found}" for found in field("notes", task.notes))
    yield from (f" {found}" for found in field("node_ids", ", ".join(task.node_ids)))
