"""Plan, nodes and runs: a task that names nodes is completed by a green run of them, or not at all.

Whether a node is green is told by its runs: True if its newest run was, False if it was not, None
if it has not run since it was made or changed. A model's word never makes a task completed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from director.workflow.nearest import write_nearest_hint
from director.workflow.plan import Phase, Plan, PlanError, Status, Task

Green: TypeAlias = Mapping[str, bool | None]


def compute_phase_status(tasks: Sequence[Task]) -> Status:
    """What the tasks of a phase say about it."""
    found = {task.status for task in tasks}
    if not found or found == {"pending"}:
        return "pending"
    if found == {"completed"}:
        return "completed"
    return "failed" if "failed" in found and "in_progress" not in found else "in_progress"


def complete_plan_by_runs(plan: Plan, green: Green) -> Plan:
    """The plan with every task completed whose nodes are all green, and the phases that follow."""
    return replace(plan, phases=tuple(_close_phase(phase, green) for phase in plan.phases))


def check_plan_update(old: Plan | None, new: Plan, green: Green) -> None:
    """Refuse a plan that names nodes that do not exist or calls a task completed that is not.

    What was completed before stays so while none of its nodes has failed since.
    """
    before = {str(task.task_id): task for task in old.tasks} if old else {}
    problems = [
        problem
        for task in new.tasks
        for problem in _problems(task, before.get(str(task.task_id)), green)
    ]
    if problems:
        raise PlanError(f"This plan was not taken; the one before it stands. {' '.join(problems)}")


def _close_phase(phase: Phase, green: Green) -> Phase:
    tasks = tuple(
        replace(task, status="completed")
        if task.node_ids and all(green.get(node) is True for node in task.node_ids)
        else task
        for task in phase.tasks
    )
    if tasks == phase.tasks:
        return phase
    return replace(phase, tasks=tasks, status=compute_phase_status(tasks))


def _problems(task: Task, before: Task | None, green: Green) -> list[str]:
    unknown = [node for node in task.node_ids if node not in green]
    found = [
        f"Task {task.task_id}: there is no node {n!r}.{write_nearest_hint(n, green)}"
        for n in unknown
    ]
    if task.status != "completed":
        return found
    stood = before is not None and before.status == "completed"
    stays = before is not None and stood and before.node_ids == task.node_ids
    red = [node for node in task.node_ids if green.get(node, True) is False]
    unrun = [node for node in task.node_ids if node in green and green[node] is None and not stays]
    if red:
        found.append(
            f"Task {task.task_id} is not completed: {_join_nodes(red)} failed when last run. Mend "
            "and test again, or set the task to in_progress or failed."
        )
    if unrun:
        found.append(
            f"Task {task.task_id} is not completed: {_join_nodes(unrun)} was not run since it was "
            "made or changed. Test it with test_single_node, then update the plan."
        )
    return found


def _join_nodes(nodes: Sequence[str]) -> str:
    return f"node {', '.join(nodes)}"


# Names of one release ago; they go with the next.
close_by_runs = complete_plan_by_runs
check_update = check_plan_update
