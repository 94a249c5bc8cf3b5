"""How a run ended: its state and error, and what it did in figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from director.browser import BrowserGone, NotApproved
from director.browser.bundle import LocatorError
from director.runs.run_journal import list_run_steps
from director.runs.values import Cancelled, NodeFailed, Run, RunWaiting, Status, Step
from director.store import Store
from director.workflow.paths import is_list
from director.workflow.values import Config, Json, WorkflowError

# Of these it is known that nothing was done yet.
_BEFORE = (LocatorError, NotApproved, WorkflowError)
_HOLDS_NODES = ("iterate", "route", "group")


def make_run_outcome(problem: Exception) -> dict[str, Any]:
    """The state and the error of a run that a problem ended."""
    error = {"message": str(problem)}
    if isinstance(problem, NodeFailed):
        named = {"node": problem.alias, "key": problem.key, "kind": problem.kind}
        return {"state": "failed", "error": error | named}
    if isinstance(problem, BrowserGone):
        return {"state": "failed", "error": error | {"kind": "browser"}}
    if isinstance(problem, RunWaiting):
        return {"state": "waiting", "error": error | {"kind": "waiting"}}
    if isinstance(problem, Cancelled):
        return {"state": "cancelled", "error": error | {"kind": "cancelled"}}
    return {"state": "failed", "error": error | {"kind": "run"}}


def count_node_outcomes(store: Store, run: Run, took: float) -> dict[str, Json]:
    """How many nodes succeeded, failed and were skipped."""
    steps = [step for step in list_run_steps(store, run.id) if step.type != "item"]
    done = [step.status for step in steps if step.state == "finished"]
    return {
        "total_requested": len(steps),
        "successfully_executed": done.count("success"),
        "partial": done.count("partial"),
        "failed": done.count("failed"),
        "skipped": done.count("skipped"),
        "execution_time": round(took, 3),
    }


def compute_node_outcome(type_: str, result: Json) -> Status:
    """The status of a node that came to its end: partial if something inside it failed."""
    if type_ not in _HOLDS_NODES or not isinstance(result, Mapping):
        return "success"
    rounds = _objects(result.get("results"))
    inside = [part for each in rounds for part in (_objects(each.get("results")) or [each])]
    partial = result.get("errors") or any(each.get("status") == "partial" for each in inside)
    return "partial" if partial else "success"


def _objects(value: Json) -> list[Config]:
    return [each for each in value if isinstance(each, Mapping)] if is_list(value) else []


def replay_step_outcome(step: Step) -> Json:
    """The result of a finished step; one that failed raises its failure again."""
    if step.status == "failed":
        raise make_failure_outcome(None, step)
    return step.result


def make_failure_outcome(problem: Exception | None, step: Step) -> NodeFailed:
    """The failure of a step that a problem ended, or that the journal has."""
    # A node that failed because of one inside it names the one inside.
    if isinstance(problem, NodeFailed):
        return problem
    return NodeFailed(step.error, key=step.key, alias=step.alias, kind=step.error_kind)


def is_before_action(problem: Exception) -> bool:
    """Whether a node that failed with this problem had not acted yet."""
    return isinstance(problem, _BEFORE)
