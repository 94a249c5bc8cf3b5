"""A `.director/` folder is read as it lies there, tolerant of drift, and never outside its root."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.planning.disk import Disk
from director.planning.drift import find_drift
from director.planning.project_files import open_project
from director.planning.project_progress import (
    describe_missing_needs,
    find_next_task,
    get_progress_name,
)
from director.planning.values import ProjectError, decode_file_bytes, encode_file_text
from planning.folders import GOAL, SMALL, STEP, TASK, project_of, written


def test_goals_steps_and_tasks_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """Ten comes behind nine, and what has no number comes last."""
    names = ["10-ten", "9-nine", "loose"]
    files = {f".director/goals/{name}/01-s/tasks/01-t.md": "# Task: T\n" for name in names}
    found = open_project(written(tmp_path, files)).goals
    assert [goal.number for goal in found] == [9, 10, None]
    assert found[2].slug == "loose"


def test_a_file_that_is_called_done_is_done_whatever_else_is_written() -> None:
    """STATE.md, GOAL.md and the boxes of STEP.md are not asked."""
    files = {**SMALL, ".director/STATE.md": "**Status:** Not started\n"}
    tasks = project_of(files).goals[0].steps[0].tasks
    assert [task.done for task in tasks] == [True, False]


def test_the_two_forms_of_a_task_are_one_and_done() -> None:
    """Both files lie there after a sync that was interrupted."""
    done = TASK.removesuffix(".md") + ".done.md"
    step = project_of({**SMALL, done: SMALL[TASK]}).goals[0].steps[0]
    assert (len(step.tasks), step.tasks[1].done, step.tasks[1].twice) == (2, True, True)
    assert step.tasks[1].path == done
    assert step.complete


def test_working_files_belong_to_their_step_and_are_no_tasks() -> None:
    """Whatever lies in a step's folder."""
    extra = {
        f"{STEP}/recipes.md": "flour",
        f"{STEP}/RESEARCH.md": "found",
        f"{STEP}/tasks/x.txt": "",
    }
    step = project_of({**SMALL, **extra}).goals[0].steps[0]
    assert set(step.files) == set(extra)
    assert len(step.tasks) == 2


@pytest.mark.parametrize(("said", "complete"), [("Complete", True), ("In progress", False)])
def test_without_any_task_a_goal_is_what_its_file_says(said: str, complete: bool) -> None:  # noqa: FBT001
    """With tasks, they decide."""
    bare = project_of({f"{GOAL}/GOAL.md": f"# G\n\n## Status\n\n**Progress:** {said}\n"})
    assert bare.goals[0].complete is complete
    told = SMALL[f"{GOAL}/GOAL.md"].replace("In progress", said)
    assert not project_of({**SMALL, f"{GOAL}/GOAL.md": told}).goals[0].complete


def test_line_ends_and_marks_of_other_editors_change_nothing() -> None:
    """Titles, needs, boxes and decisions are found in files of Windows, with a byte order mark."""
    theirs = {path: "\ufeff" + text.replace("\n", "\r\n") for path, text in SMALL.items()}
    project = project_of(theirs)
    assert find_drift(project) == []
    place = find_next_task(project).place
    assert place is not None
    assert get_progress_name(project, place.task) == "Order form"
    assert get_progress_name(project, place.step) == "Take orders"
    assert describe_missing_needs(project, place) == ""


@given(st.binary(max_size=200))
def test_any_bytes_become_text_and_the_same_bytes_again(content: bytes) -> None:
    """Also what is no UTF-8."""
    assert encode_file_text(decode_file_bytes(content)) == content


def test_a_folder_without_a_project_is_refused_with_advice(tmp_path: Path) -> None:
    """The message names the command that makes one."""
    with pytest.raises(ProjectError, match="director init"):
        open_project(tmp_path)


@pytest.mark.promise("E5")
@pytest.mark.parametrize(
    "path",
    [
        ".director/../secret.txt",
        "../secret.txt",
        "/etc/passwd",
        ".director/link.md",
        ".director/linked/secret.txt",
        ".director/a\0b",
        "..\\secret.txt",
        ".director/loop.md",
        ".director/pipe.md",
        ".director/goals",
    ],
)
def test_nothing_outside_the_root_is_ever_read(tmp_path: Path, path: str) -> None:
    """Dots, absolute paths, links, null bytes, pipes, folders."""
    (tmp_path / "secret.txt").write_text("secret")
    root = written(tmp_path / "project", SMALL)
    top = root / ".director"
    (top / "link.md").symlink_to(tmp_path / "secret.txt")
    (top / "linked").symlink_to(tmp_path)
    (top / "loop.md").symlink_to(top / "loop.md")
    os.mkfifo(top / "pipe.md")
    disk = Disk(root)
    assert disk.read(path) is None
    assert path not in disk.paths
    assert {".director/link.md", ".director/linked", ".director/pipe.md"} <= set(disk.refusals)


@pytest.mark.promise("E5")
def test_a_folder_that_is_a_link_to_elsewhere_is_refused(tmp_path: Path) -> None:
    """The whole of `.director` may not lie outside."""
    written(tmp_path / "else", SMALL)
    (tmp_path / "project").mkdir()
    (tmp_path / "project/.director").symlink_to(tmp_path / "else/.director")
    with pytest.raises(ProjectError, match="leads out"):
        open_project(tmp_path / "project")


def test_a_link_inside_the_root_is_followed(tmp_path: Path) -> None:
    """It leads nowhere else."""
    root = written(tmp_path, {**SMALL, "README.md": "read me"})
    (root / ".director/IDEAS.md").symlink_to(root / "README.md")
    assert open_project(root).text(".director/IDEAS.md") == "read me"
