"""Tools that read the state: the very texts that other profiles show as sections, or narrower."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from director.agent.agent_session import AgentSession
from director.agent.conversation.archived_turns import recall_turn
from director.agent.turn_context import gather
from director.runs.run_journal import records_of, run_of
from director.sections.overview import workflow_summary
from director.sections.section_texts import render_tool_result
from director.sections.variables import records_in_full, variables_in_full
from director.sections.workflow import workflow_section
from director.store.run_variables import variables
from director.workflow.values import Json, WorkflowError


async def get_workflow_summary(desk: AgentSession) -> str:
    """Get a first overview: name, goal, number of nodes, phase, last run, status."""
    return workflow_summary(await gather(desk))


async def get_workflow_nodes(
    desk: AgentSession,
    range: str = "",
    type: str = "",
) -> str:
    """Get the workflow and its nodes with their latest status.

    Args:
        range: "1-10", "recent" (the last ten), "all", or aliases
        type: only nodes of this type

    """
    state = await gather(desk)
    return workflow_section(state.workflow, state.statuses, range_=range or "all", type_=type).text


async def get_workflow_variables(desk: AgentSession, key: str = "") -> str:
    """Get the variables in short, or one of them whole.

    Args:
        key: a variable, or a path into one; nothing or "all" for all in short

    """
    state = await gather(desk)
    if key in ("", "all"):
        return render_tool_result("get_workflow_variables", state).text
    return variables_in_full(state.variables, state.workflow, name=key).text


async def get_workflow_variable(
    desk: AgentSession,
    variableName: str = "",
    nodeId: int | str = "",
    run: str = "",
) -> str:
    """Get the full value of a variable, of all variables of a node, of records, or of "all".

    Args:
        variableName: its name, a path into it, records such as "order_*" or "order_003", or "all"
        nodeId: a node by alias, id or position, instead of a name
        run: a run of execute_nodes, such as "run-1a2b3c4d5e"; without it what tests of nodes made

    """
    state = await gather(desk)
    values, records = state.variables, state.records
    if run:
        if run_of(desk.store, run).workflow != desk.workflow:
            raise WorkflowError(f"The run {run!r} is not one of this workflow.")
        values = cast("Mapping[str, Json]", variables(desk.store, run))
        records = tuple(records_of(desk.store, run))
    if found := records_in_full(records, variableName):
        return found.text
    return variables_in_full(values, state.workflow, name=variableName, node=nodeId).text


async def get_browser_state(desk: AgentSession) -> str:
    """Get the open tabs: their names and addresses, and which one is active."""
    return render_tool_result("get_browser_state", await gather(desk)).text


async def recall(desk: AgentSession, citation: str) -> str:
    """Read the original words behind a summary or a shortened result.

    Args:
        citation: a turn such as "t12" or "12", or the eight hex digits of a notice

    """
    return recall_turn(desk.store, desk.thread, citation)
