"""The catalogue: every test here is an attack, and docs/security.md lists each."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from scripts.attacks import read_attacks, read_before

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def test_every_test_here_says_which_attack_it_is() -> None:
    """A test without the marker would be missing in the catalogue."""
    silent = [
        f"{path.name}::{node.name}"
        for path in sorted(HERE.glob("test_*.py"))
        if path != Path(__file__)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not any("pytest.mark.attack" in ast.unparse(mark) for mark in node.decorator_list)
    ]
    assert silent == []


def test_the_page_lists_what_the_tests_attack() -> None:
    """If this fails: python scripts/attacks.py."""
    checked = subprocess.run(
        [sys.executable, "scripts/attacks.py", "--check"], cwd=ROOT, check=False
    )
    assert checked.returncode == 0, "docs/security.md is out of date: run python scripts/attacks.py"


def test_what_was_seen_before_is_of_attacks_that_are_made() -> None:
    """An attack that was renamed keeps what was seen of it; none is without a word."""
    made = {each.test for each in read_attacks(HERE)}
    seen = read_before()
    assert set(seen) == made
    told = {result.partition(":")[0] for result in seen.values()}
    assert told <= {"fell", "held", "new", "not shown"}
