"""The plan and the description of a workflow, with their versions; tasks that the user ticks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from director.services import plans, workflows
from director.services.workflows import RecordVersion
from director.web.request_bodies import Body
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId

router = APIRouter(prefix="/workflows/{workflow}", tags=["plan"])


class Ticked(Body):
    """What the user says of a task; what is not said stays."""

    task: Annotated[str, Field(min_length=1, max_length=200)]
    status: Literal["pending", "in_progress", "completed", "failed"] | None = None
    notes: Annotated[str, Field(max_length=4_000)] | None = None


class Back(Body):
    """A version to go back to."""

    version: Annotated[int, Field(ge=1, le=2**31)]


@router.get("/plan")
def get_current_plan(
    workflow: ExistingWorkflowId,
    studio: CurrentApp,
    version: Annotated[int | None, Query(ge=1, le=2**31)] = None,
) -> Mapping[str, object]:
    """The plan as it is now, or in an older version."""
    return plans.get_plan_body(studio.workspace, "plan", workflow, version=version)


@router.get("/plan/versions")
def list_all_plan_versions(workflow: ExistingWorkflowId, studio: CurrentApp) -> list[RecordVersion]:
    """The versions of the plan, the newest first."""
    return workflows.list_workflow_versions(studio.workspace, "plan", workflow)


@router.post("/plan/restore")
def restore_plan_version(
    workflow: ExistingWorkflowId, body: Back, studio: CurrentApp
) -> Mapping[str, object]:
    """Put an older version of the plan in the place of the newest."""
    return plans.restore_plan(studio.workspace, workflow, body.version)


@router.post("/plan/tasks")
def change_plan_task(
    workflow: ExistingWorkflowId, body: Ticked, studio: CurrentApp
) -> Mapping[str, object]:
    """Change a task of the plan; a task that names nodes is completed by their green run only."""
    return plans.change_planned_task(
        studio.workspace, workflow, body.task, status=body.status, notes=body.notes
    )


@router.get("/description")
def get_plan_description(
    workflow: ExistingWorkflowId,
    studio: CurrentApp,
    version: Annotated[int | None, Query(ge=1, le=2**31)] = None,
) -> Mapping[str, object]:
    """What the workflow is to do, as the user wants it."""
    return plans.get_plan_body(studio.workspace, "description", workflow, version=version)


@router.get("/description/versions")
def list_plan_description_versions(
    workflow: ExistingWorkflowId, studio: CurrentApp
) -> list[RecordVersion]:
    """The versions of the description, the newest first."""
    return workflows.list_workflow_versions(studio.workspace, "description", workflow)
