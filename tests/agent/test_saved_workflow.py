"""What is known of a node after runs: passed and skipped are done, one failure is a failure."""

from __future__ import annotations

import asyncio

from director.agent.saved_workflow import SavedState
from director.runs import run_workflow
from director.runs.values import RunDependencies
from director.store import Store
from runs.building import code, flow, node


def test_a_branch_not_taken_does_not_hold_up_the_plan(store: Store) -> None:
    """Skipped is skipped: its node counts as done."""
    branches = [
        {"name": "yes", "condition": True, "branch": ["a"]},
        {"name": "no", "condition": True, "branch": ["b"]},
    ]
    workflow = flow(node("which", "route", branches=branches), code("a", "1"), code("b", "2"))
    asyncio.run(run_workflow(store, workflow, RunDependencies()))
    saved = SavedState(store, workflow.id)
    assert saved.statuses()["id-b"] == "skipped"
    assert saved.green() == {"id-which": True, "id-a": True, "id-b": True}


def test_one_failed_visit_of_a_loop_is_a_failure_of_its_node(store: Store) -> None:
    """Even if the last visit went well."""
    workflow = flow(
        node("each", "iterate", over=[1, 0, 2], variable="n", body=["half"]),
        code("half", "4 / n", input={"n": "{{n}}"}),
    )
    asyncio.run(run_workflow(store, workflow, RunDependencies()))
    saved = SavedState(store, workflow.id)
    assert saved.statuses() == {"id-each": "partial", "id-half": "failed"}
    assert saved.green()["id-half"] is False
