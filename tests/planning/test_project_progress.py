"""The next task and the reason: the files decide, the gameplan says where to begin."""

from __future__ import annotations

import pytest

from director.planning.project_progress import find_next_task, find_task
from director.planning.values import Project, ProjectError
from planning.folders import SMALL, TASK, project_of

_NEEDS = "# Task: T\n\n## What To Do\n\nIt.\n\n## Needs First\n\n{}\n"


def two_goals(**needs: str) -> Project:
    """Goal 1 with two steps of two tasks, goal 2 with one; `g1s1t1="done"` or a task's needs."""
    files = {".director/GAMEPLAN.md": needs.pop("plan", "# Gameplan\n")}
    for goal, step, task in [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 1, 1)]:
        told = needs.get(f"g{goal}s{step}t{task}", "Nothing.")
        form = "done.md" if told == "done" else "md"
        path = f".director/goals/0{goal}-g/0{step}-s/tasks/0{task}-t.{form}"
        files[path] = _NEEDS.format(told)
    return project_of(files)


def where(project: Project) -> str:
    """The numbers of the next task."""
    place = find_next_task(project).place
    return f"{place.goal.number}.{place.step.number}.{place.task.number}" if place else ""


@pytest.mark.parametrize(
    ("needs", "next_one"),
    [
        ({}, "1.1.1"),
        ({"g1s1t1": "done"}, "1.1.2"),
        ({"g1s1t1": "done", "g1s1t2": "done"}, "1.2.1"),
        ({"g1s1t1": "Needs Step 2."}, "1.1.2"),
        ({"g1s1t1": "Task 2 -- first."}, "1.1.2"),
        ({"g1s1t1": "Needs Goal 2 Step 1."}, "1.1.2"),
        ({"g1s1t1": "done", "g1s1t2": "the form from the previous task"}, "1.1.2"),
        ({"g1s1t1": "Steps 2 and 3", "g1s1t2": "the previous task"}, "1.2.1"),
        ({"g1s1t1": "Some prose that names nothing."}, "1.1.1"),
        ({"plan": "## Current Focus\n\n**Current Goal:** Goal 2\n"}, "2.1.1"),
        ({"plan": "## Current Focus\n\n**Current Goal:** 1\n**Current Step:** Step 2\n"}, "1.2.1"),
        ({"plan": "## Current Focus\n\n**Current Goal:** Goal 9\n"}, "1.1.1"),
        ({"plan": "## Current Focus\n\n**Current Goal:** Goal 2\n", "g2s1t1": "done"}, "1.1.1"),
        ({f"g1s{s}t{t}": "Goal 2" for s in (1, 2) for t in (1, 2)} | {"g2s1t1": "Goal 1"}, "1.1.1"),
    ],
)
def test_the_next_task_is_the_first_open_one_that_can_start(
    needs: dict[str, str], next_one: str
) -> None:
    """From the gameplan's focus on; what is named must be done; if all wait, the first."""
    assert where(two_goals(**needs)) == next_one


def test_a_project_that_is_done_has_no_next_task_and_says_so() -> None:
    """And an empty one says that there is nothing yet."""
    every = {
        f"g{g}s{s}t{t}": "done"
        for g, s, t in [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 1, 1)]
    }
    assert find_next_task(two_goals(**every)).why == "Every task is done."
    assert find_next_task(project_of({})).why == "There is no goal yet."


def test_the_reason_names_the_focus_and_the_needs() -> None:
    """A person can check it."""
    why = find_next_task(project_of(SMALL)).why
    assert "current focus" in why
    assert "Task 1." in why


@pytest.mark.parametrize(
    "asked",
    [
        TASK,
        TASK.removeprefix(".director/"),
        "02-order-form.md",
        "02-order-form",
        "order-form",
        "1.1.2",
        "Order form",
    ],
)
def test_a_task_is_found_by_any_of_its_names(asked: str) -> None:
    """Path, file, slug, numbers, title."""
    assert find_task(project_of(SMALL), asked).task.path == TASK


@pytest.mark.parametrize(
    ("asked", "said"), [("01-t", "one of 3"), ("nothing", "no task 'nothing'")]
)
def test_a_name_that_fits_no_task_or_several_is_refused(asked: str, said: str) -> None:
    """With the tasks that there are."""
    with pytest.raises(ProjectError, match=said):
        find_task(two_goals(), asked)
