"""A worker is modest: as the command line starts it, it never has more than three connections."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psycopg

from director.runs import read_run
from director.runs.run_queue import Queue, make_queue_url
from director.store import open_store
from runs.test_worker import give
from store.engines import prepared

NAME = "director-worker-of-a-test"
_COUNT = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s"


def test_a_worker_has_at_most_three_connections_to_its_server(tmp_path: Path) -> None:
    """Looked at all the time while it does four runs, two at once."""
    url = prepared("postgresql", tmp_path)
    runs = [f"run-{number}" for number in range(4)]
    with open_store(url) as store, Queue(make_queue_url(store.url)) as queue:
        for run in runs:
            give(store, queue, run)
        program = subprocess.Popen(
            [sys.executable, "-c", "from director.cli import app; app()", "worker", "--store", url],
            env={**os.environ, "PGAPPNAME": NAME, "DIRECTOR_HOME": str(tmp_path / "home")},
            stdout=subprocess.DEVNULL,
        )
        most, until = 0, time.monotonic() + 240
        try:
            with psycopg.connect(url, autocommit=True) as looking:
                while time.monotonic() < until:
                    row = looking.execute(_COUNT, [NAME]).fetchone()
                    most = max(most, row[0] if row else 0)
                    if all(read_run(store, run).state == "done" for run in runs):
                        break
                    time.sleep(0.02)  # the worker needs the processor as well
        finally:
            program.terminate()
            program.wait(60)
        assert [read_run(store, run).state for run in runs] == ["done"] * 4
    assert 1 <= most <= 3
