"""Plans and descriptions of workflows: read any version, go back to one, change a task by hand.

A task that names nodes is completed by their run alone, whoever says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast

from director.agent.saved_workflow import NONE, SavedState
from director.services.errors import NotFound
from director.services.outgoing import redact_result
from director.services.workspace import Workspace
from director.store import Store
from director.workflow.description import Description
from director.workflow.plan import Phase, Plan, Status, Task, parse_plan
from director.workflow.plan_rules import check_plan_update, compute_phase_status
from director.workflow.values import Json

Kind = Literal["plan", "description"]


@dataclass(frozen=True, slots=True)
class PlanInVersion:
    """One version of a plan, the one before it, and all that there are, the oldest first."""

    plan: Plan
    version: int
    before: Plan | None
    versions: tuple[VersionNote, ...]


@dataclass(frozen=True, slots=True)
class VersionNote:
    """When a version was written, and why."""

    number: int
    at: float
    reason: str


@redact_result
def get_plan_body(
    workspace: Workspace, kind: Kind, workflow: str, *, version: int | None = None
) -> Mapping[str, object]:
    """A plan or a description as it is stored, the newest if no version is named."""
    return _get_body(workspace.reads, kind, workflow, version)


@redact_result
def get_plan(
    workspace: Workspace, workflow: str, *, version: int | None = None
) -> PlanInVersion | None:
    """A plan with the version before it; None if there is none."""
    every = workspace.reads.versions("plan", workflow)
    if every and version is None and every[-1].body == NONE:
        return None
    kept = [one for one in every if one.body != NONE]
    wanted = kept[-1].version if kept and version is None else version
    found = next((one for one in kept if one.version == wanted), None)
    if found is None:
        return None
    before = next((one for one in kept if one.version == found.version - 1), None)
    return PlanInVersion(
        parse_plan(cast("Json", found.body)),
        found.version,
        parse_plan(cast("Json", before.body)) if before else None,
        tuple(VersionNote(one.version, one.at, one.reason) for one in kept),
    )


@redact_result
def get_description(workspace: Workspace, workflow: str) -> Description | None:
    """What a workflow is to do, as the user wants it; None if nothing was said."""
    return SavedState(workspace.reads, workflow).description()


@redact_result
def restore_plan(workspace: Workspace, workflow: str, version: int) -> Mapping[str, object]:
    """Put an older version of the plan in the place of the newest; every version stays."""
    _get_body(workspace.store, "plan", workflow, version)
    return workspace.store.restore_version("plan", workflow, version).body


@redact_result
def change_planned_task(
    workspace: Workspace,
    workflow: str,
    task: str,
    *,
    status: Status | None = None,
    notes: str | None = None,
) -> Mapping[str, object]:
    """Change a task of the plan by hand; what is None stays."""
    saved = SavedState(workspace.store, workflow)
    old = saved.plan()
    if old is None or task not in {str(one.task_id) for one in old.tasks}:
        raise NotFound(f"The plan has no task {task!r}. Nothing was changed.")
    new = _change(old, task, status, notes)
    check_plan_update(old, new, saved.green())
    saved.save_plan(new, f"task {task} changed by hand")
    return _get_body(workspace.store, "plan", workflow, None)


def _get_body(store: Store, kind: str, id_: str, version: int | None) -> Mapping[str, object]:
    found = store.get(kind, id_, version)
    if found is None or found.body == NONE:
        which = f" in version {version}" if version else " yet"
        raise NotFound(f"This workflow has no {kind}{which}.")
    return found.body


def _change(plan: Plan, wanted: str, status: Status | None, notes: str | None) -> Plan:
    def change_task(one: Task) -> Task:
        if str(one.task_id) != wanted:
            return one
        said = one.notes if notes is None else notes
        return replace(one, status=status or one.status, notes=said)

    def change_phase(one: Phase) -> Phase:
        tasks = tuple(map(change_task, one.tasks))
        return (
            one
            if tasks == one.tasks
            else replace(one, tasks=tasks, status=compute_phase_status(tasks))
        )

    return replace(plan, phases=tuple(map(change_phase, plan.phases)))
