"""`director init`, `status`, `next`, and the project's part in `director doctor`."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from director.cli import app
from director.cli.project_findings import look_at_project
from planning.folders import SMALL, TASK, written


def told(*arguments: str | Path, code: int = 0) -> str:
    """What the command prints."""
    ran = CliRunner().invoke(app, [str(one) for one in arguments])
    assert ran.exit_code == code, ran.output
    return ran.output


def test_init_says_what_it_made_and_what_comes_next(tmp_path: Path) -> None:
    """A second time it says that nothing was changed."""
    assert "made .director/VISION.md" in told("init", tmp_path)
    assert "nothing was changed" in told("init", tmp_path)


def test_status_shows_goals_steps_and_tasks(tmp_path: Path) -> None:
    """As text and as JSON."""
    written(tmp_path, SMALL)
    text = told("status", "--project", tmp_path)
    assert "· Goal 1: Open the shop  (1/2 tasks)" in text
    assert "✓ Task 1: Price list" in text
    said = json.loads(told("status", "--json", "--project", tmp_path))
    assert (said["done"], said["tasks"], said["next"]["task"]) == (1, 2, TASK)


def test_next_names_the_task_and_the_reason(tmp_path: Path) -> None:
    """With 1 if there is none, with 2 if there is no project."""
    written(tmp_path, SMALL)
    assert told("next", "--project", tmp_path).startswith(TASK)
    assert "director init" in told("next", "--project", tmp_path / ".director", code=2)
    told("init", tmp_path / ".director")
    assert "no goal yet" in told("next", "--project", tmp_path / ".director", code=1)


def test_the_doctor_names_drift_and_fixes_it(tmp_path: Path) -> None:
    """One finding for each file."""
    stale = "## Current Position\n\n**Current task:** Ovens\n\n## Progress\n\n### Goal 1\n- Step 1 (2/2)\n"
    broken = {**SMALL, ".director/STATE.md": stale}
    written(tmp_path, broken)
    found = list(look_at_project(tmp_path))
    assert [each.name for each in found] == ["Project", "Project .director/STATE.md"]
    assert "director doctor --fix" in found[1].mend
    home = {"DIRECTOR_HOME": str(tmp_path / "home")}
    ran = CliRunner().invoke(app, ["doctor", "--fix", "--project", str(tmp_path)], env=home)
    assert "Project .director/STATE.md" not in ran.stdout
    state = (tmp_path / ".director/STATE.md").read_text()
    assert "Order form" in state
    assert "- Step 1 (1/2)" in state


def test_the_doctor_finds_nothing_broken_right_after_init(tmp_path: Path) -> None:
    """The empty form of the vision is a hint to fill it in."""
    told("init", tmp_path)
    found = list(look_at_project(tmp_path))
    assert {each.name: each.state for each in found} == {
        "Project": "works",
        "Project .director/VISION.md": "absent",
    }
    assert "fill it in" in found[1].mend


def test_a_folder_without_a_project_is_no_fault(tmp_path: Path) -> None:
    """It is absent, which may be as wanted."""
    assert [each.state for each in look_at_project(tmp_path)] == ["absent"]
