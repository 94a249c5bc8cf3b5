"""A worker that is started while its server is away waits for it; a wrong address ends it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.chaos.postgres import NoPostgres, own_server

DIRECTOR = (sys.executable, "-u", "-c", "from director.cli import app; app()")


def start_worker(url: str, home: Path) -> subprocess.Popen[str]:
    """A worker by the command line."""
    return subprocess.Popen(
        [*DIRECTOR, "worker", "--name", "early", "--store", url],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "DIRECTOR_HOME": str(home)},
    )


def test_case_1_a_worker_that_starts_before_its_server_waits_for_it(tmp_path: Path) -> None:
    """It says that it waits, and serves as soon as the server is there."""
    try:
        with own_server() as server:
            server.stop()
            program = start_worker(server.url, tmp_path)
            try:
                assert program.stdout is not None
                said = program.stdout.readline()
                assert said.startswith("Waits for the store: It cannot be opened"), said
                server.start()
                assert "serves" in program.stdout.readline()
            finally:
                program.kill()
                program.communicate()
    except NoPostgres as reason:
        pytest.skip(str(reason))


def test_a_worker_whose_database_is_not_there_ends_and_says_so(tmp_path: Path) -> None:
    """A server that answers, and has no such database: waiting would help nobody."""
    try:
        with own_server() as server:
            program = start_worker(f"{server.url.rpartition('/')[0]}/nowhere", tmp_path)
            try:
                said, _ = program.communicate(timeout=240)
            finally:
                program.kill()
            assert program.returncode == 2
            assert "cannot be opened" in said
    except NoPostgres as reason:
        pytest.skip(str(reason))
