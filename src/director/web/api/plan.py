"""The plan and the description of a workflow, with their versions; tasks that the user ticks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from director.agent.saved_workflow import SavedState
from director.services.errors import NotFound
from director.store import Store
from director.web.request_bodies import Body
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId
from director.workflow.plan import Phase, Plan, Task
from director.workflow.plan_rules import check_update, phase_status

router = APIRouter(prefix="/workflows/{workflow}", tags=["plan"])


class Ticked(Body):
    """What the user says of a task; what is not said stays."""

    task: Annotated[str, Field(min_length=1, max_length=200)]
    status: Literal["pending", "in_progress", "completed", "failed"] | None = None
    notes: Annotated[str, Field(max_length=4_000)] | None = None


class Back(Body):
    """A version to go back to."""

    version: Annotated[int, Field(ge=1, le=2**31)]


@dataclass(frozen=True, slots=True)
class PlanVersion:
    """A version of a plan or a description, with the reason and what changed since the last."""

    version: int
    at: float
    reason: str
    changes: tuple[str, ...] = ()


@router.get("/plan")
def plan(
    workflow: ExistingWorkflowId,
    studio: CurrentApp,
    version: Annotated[int | None, Query(ge=1, le=2**31)] = None,
) -> Mapping[str, object]:
    """The plan as it is now, or in an older version."""
    return _body(studio.store, "plan", workflow, version)


@router.get("/plan/versions")
def plan_versions(workflow: ExistingWorkflowId, studio: CurrentApp) -> list[PlanVersion]:
    """The versions of the plan, the newest first."""
    return versions(studio.store, "plan", workflow)


@router.post("/plan/restore")
def plan_back(workflow: ExistingWorkflowId, body: Back, studio: CurrentApp) -> Mapping[str, object]:
    """Put an older version of the plan in the place of the newest."""
    _body(studio.store, "plan", workflow, body.version)
    return studio.store.restore_version("plan", workflow, body.version).body


@router.post("/plan/tasks")
def tick(workflow: ExistingWorkflowId, body: Ticked, studio: CurrentApp) -> Mapping[str, object]:
    """Change a task of the plan; a task that names nodes is completed by their green run only."""
    saved = SavedState(studio.store, workflow)
    old = saved.plan()
    if old is None or body.task not in {str(task.task_id) for task in old.tasks}:
        raise NotFound(f"The plan has no task {body.task!r}. Nothing was changed.")
    new = _ticked(old, body)
    check_update(old, new, saved.green())
    saved.save_plan(new, f"task {body.task} changed by hand")
    return _body(studio.store, "plan", workflow, None)


@router.get("/description")
def description(
    workflow: ExistingWorkflowId,
    studio: CurrentApp,
    version: Annotated[int | None, Query(ge=1, le=2**31)] = None,
) -> Mapping[str, object]:
    """What the workflow is to do, as the user wants it."""
    return _body(studio.store, "description", workflow, version)


@router.get("/description/versions")
def description_versions(workflow: ExistingWorkflowId, studio: CurrentApp) -> list[PlanVersion]:
    """The versions of the description, the newest first."""
    return versions(studio.store, "description", workflow)


def versions(store: Store, kind: str, id_: str) -> list[PlanVersion]:
    """The versions of a record, the newest first, each with what it changed."""
    found = store.versions(kind, id_)
    return [
        PlanVersion(
            one.version,
            one.at,
            one.reason,
            tuple(store.diff(kind, id_, one.version - 1, one.version)) if one.version > 1 else (),
        )
        for one in reversed(found)
    ]


def _body(store: Store, kind: str, id_: str, version: int | None) -> Mapping[str, object]:
    found = store.get(kind, id_, version)
    if found is None:
        which = f" in version {version}" if version else " yet"
        raise NotFound(f"This workflow has no {kind}{which}.")
    return found.body


def _ticked(plan: Plan, body: Ticked) -> Plan:
    def task(one: Task) -> Task:
        if str(one.task_id) != body.task:
            return one
        notes = one.notes if body.notes is None else body.notes
        return replace(one, status=body.status or one.status, notes=notes)

    def phase(one: Phase) -> Phase:
        tasks = tuple(map(task, one.tasks))
        return one if tasks == one.tasks else replace(one, tasks=tasks, status=phase_status(tasks))

    return replace(plan, phases=tuple(map(phase, plan.phases)))
