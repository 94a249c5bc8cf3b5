"""Files that runs may upload: found by name in what was given, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from director.runs import RunError
from director.runs.given_files import (
    GivenFiles,
    attach_given_file,
    find_attachments,
    remove_given_file,
)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GivenFiles:
    """A named folder with a file, and a workflow with two that are attached."""
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path / "home"))
    (tmp_path / "secret.txt").write_text("no")
    named = tmp_path / "named"
    named.mkdir()
    (named / "a.csv").write_text("named")
    attach_given_file("flow:1", "a.csv", b"attached")
    attach_given_file("flow:1", "../b c.txt", b"other")
    return GivenFiles((named, find_attachments("flow:1")))


def test_a_named_folder_comes_before_what_is_attached(files: GivenFiles) -> None:
    """Each name once, with the size of the file that is meant."""
    assert files.find("a.csv").read_text() == "named"
    assert files.find("b c.txt").read_bytes() == b"other"
    assert [str(each) for each in files.list()] == ["a.csv (5 bytes)", "b c.txt (5 bytes)"]


@pytest.mark.parametrize("name", ["../secret.txt", "/etc/passwd", "none.txt", ""])
def test_no_other_file_is_found(files: GivenFiles, name: str) -> None:
    """Whatever the name says; the error names those that there are."""
    with pytest.raises(RunError, match=r"a\.csv \(5 bytes\), b c\.txt"):
        files.find(name)


def test_attached_files_are_for_their_owner_and_can_be_removed(files: GivenFiles) -> None:
    """A name that leads elsewhere removes nothing."""
    assert files.find("b c.txt").stat().st_mode & 0o077 == 0
    with pytest.raises(RunError, match="Nothing was removed"):
        remove_given_file("flow:1", "../../vault")
    remove_given_file("flow:1", "b c.txt")
    assert [each.name for each in files.list()] == ["a.csv"]
