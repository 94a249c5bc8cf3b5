"""How a run ended: its state and error, and what it did in figures."""

from __future__ import annotations

from typing import Any

from director.browser import BrowserGone
from director.runs.ledger import steps_of
from director.runs.values import Cancelled, NodeFailed, Parked, Run
from director.store import Store
from director.workflow.values import Json


def outcome_of(problem: Exception) -> dict[str, Any]:
    """The state and the error of a run that a problem ended."""
    error = {"message": str(problem)}
    if isinstance(problem, NodeFailed):
        named = {"node": problem.alias, "key": problem.key, "kind": problem.kind}
        return {"state": "failed", "error": error | named}
    if isinstance(problem, BrowserGone):
        return {"state": "failed", "error": error | {"kind": "browser"}}
    if isinstance(problem, Parked):
        return {"state": "waiting", "error": error | {"kind": "waiting"}}
    if isinstance(problem, Cancelled):
        return {"state": "cancelled", "error": error | {"kind": "cancelled"}}
    return {"state": "failed", "error": error | {"kind": "run"}}


def summary_of(store: Store, run: Run, took: float) -> dict[str, Json]:
    """How many nodes succeeded, failed and were skipped."""
    steps = [step for step in steps_of(store, run.id) if step.type != "item"]
    done = [step.status for step in steps if step.state == "finished"]
    return {
        "total_requested": len(steps),
        "successfully_executed": done.count("success"),
        "failed": done.count("failed"),
        "skipped": done.count("skipped"),
        "execution_time": round(took, 3),
    }
