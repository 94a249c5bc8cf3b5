"""The house rules that a program can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import director
from moved import UNKNOWN, list_moved

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
# Notes to finish later, where notes stand; the words themselves may be looked for in texts.
_UNFINISHED = re.compile(
    r"(?:#|//|<!--).*\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b|raise NotImplemented" r"Error"
)
_MACHINE = re.compile(r"(?<![\w.~-])/(?:work|farm|root|tmp|home|Users)/\w")
# Texts of others, which name what they name.
_FOREIGN = ("locked/", "LICENSE", "bench/recordings/", "bench/samples/", "tests/samples/")


def tracked() -> list[Path]:
    """The files that are in the project, or will be with the next commit."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git clone, so there is no list of the project's files")
    names = (name for name in listed.stdout.splitlines() if not name.startswith(_FOREIGN))
    return [path for name in names if (path := ROOT / name).is_file()]


def text(path: Path) -> str:
    """The text of a file, or nothing if it is not text."""
    try:
        return path.read_text()
    except UnicodeDecodeError:
        return ""


@cache
def tree_of(path: Path) -> ast.Module:
    """What a file says, read once."""
    return ast.parse(path.read_text())


def imported(path: Path) -> list[str]:
    """The modules that a file imports, wherever in it."""
    names: list[str] = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    return names


def test_a_source_file_is_short_and_says_what_it_is_for() -> None:
    """At most 400 lines, and a docstring first."""
    assert SOURCES
    assert [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path.read_text().count("\n") > 400 or not ast.get_docstring(tree_of(path))
    ] == []


def test_every_test_says_in_words_what_must_hold() -> None:
    """A docstring on each."""
    assert [
        f"{path.relative_to(ROOT)}::{node.name}"
        for path in TESTS
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ] == []


def test_nothing_names_a_machine_or_is_marked_unfinished() -> None:
    """No absolute path of somebody's disk and no note to finish later."""
    assert [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in tracked()
        if (found := _MACHINE.search(text(path)) or _UNFINISHED.search(text(path)))
    ] == []


def test_the_locks_name_versions_and_hashes_and_no_address() -> None:
    """Files come from whatever index is set up where it is installed."""
    for path in sorted((ROOT / "locked").glob("*.txt")):
        lock = path.read_text()
        assert "://" not in lock
        assert len(re.findall(r"^[\w.-]+==", lock, re.MULTILINE)) <= lock.count("--hash=sha256:")


def test_the_engine_imports_the_standard_library_only() -> None:
    """And itself."""
    assert [
        f"{path.relative_to(ROOT)}: {name}"
        for path in (ROOT / "src/director/context").rglob("*.py")
        for name in imported(path)
        if name.split(".")[0] not in sys.stdlib_module_names
        and not f"{name}.".startswith("director.context.")
    ] == []


def test_every_public_name_exists_and_is_documented() -> None:
    """`director.__all__` is sorted, true, and on the library page."""
    page = (ROOT / "docs/library.md").read_text()
    assert list(director.__all__) == sorted(director.__all__)
    assert [name for name in director.__all__ if not hasattr(director, name)] == []
    assert [name for name in director.__all__ if f"`{name}" not in page] == []


def test_every_promise_has_a_test_and_every_marked_test_a_promise() -> None:
    """The page names, for each promise, the files in which it is proved."""
    page = (ROOT / "docs/promises.md").read_text()
    promised = {
        id_: set(re.findall(r"`(tests/[\w/]+\.py)`", row))
        for id_, row in re.findall(r"^\| ([A-Z]\d+) \|(.*)$", page, re.MULTILINE)
    }
    proved: dict[str, set[str]] = {}
    for path in TESTS:
        for id_ in re.findall(r'mark\.promise\("([^"]+)"\)', path.read_text()):
            proved.setdefault(id_, set()).add(str(path.relative_to(ROOT)))
    assert promised == proved


def _is_slow(tree: ast.Module) -> bool:
    """Whether the marks of a whole file put it behind `--all`."""
    return any(
        "pytest.mark.slow" in ast.unparse(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
    )


def test_every_promise_is_proved_in_the_first_tier() -> None:
    """What is behind `--all` proves it further, and never alone."""
    first: set[str] = set()
    anywhere: set[str] = set()
    for path in TESTS:
        tree = tree_of(path)
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            marks = [ast.unparse(each) for each in node.decorator_list]
            ids = {mark[21:-2] for mark in marks if mark.startswith("pytest.mark.promise(")}
            anywhere |= ids
            moved = f"{path.relative_to(ROOT).as_posix()}::{node.name}" in list_moved()
            if "pytest.mark.slow" not in marks and not _is_slow(tree) and not moved:
                first |= ids
    assert anywhere
    assert anywhere - first == set()


def test_what_is_moved_behind_all_is_there(pytestconfig: pytest.Config) -> None:
    """As far as the files were read: a test that was renamed would be in the first tier again."""
    assert list_moved()
    assert pytestconfig.stash[UNKNOWN] == []


def test_the_page_of_testing_names_every_file_with_slow_tests() -> None:
    """And says what proves the same in the first tier."""
    page = (ROOT / "docs/testing.md").read_text()
    marked = {
        str(path.relative_to(ROOT))
        for path in TESTS
        if path.name != "moved.py" and re.search(r'(?<!")pytest\.mark\.slow', path.read_text())
    }
    named = {
        name
        for row in re.findall(r"^\|([^|]*)\|", page, re.MULTILINE)
        for name in re.findall(r"`(tests/[\w/]+\.py)`", row)
    }
    assert named == marked


@pytest.mark.parametrize("script", ["run", "test", ".ci/run"])
def test_the_commands_can_be_started(script: str) -> None:
    """They are executable and the shell can read them."""
    path = ROOT / script
    assert path.stat().st_mode & 0o111
    shell = "bash" if script.startswith(".ci") else "sh"
    subprocess.run([shell, "-n", str(path)], check=True)
