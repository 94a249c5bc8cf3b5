"""Variables of the workbench: set and clear them with a reason; what they were stays readable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import APIRouter, Path, Query
from pydantic import Field

from director.agent.tools import variable_tools
from director.services.errors import NotFound
from director.store.run_variables import KIND, variable_history, variables, workbench
from director.web.app_state import AppState
from director.web.request_bodies import Body, Json, Reason
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId
from director.workflow.sensitive import mask_value
from director.workflow.values import Json as Value

router = APIRouter(prefix="/workflows/{workflow}/variables", tags=["variables"])
_Name = Annotated[str, Path(min_length=1, max_length=200)]
_Why = Annotated[str, Query(min_length=1, max_length=1_000)]


class Given(Body):
    """A value and why it is set; of a secret only its reference, {{secret:name}}."""

    value: Json = Field(description="any JSON value")
    reason: Reason = "by hand"


@dataclass(frozen=True, slots=True)
class VariableValue:
    """A variable as it is now."""

    name: str
    value: object
    at: float
    reason: str
    versions: int


@dataclass(frozen=True, slots=True)
class Was:
    """What a variable was; `cleared` if it was nothing."""

    version: int
    value: object
    cleared: bool
    at: float
    reason: str


@router.get("")
def all_of_them(workflow: ExistingWorkflowId, studio: CurrentApp) -> list[VariableValue]:
    """The variables that are set in the workbench."""
    return listed(studio, workflow)


@router.put("/{name:path}")
async def set_one(
    workflow: ExistingWorkflowId, name: _Name, body: Given, studio: CurrentApp
) -> list[VariableValue]:
    """Set a variable."""
    desk = await studio.desk(workflow)
    await variable_tools.set_variable(desk, name, body.value, body.reason)
    return listed(studio, workflow)


@router.delete("/{name:path}")
async def clear(
    workflow: ExistingWorkflowId, name: _Name, studio: CurrentApp, reason: _Why = "by hand"
) -> list[VariableValue]:
    """Clear a variable; what it was stays in its history."""
    if name not in variables(studio.store, workbench(workflow)):
        raise NotFound(f"There is no variable {name!r}. Nothing was cleared.")
    await variable_tools.clear_variable(await studio.desk(workflow), name, reason)
    return listed(studio, workflow)


@router.delete("")
async def clear_all(
    workflow: ExistingWorkflowId, studio: CurrentApp, reason: _Why = "by hand"
) -> list[VariableValue]:
    """Clear every variable, for a clean test."""
    await variable_tools.clear_all_variables(await studio.desk(workflow), reason)
    return listed(studio, workflow)


@router.get("/{name:path}")
def history(workflow: ExistingWorkflowId, name: _Name, studio: CurrentApp) -> list[Was]:
    """All that a variable was, the newest first."""
    found = variable_history(studio.store, workbench(workflow), name)
    if not found:
        raise NotFound(f"There never was a variable {name!r}.")
    return [
        Was(
            one.version,
            mask_value(cast("Value", one.body.get("value")), name=name),
            "value" not in one.body,
            one.at,
            one.reason,
        )
        for one in reversed(found)
    ]


def listed(studio: AppState, workflow: str) -> list[VariableValue]:
    """The variables of the workbench, sorted, without what is sensitive."""
    prefix = f"{workbench(workflow)}/"
    return [
        VariableValue(
            name := one.id.removeprefix(prefix),
            mask_value(cast("Value", one.body["value"]), name=name),
            one.at,
            one.reason,
            one.version,
        )
        for one in studio.store.newest(KIND, prefix)
        if "value" in one.body
    ]
