"""A workflow in a few words, for an agent that is shown no sections. Pulled, never pushed."""

from __future__ import annotations

from director.sections.value_text import write_compact_value
from director.sections.workflow_state import WorkflowState
from director.workflow.values import Json


def write_overview_summary(state: WorkflowState) -> str:
    """One line of JSON: what it is called, how large it is and how far it has come."""
    goal = state.description.goal if state.description else ""
    told: dict[str, Json] = {
        "workflowId": state.workflow.id,
        "name": state.workflow.name,
        "description": goal or state.workflow.description,
        "nodeCount": len(state.workflow.nodes),
        "currentPhase": state.plan.current_phase if state.plan else "No plan",
        "lastExecuted": state.last_executed or None,
        "status": compute_overview_status(state),
    }
    return write_compact_value(told)


def compute_overview_status(state: WorkflowState) -> str:
    """Ready if every node was green when it last ran, failing if one was not, else building."""
    found = {state.statuses.get(node.id, "pending") for node in state.workflow.nodes}
    if "failed" in found:
        return "failing"
    return "ready" if found == {"success"} else "building"
