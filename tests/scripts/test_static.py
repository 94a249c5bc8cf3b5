"""The static checks of `./test`: beside the tests, and skipped while nothing changed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scripts.check import parse_arguments
from scripts.static import Check, StaticChecks, fingerprint


def check(title: str, code: str, inputs: str = "1") -> Check:
    """A check that runs a line of Python."""
    return Check(title, [sys.executable, "-c", code], inputs)


def run(stamps: Path, *checks: Check, skip: bool = True) -> tuple[list[str], list[str]]:
    """The titles of the checks that ran, and what was said."""
    said: list[str] = []
    running = StaticChecks(stamps, lambda *lines: said.extend(lines))
    running.start(checks, skip=skip)
    return [each.title for each in running.finish()], said


def test_what_passed_is_skipped_until_its_files_change(tmp_path: Path) -> None:
    """A run of everything skips nothing."""
    stamps = tmp_path / "made" / "stamps.json"
    assert run(stamps, check("lint", "pass"))[0] == ["lint"]
    assert run(stamps, check("lint", "pass"))[0] == []
    assert run(stamps, check("lint", "pass"), skip=False)[0] == ["lint"]
    assert run(stamps, check("lint", "pass", inputs="2"))[0] == ["lint"]


def test_a_check_that_failed_is_told_and_runs_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which one it was, and what it printed."""
    stamps = tmp_path / "stamps.json"
    bad = check("types", "print('line 7'); raise SystemExit(1)")
    ran, said = run(stamps, check("lint", "print('fine')"), bad)
    assert ran == ["lint", "types"]
    assert said == ["types failed; its output follows the tests", "types FAILED:"]
    printed = capsys.readouterr().out
    assert "line 7" in printed
    assert "fine" not in printed
    assert run(stamps, bad)[0] == ["types"]


def test_a_fingerprint_depends_on_names_and_contents(tmp_path: Path) -> None:
    """But not on what `./test` writes itself."""
    (tmp_path / "docs" / "loop").mkdir(parents=True)
    for name in ("a", "b", "docs/loop/durations.md"):
        (tmp_path / name).write_text("same")
    assert fingerprint(tmp_path, ["a"]) != fingerprint(tmp_path, ["b"])
    assert fingerprint(tmp_path, ["a"]) == fingerprint(tmp_path, ["a", "docs/loop/durations.md"])
    before = fingerprint(tmp_path, ["a"])
    (tmp_path / "a").write_text("other")
    assert fingerprint(tmp_path, ["a"]) != before


def test_what_is_not_an_option_of_ours_is_for_pytest() -> None:
    """In the order that it came in."""
    options, rest = parse_arguments(["--all", "-k", "a or b", "--durations=5", "tests/x.py", "-x"])
    assert options.all
    assert rest == ["-k", "a or b", "--durations=5", "tests/x.py", "-x"]
    assert parse_arguments(["--changed"])[0].changed == ""
    assert parse_arguments(["--changed", "HEAD~1"])[0].changed == "HEAD~1"


@pytest.mark.parametrize("wrong", [["--resume"], ["--all", "--changed"]])
def test_options_that_do_not_go_together_are_refused(wrong: list[str]) -> None:
    """Before anything runs."""
    with pytest.raises(SystemExit):
        parse_arguments(wrong)
