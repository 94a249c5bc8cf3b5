"""Tools that read the state: the very texts that other profiles show as sections, or narrower."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from director.agent.agent_session import AgentSession
from director.agent.conversation.archived_turns import recall_archived_turn
from director.agent.turn_context import gather_turn_context
from director.runs.run_journal import list_run_records, read_run
from director.sections.overview import write_overview_summary
from director.sections.section_texts import render_tool_result
from director.sections.variables import render_records_in_full, render_variables_in_full
from director.sections.workflow import render_workflow_section
from director.store.run_variables import read_run_variables
from director.workflow.values import Json, WorkflowError


async def get_workflow_summary(desk: AgentSession) -> str:
    """Get a first overview: name, goal, number of nodes, phase, last run, status."""
    return write_overview_summary(await gather_turn_context(desk))


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
    state = await gather_turn_context(desk)
    return render_workflow_section(
        state.workflow, state.statuses, range_=range or "all", type_=type
    ).text


async def get_workflow_variables(desk: AgentSession, key: str = "") -> str:
    """Get the variables in short, or one of them whole.

    Args:
        key: a variable, or a path into one; nothing or "all" for all in short

    """
    state = await gather_turn_context(desk)
    if key in ("", "all"):
        return render_tool_result("get_workflow_variables", state).text
    return render_variables_in_full(state.variables, state.workflow, name=key).text


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
    state = await gather_turn_context(desk)
    values, records = state.variables, state.records
    if run:
        if read_run(desk.store, run).workflow != desk.workflow:
            raise WorkflowError(f"The run {run!r} is not one of this workflow.")
        values = cast("Mapping[str, Json]", read_run_variables(desk.store, run))
        records = tuple(list_run_records(desk.store, run))
    if found := render_records_in_full(records, variableName):
        return found.text
    return render_variables_in_full(values, state.workflow, name=variableName, node=nodeId).text


async def get_browser_state(desk: AgentSession) -> str:
    """Get the open tabs: their names and addresses, and which one is active."""
    return render_tool_result("get_browser_state", await gather_turn_context(desk)).text


async def recall(desk: AgentSession, citation: str) -> str:
    """Read the original words behind a summary or a shortened result.

    Args:
        citation: a turn such as "t12" or "12", or the eight hex digits of a notice

    """
    return recall_archived_turn(desk.store, desk.thread, citation)
