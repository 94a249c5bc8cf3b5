"""Tools that set and clear variables of the workbench; what they were stays in their history."""

from __future__ import annotations

from typing import cast

from director.agent.agent_session import AgentSession
from director.store import run_variables as kept
from director.store.run_variables import get_draft_run_id
from director.workflow.display import render_value
from director.workflow.sensitive import is_sensitive
from director.workflow.templates import SECRET
from director.workflow.values import Json, WorkflowError


async def set_variable(
    desk: AgentSession,
    variableName: str,
    value: object,
    reason: str,
) -> str:
    """Set a variable of the workbench, to test with it.

    Args:
        variableName: its name, such as "prices.items"
        value: any JSON value; of a secret only its reference, {{secret:name}}
        reason: why it is set

    """
    if is_sensitive(variableName) and value is not None and not SECRET.fullmatch(str(value)):
        raise WorkflowError(
            f"{variableName!r} is the name of a secret. Nothing was set. Secrets are kept in the "
            "vault: ask the user to put it there, and set its reference, {{secret:name}}."
        )
    kept.set_run_variable(desk.store, get_draft_run_id(desk.workflow), variableName, value, reason)
    return f"{variableName} = {render_value(variableName, cast('Json', value))}"


async def clear_variable(
    desk: AgentSession,
    variableName: str,
    reason: str,
) -> str:
    """Clear a variable of the workbench.

    Args:
        variableName: its name
        reason: why it is cleared

    """
    kept.clear_run_variable(desk.store, get_draft_run_id(desk.workflow), variableName, reason)
    return f"{variableName} is cleared."


async def clear_all_variables(desk: AgentSession, reason: str) -> str:
    """Clear every variable of the workbench, for a clean test.

    Args:
        reason: why they are cleared

    """
    gone = kept.clear_all_run_variables(desk.store, get_draft_run_id(desk.workflow), reason)
    return f"{len(gone)} variables are cleared." if gone else "There were no variables."
