"""The plan section: the whole plan as a to-do list, under the names that `update_plan` takes.

When it was written is not shown: it would cost tokens at each turn and help nobody.
"""

from __future__ import annotations

from collections.abc import Iterator

from director.context.values import Section
from director.sections.boundary import wrap_section
from director.sections.value_text import write_value_bullets, write_value_field, write_value_line
from director.workflow.plan import Plan, Task

NONE = "No plan yet: make one with update_plan before you build."


def render_plan_section(plan: Plan | None) -> Section:
    """The whole plan."""
    return wrap_section("plan", NONE if plan is None else "\n".join(_lines(plan)), "agent")


def _lines(plan: Plan) -> Iterator[str]:
    yield from write_value_field("plan_version", plan.plan_version)
    yield from write_value_field("overall_goal", plan.overall_goal)
    yield from write_value_field("current_phase", plan.current_phase)
    for phase in plan.phases:
        yield f"phase {phase.status}: {write_value_line(phase.phase_name)}"
        for task in phase.tasks:
            yield from _task(task)
    yield from write_value_bullets("next_actions", plan.next_actions)
    yield from write_value_bullets("blockers", plan.blockers)
    yield from write_value_field("notes", plan.notes)


def _task(task: Task) -> Iterator[str]:
    head = f"{write_value_line(str(task.task_id))} {task.status}"
    yield f"{head}: {write_value_line(task.description)}"
    yield from (f" {found}" for found in write_value_field("notes", task.notes))
    yield from (f" {found}" for found in write_value_field("node_ids", ", ".join(task.node_ids)))
