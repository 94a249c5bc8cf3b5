"""Runs the programs of this folder in a process of their own and reads what they print."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_TESTS = Path(__file__).parents[2]


def run(program: str, *arguments: object) -> dict[str, Any]:
    """Run a program of this folder; what it prints is one line of JSON."""
    path = os.pathsep.join([str(_TESTS), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    done = subprocess.run(
        [sys.executable, "-m", f"store.crash.{program}", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=1_200,
        check=False,
    )
    if "strace cannot attach" in done.stderr:
        pytest.skip("strace is not allowed to attach to a process here")
    assert done.returncode == 0, done.stderr[-4_000:]
    printed: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return printed


def need_strace() -> None:
    """Skip, and say so, where there is no strace."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed: apt-get install strace")
