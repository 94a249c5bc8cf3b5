"""What is compiled ahead of the workers is what they load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from scripts.warming import rewrite_tests


def test_a_file_is_rewritten_once_and_again_after_a_change(tmp_path: Path) -> None:
    """The first time it is kept, the second time nothing is to do."""
    path = tmp_path / "test_one.py"
    path.write_text("def test_one():\n    assert [1] == [2]\n")
    assert [rewrite_tests(path), rewrite_tests(path)] == [True, False]
    path.write_text("def test_one():\n    assert [1] == [3]\n")
    assert rewrite_tests(path)


def test_pytest_loads_what_was_rewritten(tmp_path: Path) -> None:
    """It says that it found the file, and explains the assertion as ever."""
    path = tmp_path / "test_one.py"
    path.write_text("def test_one():\n    assert [1] == [2]\n")
    assert rewrite_tests(path)
    command = [sys.executable, "-m", "pytest", "--debug", "-p", "no:randomly", str(path)]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "At index 0 diff: 1 != 2" in told.stdout
    assert f"found cached rewritten pyc for {path}" in (tmp_path / "pytestdebug.log").read_text()
