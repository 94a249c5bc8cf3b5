"""Drift is found, named with its file, and mended where that is offered."""

from __future__ import annotations

from pathlib import Path

import pytest

from director.planning.drift import find_drift
from director.planning.project_files import open_project
from director.planning.project_setup import FORMS, make_project, write_offered_files
from planning.folders import GOAL, SMALL, STEP, TASK, project_of, written

_DONE = TASK.removesuffix(".md") + ".done.md"


def test_files_that_agree_have_no_drift() -> None:
    """Nothing is invented."""
    assert find_drift(project_of(SMALL)) == []


@pytest.mark.parametrize(
    ("change", "path", "said"),
    [
        ({".director/VISION.md": None}, ".director/VISION.md", "missing"),
        (
            {".director/VISION.md": "> This file will be populated"},
            ".director/VISION.md",
            "empty form",
        ),
        (
            {".director/GAMEPLAN.md": "# Gameplan\n"},
            ".director/GAMEPLAN.md",
            "does not name goal 1",
        ),
        ({".director/STATE.md": None}, ".director/STATE.md", "missing"),
        ({".director/config.json": "{"}, ".director/config.json", "not JSON"),
        (
            {f"{GOAL}/GOAL.md": "## Status\n\n**Progress:** Complete\n"},
            f"{GOAL}/GOAL.md",
            "'Complete'",
        ),
        ({f"{GOAL}/GOAL.md": None}, f"{GOAL}/GOAL.md", "missing"),
        (
            {f"{STEP}/STEP.md": "## Tasks\n\n- [~] Task 1: P\n"},
            f"{STEP}/STEP.md",
            "boxes of task 1",
        ),
        ({f"{STEP}/STEP.md": None}, f"{STEP}/STEP.md", "missing"),
        ({_DONE: "# Task: Order form"}, TASK, "beside its done form"),
        ({TASK: None, _DONE: SMALL[TASK]}, ".director/STATE.md", "every task is done"),
        ({TASK: "# Task: Order form\n"}, TASK, "no What To Do and no Done When"),
        (
            {".director/STATE.md": "## Current Position\n\n**Current task:** Ovens\n"},
            ".director/STATE.md",
            "Ovens",
        ),
        (
            {f"{GOAL}/GOAL.md": "## Steps\n\n1. **Step 1: S** -- s\n2. **Step 2: T** -- t\n"},
            f"{GOAL}/GOAL.md",
            "names step 2, which has no folder",
        ),
        (
            {f"{STEP}/STEP.md": "## Tasks\n\n- [x] Task 1: P\n- [ ] Task 3: Q\n"},
            f"{STEP}/STEP.md",
            "does not name task 2, which has a file",
        ),
        (
            {f"{STEP}/tasks/02-again.md": "# Task: Again\n"},
            f"{STEP}/tasks",
            "task 2 is there 2 times",
        ),
        ({".director/IDEAS.md": "Brötchen".encode("latin-1")}, ".director/IDEAS.md", "no UTF-8"),
        (
            {".director/STATE.md": "## Progress\n\n### Goal 1: Open\n\n**Tasks:** 0 of 2\n"},
            ".director/STATE.md",
            "how far it says goal 1 is",
        ),
        (
            {".director/STATE.md": "## Progress\n\n### Goal 1: Open\n- Step 1: S (2/2 tasks)\n"},
            ".director/STATE.md",
            "how far it says goal 1 is",
        ),
    ],
)
def test_each_kind_of_drift_is_named_with_its_file(
    change: dict[str, str | bytes | None], path: str, said: str
) -> None:
    """And with what would mend it."""
    files = {name: text for name, text in {**SMALL, **change}.items() if text is not None}
    found = [each for each in find_drift(project_of(files)) if each.path == path]
    assert any(said in each.said for each in found)
    assert all(each.mend for each in found)


def test_an_empty_form_and_a_missing_file_are_hints_and_no_fault(tmp_path: Path) -> None:
    """Right after `director init` nothing is broken."""
    make_project(tmp_path)
    assert [(each.path, each.hint) for each in find_drift(open_project(tmp_path))] == [
        (".director/VISION.md", True)
    ]
    bare = {path: text for path, text in SMALL.items() if "/tasks/" in path}
    assert all(each.hint for each in find_drift(project_of(bare)))


def test_what_is_offered_mends_the_project_and_nothing_else(tmp_path: Path) -> None:
    """Status, boxes, focus and position follow the files."""
    stale = {
        **SMALL,
        f"{GOAL}/GOAL.md": "# G\n\nKeep — this\r\n\n## Status\n\n**Progress:** Not started\n**Steps complete:** 0 of 9\n",
        f"{STEP}/STEP.md": SMALL[f"{STEP}/STEP.md"].replace("[x]", "[ ]"),
        ".director/STATE.md": "## Current Position\n\n**Current goal:** None\n**Current task:** None\n",
        ".director/GAMEPLAN.md": SMALL[".director/GAMEPLAN.md"].replace(
            "Current Goal:** Goal 1", "Current Goal:** Goal 7"
        ),
    }
    root = written(tmp_path, stale)
    assert len(write_offered_files(root, find_drift(open_project(root)))) == 4
    assert find_drift(open_project(root)) == []
    assert "Keep — this\r\n" in (root / GOAL / "GOAL.md").read_bytes().decode()
    assert (root / STEP / "STEP.md").read_text() == SMALL[f"{STEP}/STEP.md"]


def test_stale_research_is_told() -> None:
    """Two goals were completed since it was written."""
    files = {
        ".director/config.json": '{"context_generation": {"completed_goals_at_generation": 0}}'
    }
    files |= {f".director/goals/0{n}-g/01-s/tasks/01-t.done.md": "# Task: T" for n in (1, 2)}
    assert any("2 completed goals ago" in each.said for each in find_drift(project_of(files)))


def test_init_makes_a_project_once_and_keeps_what_is_there(tmp_path: Path) -> None:
    """A second time changes nothing."""
    written(tmp_path, {".director/VISION.md": "mine"})
    made = make_project(tmp_path)
    assert ".director/VISION.md" not in made
    assert len(made) == len(FORMS) + 1
    assert (tmp_path / ".director/VISION.md").read_text() == "mine"
    assert make_project(tmp_path) == []
    assert open_project(tmp_path).goals == ()
