"""Variables of the workbench: set and clear them with a reason; what they were stays readable."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from director.services import variables
from director.services.variables import VariableValue, Was
from director.web.request_bodies import Body, Json, Reason
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId

router = APIRouter(prefix="/workflows/{workflow}/variables", tags=["variables"])
_Name = Annotated[str, Path(min_length=1, max_length=200)]
_Why = Annotated[str, Query(min_length=1, max_length=1_000)]


class Given(Body):
    """A value and why it is set; of a secret only its reference, {{secret:name}}."""

    value: Json = Field(description="any JSON value")
    reason: Reason = "by hand"


@router.get("")
def list_draft_variables(workflow: ExistingWorkflowId, studio: CurrentApp) -> list[VariableValue]:
    """The variables that are set in the workbench."""
    return variables.list_variables(studio.workspace, workflow)


@router.put("/{name:path}")
async def set_draft_variable(
    workflow: ExistingWorkflowId, name: _Name, body: Given, studio: CurrentApp
) -> list[VariableValue]:
    """Set a variable."""
    session = await studio.desk(workflow)
    return await variables.set_variable(
        studio.workspace, session, name, value=body.value, reason=body.reason
    )


@router.delete("/{name:path}")
async def clear_draft_variable(
    workflow: ExistingWorkflowId, name: _Name, studio: CurrentApp, reason: _Why = "by hand"
) -> list[VariableValue]:
    """Clear a variable; what it was stays in its history."""
    session = await studio.desk(workflow)
    return await variables.clear_variable(studio.workspace, session, name, reason=reason)


@router.delete("")
async def clear_draft_variables(
    workflow: ExistingWorkflowId, studio: CurrentApp, reason: _Why = "by hand"
) -> list[VariableValue]:
    """Clear every variable, for a clean test."""
    session = await studio.desk(workflow)
    return await variables.clear_variables(studio.workspace, session, reason=reason)


@router.get("/{name:path}")
def get_draft_variable_history(
    workflow: ExistingWorkflowId, name: _Name, studio: CurrentApp
) -> list[Was]:
    """All that a variable was, the newest first."""
    return variables.get_variable_history(studio.workspace, workflow, name)
