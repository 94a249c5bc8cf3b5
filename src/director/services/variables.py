"""Variables of the draft run: set and clear them with a reason; what they were stays readable.

The value of a secret is never set; only its reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from director.agent import AgentSession
from director.agent.tools import variable_tools
from director.services.errors import NotFound
from director.services.outgoing import redact_result
from director.services.workspace import Workspace
from director.store import Store, Versioned
from director.store.run_variables import (
    KIND,
    get_draft_run_id,
    list_run_variable_history,
    read_run_variables,
)
from director.workflow.display import render_value
from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Json


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


@dataclass(frozen=True, slots=True)
class VariableLine:
    """A variable in one line, as the model is shown it, with why it was set last."""

    name: str
    shown: str
    reason: str
    versions: int


@redact_result
def list_variables(workspace: Workspace, workflow: str) -> list[VariableValue]:
    """The variables that are set, by name, without what is sensitive."""
    return _list_values(workspace.reads, workflow)


@redact_result
def list_variable_lines(workspace: Workspace, workflow: str) -> list[VariableLine]:
    """The variables that are set, by name, each in a line."""
    return [
        VariableLine(name, render_value(name, value), one.reason, one.version)
        for name, value, one in _list_set(workspace.reads, workflow)
    ]


@redact_result
def get_variable_history(workspace: Workspace, workflow: str, name: str) -> list[Was]:
    """All that a variable was, the newest first."""
    found = list_run_variable_history(workspace.reads, get_draft_run_id(workflow), name)
    if not found:
        raise NotFound(f"There never was a variable {name!r}.")
    return [
        Was(
            one.version,
            mask_sensitive(cast("Json", one.body.get("value")), name=name),
            "value" not in one.body,
            one.at,
            one.reason,
        )
        for one in reversed(found)
    ]


@redact_result
async def set_variable(
    workspace: Workspace, session: AgentSession, name: str, *, value: object, reason: str
) -> list[VariableValue]:
    """Set a variable; of a secret only its reference, {{secret:name}}."""
    await variable_tools.set_variable(session, name, value, reason)
    return _list_values(workspace.store, session.workflow)


@redact_result
async def clear_variable(
    workspace: Workspace, session: AgentSession, name: str, *, reason: str
) -> list[VariableValue]:
    """Clear a variable; what it was stays in its history."""
    if name not in read_run_variables(workspace.store, get_draft_run_id(session.workflow)):
        raise NotFound(f"There is no variable {name!r}. Nothing was cleared.")
    await variable_tools.clear_variable(session, name, reason)
    return _list_values(workspace.store, session.workflow)


@redact_result
async def clear_variables(
    workspace: Workspace, session: AgentSession, *, reason: str
) -> list[VariableValue]:
    """Clear every variable, for a clean test."""
    await variable_tools.clear_all_variables(session, reason)
    return _list_values(workspace.store, session.workflow)


def _list_values(store: Store, workflow: str) -> list[VariableValue]:
    return [
        VariableValue(name, mask_sensitive(value, name=name), one.at, one.reason, one.version)
        for name, value, one in _list_set(store, workflow)
    ]


def _list_set(store: Store, workflow: str) -> Iterator[tuple[str, Json, Versioned]]:
    prefix = f"{get_draft_run_id(workflow)}/"
    for one in store.newest(KIND, prefix):
        if "value" in one.body:
            yield one.id.removeprefix(prefix), cast("Json", one.body["value"]), one
