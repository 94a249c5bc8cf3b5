"""The time limit of every test: it ends a wait in a loop, a thread or a child process, in a worker."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TESTS = """
import asyncio, subprocess, threading

def test_loop(): asyncio.run(asyncio.sleep(600))
def test_thread(): threading.Event().wait()
def test_child(): subprocess.run(["sleep", "600"])
def test_after(): pass
"""


def test_every_test_has_a_limit(request: pytest.FixtureRequest) -> None:
    """That of pyproject.toml, unless it is marked with another."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert request.config.getini("timeout") == str(settings["timeout"])


@pytest.mark.slow
def test_a_slow_test_has_more_time(request: pytest.FixtureRequest) -> None:
    """As tests/conftest.py gives it."""
    marker = request.node.get_closest_marker("timeout")
    assert marker is not None
    assert marker.args[0] > int(request.config.getini("timeout"))


def test_a_test_that_waits_forever_fails_and_the_next_one_runs(tmp_path: Path) -> None:
    """The worker lives on."""
    (tmp_path / "pytest.ini").write_text("[pytest]\ntimeout = 1\ntimeout_method = signal\n")
    (tmp_path / "test_it.py").write_text(TESTS)
    plugins = ["-p", "xdist", "-p", "timeout", "-n", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, f"--rootdir={tmp_path}", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # which takes seconds
    )
    assert "3 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("Failed: Timeout") >= 3
