"""The plan as a to-do list by phase, in any of its versions, with what changed and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from director.store import Store
from director.workflow.plan import Phase, Plan, parse_plan
from director.workflow.values import Json

# A shape, and the word that a screen reader says for it: status is never told by colour alone.
MARKS = {
    "pending": ("new", "To do"),
    "in_progress": ("now", "In progress"),
    "completed": ("ok", "Done"),
    "failed": ("bad", "Failed"),
}


@dataclass(frozen=True, slots=True)
class VersionView:
    """When a version of the plan was written, and why."""

    number: int
    at: float
    reason: str


@dataclass(frozen=True, slots=True)
class PlanView:
    """One version of the plan; `changed` are the tasks that the version before had otherwise."""

    plan: Plan
    version: int
    newest: int
    done: int
    total: int
    changed: frozenset[str]
    versions: tuple[VersionView, ...]

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases in their order."""
        return self.plan.phases


def plan_view(store: Store, workflow: str, version: int | None = None) -> PlanView | None:
    """The plan of a workflow, the newest if no version is named; None if there is none yet."""
    kept = store.versions("plan", workflow)
    wanted = kept[-1].version if kept and version is None else version
    found = next((one for one in kept if one.version == wanted), None)
    if found is None:
        return None
    plan = parse_plan(cast("Json", found.body))
    before = next((one for one in kept if one.version == found.version - 1), None)
    was = parse_plan(cast("Json", before.body)) if before else None
    known = {str(task.task_id): task for task in was.tasks} if was else {}
    changed = {
        str(task.task_id) for task in plan.tasks if was and known.get(str(task.task_id)) != task
    }
    return PlanView(
        plan,
        found.version,
        kept[-1].version,
        sum(task.status == "completed" for task in plan.tasks),
        len(plan.tasks),
        frozenset(changed),
        tuple(VersionView(one.version, one.at, one.reason) for one in reversed(kept)),
    )
