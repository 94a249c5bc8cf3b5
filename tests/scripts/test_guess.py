"""Drawing functions by chance, for a stranger who guesses their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.guess import draw, list_public_functions, list_strangers


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A package of two files."""
    (tmp_path / "runs.py").write_text("def list_runs(): ...\ndef say(): ...\ndef _hidden(): ...\n")
    (tmp_path / "plans.py").write_text("def get_plan(): ...\nclass Plan: ...\n")
    return tmp_path


def test_only_public_functions_of_modules_are_drawn(source: Path) -> None:
    """No method, no class, nothing private."""
    found = [("get_plan", "plans.py"), ("list_runs", "runs.py"), ("say", "runs.py")]
    assert list_public_functions(source) == found


def test_the_same_seed_draws_the_same_functions(source: Path) -> None:
    """So that two people can be asked the same."""
    assert draw(source, seed=3, count=2) == draw(source, seed=3, count=2)


def test_a_function_that_shares_no_word_with_its_file_is_a_stranger(source: Path) -> None:
    """`say` tells nothing of runs; `list_runs` and `get_plan` name their files."""
    assert list_strangers(source) == [("say", "runs.py")]
