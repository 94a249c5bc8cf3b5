"""The plan as a to-do list by phase, in any of its versions, with what changed and why."""

from __future__ import annotations

from dataclasses import dataclass

from director.services.plans import PlanInVersion, VersionNote
from director.workflow.plan import Phase, Plan

# A shape, and the word that a screen reader says for it: status is never told by colour alone.
MARKS = {
    "pending": ("new", "To do"),
    "in_progress": ("now", "In progress"),
    "completed": ("ok", "Done"),
    "failed": ("bad", "Failed"),
}


@dataclass(frozen=True, slots=True)
class PlanView:
    """One version of the plan; `changed` are the tasks that the version before had otherwise."""

    plan: Plan
    version: int
    newest: int
    done: int
    total: int
    changed: frozenset[str]
    versions: tuple[VersionNote, ...]

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases in their order."""
        return self.plan.phases


def plan_view(found: PlanInVersion | None) -> PlanView | None:
    """A plan as it is drawn, with the tasks that the version before had otherwise."""
    if found is None:
        return None
    known = {str(task.task_id): task for task in found.before.tasks} if found.before else {}
    tasks = found.plan.tasks
    changed = [str(one.task_id) for one in tasks if known.get(str(one.task_id)) != one]
    return PlanView(
        found.plan,
        found.version,
        found.versions[-1].number,
        sum(task.status == "completed" for task in tasks),
        len(tasks),
        frozenset(changed if found.before else ()),
        tuple(reversed(found.versions)),
    )
