"""Tools for the plan and the description: replaced whole, every version kept with its reason."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict, cast

from director.agent.agent_session import AgentSession
from director.agent.turn_context import gather_turn_context
from director.sections.section_texts import render_tool_result
from director.workflow.description import list_description_suggestions, parse_description
from director.workflow.plan import parse_plan
from director.workflow.plan_rules import check_plan_update, complete_plan_by_runs
from director.workflow.values import Json
from director.workflow.version_changes import diff_descriptions, diff_plans

Status = Literal["pending", "in_progress", "completed", "failed"]


class TaskGiven(TypedDict):
    """One task of a phase."""

    task_id: int | str
    description: str
    status: Status
    notes: NotRequired[str]
    node_ids: NotRequired[Annotated[list[str], "the nodes whose green run completes it"]]


class PhaseGiven(TypedDict):
    """Tasks that belong together."""

    phase_name: str
    status: Status
    tasks: list[TaskGiven]


class PlanGiven(TypedDict):
    """A whole plan."""

    overall_goal: str
    current_phase: Annotated[str, "the name of one of the phases"]
    phases: list[PhaseGiven]
    next_actions: NotRequired[list[str]]
    blockers: NotRequired[list[str]]
    notes: NotRequired[str]


async def update_plan(desk: AgentSession, plan: PlanGiven, reason: str) -> str:
    """Replace the whole plan; every version is kept.

    Args:
        plan: the complete plan, also what stays the same
        reason: why it is changed

    """
    saved = desk.saved
    green = saved.green()
    old = saved.plan()
    ids = {node.alias: node.id for node in desk.now().nodes}
    new = parse_plan(_with_ids(cast("dict[str, Json]", _drop_nulls(plan)), ids))
    check_plan_update(old, new, green)
    kept = saved.save_plan(complete_plan_by_runs(new, green), reason)
    changed = "\n".join(diff_plans(old, kept)) if old else "It is the first."
    return f"The plan is now version {kept.plan_version}.\n{changed}"


async def get_current_plan(desk: AgentSession) -> str:
    """Get the whole plan with the status of each task."""
    return render_tool_result("get_current_plan", await gather_turn_context(desk)).text


async def update_workflow_description(
    desk: AgentSession, description: dict[str, object], reason: str
) -> str:
    """Replace what is written down of what the user wants; every version is kept.

    Args:
        description: workflow_name, and as far as known goal, trigger, actors, happy_path_steps,
            decision_matrix, key_design_decisions, data_contracts, business_rules,
            edge_case_policies, success_criteria (lists of texts or objects)
        reason: why it is changed

    """
    old = desk.saved.description()
    new = parse_description(cast("Json", description))
    version = desk.saved.save_description(new, reason)
    changed = "\n".join(diff_descriptions(old, new)) if old else "It is the first."
    missing = list_description_suggestions(new)
    open_ = "\nNot said yet:\n" + "\n".join(missing) if missing else ""
    return f"The description is now version {version}.\n{changed}{open_}"


async def get_workflow_description(desk: AgentSession) -> str:
    """Get what the workflow is to do, as the user wants it."""
    return render_tool_result("get_workflow_description", await gather_turn_context(desk)).text


def _drop_nulls(value: object) -> Json:
    """The value without what a strict form makes a model say as null."""
    if isinstance(value, dict):
        return {name: _drop_nulls(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_drop_nulls(inner) for inner in value]
    return cast("Json", value)


def _with_ids(plan: dict[str, Json], ids: dict[str, str]) -> dict[str, Json]:
    """The plan with aliases of nodes turned into their ids, which survive a renaming."""
    for phase in cast("list[dict[str, Json]]", plan.get("phases") or []):
        for task in cast("list[dict[str, Json]]", phase.get("tasks") or []):
            named = task.get("node_ids")
            if isinstance(named, list):
                task["node_ids"] = [ids.get(str(one), one) for one in named]
    return plan
