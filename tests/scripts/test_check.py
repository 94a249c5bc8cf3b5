"""What `--retry` may pass: tests that failed once, never tests that did not run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import check
from scripts.records import read_records

ROOT = Path(__file__).parent.parent.parent
FAILS_ONCE = """
from pathlib import Path
def test_flaky():
    seen = Path(__file__).with_name("seen")
    was = seen.exists()
    seen.touch()
    assert was
"""


def record(folder: Path, files: dict[str, str], *arguments: str) -> Path:
    """Run a folder of tests with the recorder; where it wrote."""
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = slow: of the slow tier\n")
    for name, text in files.items():
        (folder / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-p", "scripts.recorder", "-p", "xdist"]
    command += [f"--rootdir={folder}", "-c", str(folder / "pytest.ini"), str(folder)]
    command += ["--record", str(folder / "out"), *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert done.returncode in (1, 2), done.stdout + done.stderr
    return folder / "out"


@pytest.mark.parametrize("arguments", [["-n", "2"], ["--continue-on-collection-errors"]])
def test_a_file_that_could_not_be_collected_is_never_passed_by_trying_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    """Its tests did not run; one that failed beside it would pass when run once more, alone."""
    files = {"test_it.py": FAILS_ONCE, "test_gone.py": "import nothing_of_this_name\n"}
    out = record(tmp_path, files, *arguments)
    assert read_records(out).uncollected == {"test_gone.py"}
    assert check.retry_failures(out) == 1
    assert "test_gone.py" in capsys.readouterr().err


def test_more_failures_than_an_accident_makes_are_not_tried_again(tmp_path: Path) -> None:
    """Five failed tests stay failed."""
    lines = [
        {"test": f"test_x.py::test_{n}", "when": "call", "outcome": "failed", "slow": False}
        | {"seconds": 0.1, "at": 1.0}
        for n in range(check.MOST_RETRIED + 1)
    ]
    (tmp_path / "1-1-main.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert check.retry_failures(tmp_path) == 1
