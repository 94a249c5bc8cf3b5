"""A task that names nodes is completed by a green run of them, never by a model's word."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.workflow.plan import Phase, Plan, PlanError, Task, parse_plan
from director.workflow.plan_rules import (
    check_plan_update,
    complete_plan_by_runs,
    compute_phase_status,
)
from workflow.plans import plans
from workflow.written import WRITTEN

_PLAN = parse_plan(WRITTEN)
_GREEN = {"n1": True, "n2": True, "n3": True}
runs = st.dictionaries(st.sampled_from(["n1", "n2", "n3"]), st.sampled_from([True, False, None]))


def with_task(status: str, *nodes: str) -> Plan:
    """A plan of one task."""
    task = Task(1, "Fill in", status, node_ids=nodes)
    return Plan("Goal", "One", (Phase("One", "in_progress", (task,)),))


def refused(old: Plan | None, new: Plan, green: dict[str, bool | None]) -> str:
    """What is said about an update that is not taken."""
    with pytest.raises(PlanError) as error:
        check_plan_update(old, new, green)
    return str(error.value)


def test_a_green_run_closes_a_task_and_then_its_phase() -> None:
    """Tasks without nodes are left to the model."""
    closed = complete_plan_by_runs(_PLAN, _GREEN)
    assert [task.status for task in closed.tasks] == ["completed"] * 3 + ["pending"]
    assert [phase.status for phase in closed.phases] == ["completed", "pending"]
    assert complete_plan_by_runs(closed, _GREEN) == closed


@pytest.mark.parametrize("third", [None, False])
def test_one_node_that_is_not_green_keeps_a_task_open(third: bool | None) -> None:  # noqa: FBT001
    """Not run is not green either."""
    assert complete_plan_by_runs(_PLAN, {**_GREEN, "n3": third}) == _PLAN
    assert complete_plan_by_runs(_PLAN, {}) == _PLAN


def test_completed_without_a_green_run_is_refused_and_the_nodes_are_named() -> None:
    """What failed and what was not run are told apart, and what to do about each."""
    said = refused(None, with_task("completed", "n1", "n2"), {"n1": True, "n2": False})
    assert "node n2 failed when last run" in said
    assert "n1" not in said
    said = refused(None, with_task("completed", "n1", "n2"), {"n1": None, "n2": True})
    assert "node n1 was not run" in said
    assert "test_single_node" in said
    check_plan_update(None, with_task("completed", "n1", "n2"), {"n1": True, "n2": True})
    check_plan_update(None, with_task("in_progress", "n1"), {"n1": False})


def test_what_was_completed_stays_so_until_a_node_of_it_fails() -> None:
    """A change of a node does not reopen a task; a failure does, and so does another node."""
    done = with_task("completed", "n1")
    check_plan_update(done, done, {"n1": None})
    assert "failed" in refused(done, done, {"n1": False})
    more = with_task("completed", "n1", "n2")
    assert "node n2 was not run" in refused(done, more, {"n1": True, "n2": None})


def test_a_task_can_only_name_nodes_that_exist() -> None:
    """The nearest is named."""
    said = refused(None, with_task("pending", "login_fom"), {"login_form": None})
    assert "no node 'login_fom'. Did you mean 'login_form'?" in said


@settings(max_examples=50)
@given(plans(), runs)
def test_what_runs_close_can_always_be_kept(plan: Plan, green: dict[str, bool | None]) -> None:
    """No task is closed that `check_update` would refuse, and none is ever reopened."""
    everything = {"n1": None, "n2": None, "n3": None} | green
    closed = complete_plan_by_runs(plan, everything)
    for before, after in zip(plan.tasks, closed.tasks, strict=True):
        assert after.status in (before.status, "completed")
        if after != before:
            one = replace(plan, phases=(Phase("One", "in_progress", (after,)),))
            check_plan_update(None, one, everything)


@pytest.mark.parametrize(
    ("tasks", "says"),
    [
        ("", "pending"),
        ("pending pending", "pending"),
        ("pending completed", "in_progress"),
        ("in_progress failed", "in_progress"),
        ("completed failed", "failed"),
        ("completed completed", "completed"),
    ],
)
def test_a_phase_is_what_its_tasks_are(tasks: str, says: str) -> None:
    """Failed is told as soon as nothing goes on any more."""
    made = [Task(n, "x", status) for n, status in enumerate(tasks.split())]
    assert compute_phase_status(made) == says
