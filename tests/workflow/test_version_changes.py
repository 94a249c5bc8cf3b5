"""What changed between two versions is told in lines, and nothing is told if nothing did."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from director.workflow.description import parse_description
from director.workflow.plan import Plan, Task, parse_plan
from director.workflow.version_changes import diff_descriptions, diff_plans
from workflow.plans import plans
from workflow.written import DESCRIBED, WRITTEN

_PLAN = parse_plan(WRITTEN)


def test_a_change_of_status_is_one_line() -> None:
    """It names the task in words."""
    task = replace(_PLAN.phases[0].tasks[2], status="completed")
    phase = replace(_PLAN.phases[0], tasks=(*_PLAN.phases[0].tasks[:2], task), status="completed")
    new = replace(_PLAN, phases=(phase, *_PLAN.phases[1:]), current_phase="Compare")
    assert diff_plans(_PLAN, new) == [
        "current_phase: Log in → Compare",
        "phase 'Log in': in_progress → completed",
        "task 3 'Fill in the form and check that we are in': in_progress → completed",
    ]


def test_what_comes_goes_and_moves_is_told() -> None:
    """Phases, tasks, actions, and their order."""
    first, second = _PLAN.phases
    added = Task(5, "Order", node_ids=("n9",))
    new = replace(
        _PLAN,
        phases=(replace(second, tasks=(added,)), replace(first, tasks=first.tasks[1::-1])),
        next_actions=_PLAN.next_actions[::-1],
        blockers=("no login",),
        notes="",
    )
    lines = diff_plans(_PLAN, new)
    assert "phases in a new order: Compare, Log in" in lines
    assert "- task 3: Fill in the form and check that we are in" in lines
    assert "+ task 5 in 'Compare': Order (pending)" in lines
    assert "tasks in a new order: 5, 2, 1" in lines
    assert "next_actions in a new order" in lines
    assert "+ blockers: no login" in lines
    assert lines[-1] == "notes: The shop asks for a code by mail on a new device → nothing"


def test_of_two_long_texts_the_line_shows_where_they_differ() -> None:
    """Not their common beginning."""
    old, new = (replace(_PLAN, notes="word " * 100 + end) for end in ("one", "two"))
    (line,) = diff_plans(old, new)
    assert "one →" in line
    assert line.endswith("two")


def test_a_first_version_is_told_in_a_line() -> None:
    """With its size."""
    assert diff_plans(None, _PLAN) == [
        "new plan: Order the cheapest lamp each week (2 phases, 4 tasks)"
    ]
    assert diff_descriptions(None, parse_description({"workflow_name": "A", "actors": ["B"]})) == [
        "workflow_name: nothing → A",
        "+ actors: B",
    ]


@settings(max_examples=50)
@given(plans(), plans())
def test_lines_are_told_exactly_when_something_changed(one: Plan, other: Plan) -> None:
    """The stamp apart, which is not part of what is planned."""
    other = replace(other, workflow_id=one.workflow_id, plan_version=one.plan_version)
    assert diff_plans(one, one) == []
    assert bool(diff_plans(one, other)) == (one != other)


def test_descriptions_are_told_apart_part_by_part() -> None:
    """Objects as JSON."""
    old = parse_description(DESCRIBED)
    new = replace(old, trigger="Tuesdays", actors=(*old.actors, {"bank": "example"}))
    assert diff_descriptions(old, old) == []
    assert diff_descriptions(old, new) == [
        "trigger: Mondays at 8 → Tuesdays",
        '+ actors: {"bank": "example"}',
    ]
