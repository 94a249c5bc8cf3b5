"""A plan is read strictly, told back exactly, and its mistakes are named where they stand."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings

from director.workflow.plan import STATUSES, Plan, PlanError, encode_plan, parse_plan, stamp_plan
from workflow.plans import plans
from workflow.written import WRITTEN


def changed(path: str, value: object) -> dict[str, object]:
    """The written plan with one place set to something else; `...` takes it out."""
    plan = copy.deepcopy(WRITTEN)
    at: object = plan
    *way, last = (int(step) if step.isdigit() else step for step in path.split("."))
    for step in way:
        at = at[step]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return plan


def refused(plan: object) -> str:
    """What is said about a plan that cannot be taken."""
    with pytest.raises(PlanError) as error:
        parse_plan(plan)
    return str(error.value)


def test_a_plan_as_it_is_written_comes_back_exactly() -> None:
    """Field for field; also when a model sends it as a text."""
    assert encode_plan(parse_plan(WRITTEN)) == WRITTEN
    assert encode_plan(parse_plan(json.dumps(WRITTEN))) == WRITTEN


@settings(max_examples=50)
@given(plans())
def test_any_plan_survives_json(plan: Plan) -> None:
    """Value to JSON text and back is the same value."""
    assert parse_plan(json.dumps(encode_plan(plan))) == plan


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("overall_goal", ..., "'overall_goal' is missing"),
        ("overall_goal", " ", "'overall_goal' is empty"),
        ("overal_goal", "x", "no field 'overal_goal'. Did you mean 'overall_goal'?"),
        ("phases", {}, "'phases' must be a list, not an object"),
        ("phases", [], "at least one phase"),
        ("phases.0", "Log in", "phases[0]: this must be an object, not a text"),
        ("phases.0.tasks.1.status", "complete", "phases[0].tasks[1]: there is no status"),
        ("phases.0.tasks.1.status", "complete", "Did you mean 'completed'?"),
        ("phases.0.tasks.1.status", "done", "Did you mean 'completed'?"),
        ("phases.0.tasks.1.status", "In Progress", "Did you mean 'in_progress'?"),
        ("phases.0.tasks.1.status", ..., "'status' is missing"),
        ("phases.0.tasks.1.task_id", True, "'task_id' must be a number or a text"),
        ("phases.0.tasks.1.task_id", 1, "two tasks have the task_id 1"),
        ("phases.0.tasks.2.node_ids", "n2", "'node_ids' must be a list, not a text"),
        ("phases.0.tasks.2.node_ids", ["n2", 3], "phases[0].tasks[2].node_ids[1]"),
        ("phases.1.phase_name", "Log in", "two phases are called 'Log in'"),
        ("phases.0.status", "completed", "while these tasks are not: 3"),
        ("phases.0.status", "pending", "these tasks have begun: 1, 2, 3"),
        ("current_phase", "Login", "Did you mean 'Log in'?"),
        ("next_actions", "Test", "'next_actions' must be a list, not a text"),
        ("plan_version", -1, "whole number from 0"),
        ("notes", "x" * 40_001, "may have 40,000"),
    ],
)
def test_a_mistake_is_named_where_it_stands(path: str, value: object, says: str) -> None:
    """With what is there, what should be, and the nearest right word."""
    assert says in refused(changed(path, value))


def test_every_mistake_is_told_at_once() -> None:
    """A model mends all of them in one answer; a flood is cut."""
    wrong = changed("phases.0.tasks.0.status", "done")
    wrong["current_phase"] = "?"
    wrong["blocker"] = []
    said = refused(wrong)
    assert all(word in said for word in ("tasks[0]", "current_phase", "blocker"))
    flood = changed("phases.0.tasks", [{"task_id": n} for n in range(100)])
    assert "more problems" in refused(flood)
    assert len(refused(flood)) < 2_000


@pytest.mark.parametrize("what", ["not json", "[]", 3, None, [WRITTEN]])
def test_what_is_no_plan_is_refused(what: object) -> None:
    """Whatever a model sends."""
    assert refused(what)


def test_every_status_is_taken() -> None:
    """And only these."""
    for status in STATUSES:
        task = {"task_id": 1, "description": "x", "status": status}
        phase = {"phase_name": "Log in", "status": status, "tasks": [task]}
        assert parse_plan(changed("phases", [phase])).tasks[0].status == status


def test_whose_plan_it_is_and_when_it_was_written_is_not_the_models_to_say() -> None:
    """The stamp of the store replaces what the plan claims."""
    plan = stamp_plan(
        parse_plan(WRITTEN),
        "other",
        version=4,
        created_at="a",
        updated_at="b",
    )
    assert (plan.workflow_id, plan.plan_version) == ("other", 4)
    assert (plan.created_at, plan.updated_at) == ("a", "b")
