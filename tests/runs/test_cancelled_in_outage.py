"""A run can be cancelled while the server of its store is away; it takes effect as it comes back."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from director.runs import RunDependencies, queue_run, read_run
from director.runs.run_control import cancel_workflow_run
from director.runs.run_execution import execute, submit_run_execution
from director.runs.run_journal import list_run_steps
from director.runs.run_queue import Queue, make_queue_url
from director.runs.values import Run
from director.runs.worker import Pace, Worker
from director.store import Store, Versioned, open_store
from runs.test_alive import Thinker, asking_flow
from runs.test_worker import until
from scripts.chaos.postgres import NoPostgres, PostgresServer, own_server
from web.rooms import a_studio, let_in

DIRECTOR = (sys.executable, "-u", "-c", "from director.cli import app; app()")


def start_cancelling(run: str, url: str, home: Path) -> subprocess.Popen[str]:
    """`director runs cancel` as a program."""
    return subprocess.Popen(
        [*DIRECTOR, "runs", "cancel", run, "--store", url],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "DIRECTOR_HOME": str(home)},
    )


async def cancel_in_outage(store: Store, server: PostgresServer, folder: Path) -> None:
    """Do a run, end the server, cancel the run and another one, start the server."""
    thinker = Thinker()

    async def means(_run: Run) -> RunDependencies:
        return RunDependencies(think=thinker.think, worker=worker.name)

    pace = Pace(beat=0.2, patience=2.0, poll=0.1, reconcile=0.3)
    worker = Worker(store, execute(store, means), pace=pace)
    async with worker:
        assert await asyncio.to_thread(thinker.asked.wait, 60)
        with let_in(a_studio(store, folder)) as client:
            await asyncio.to_thread(server.stop)
            answer = await asyncio.to_thread(client.post, "/api/runs/second/cancel", json={})
            assert answer.status_code == 202
            assert "cancelled as soon as it does" in answer.json()["told"]
            program = start_cancelling("first", server.url, folder)
            try:
                assert program.stdout is not None
                said = await asyncio.to_thread(program.stdout.readline)
                assert said.startswith("Waits for the store: "), said
                assert "cancelled as soon as it answers" in said
                await asyncio.to_thread(server.start)
                said, _ = await asyncio.to_thread(program.communicate, timeout=240)
            finally:
                program.kill()
            assert program.returncode == 0, said
            assert said.startswith("first is cancelled.")
            thinker.go.set()
            for run in ("first", "second"):
                await until(lambda run=run: read_run(store, run).state == "cancelled", store)
            await until(lambda: not worker.busy, store)
    assert [step.key for step in list_run_steps(store, "first") if step.state == "finished"] == []


def test_case_1_a_run_is_cancelled_while_its_store_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the command line, which waits, and in the app, which keeps it in mind."""
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DIRECTOR_MODEL", "scripted:test")
    try:
        with own_server() as server, open_store(server.url) as store:
            for name in ("first", "second"):
                queue_run(store, asking_flow(["http://127.0.0.1:1"]), RunDependencies(), id_=name)
            with Queue(make_queue_url(store.url)) as queue:
                submit_run_execution(store, queue, "first")
            asyncio.run(cancel_in_outage(store, server, tmp_path))
    except NoPostgres as reason:
        pytest.skip(str(reason))


def test_a_run_is_cancelled_although_its_worker_writes_it_just_then(tmp_path: Path) -> None:
    """Whoever was quicker: the cancellation looks again and is written."""
    with open_store(tmp_path / "director.db") as store:
        queue_run(store, asking_flow(), RunDependencies(), id_="run")

        class Contended(Store):
            """A store in which the run is written between a look and the write."""

            left = threading.Semaphore(3)

            def get(self, kind: str, id: str, version: int | None = None) -> Versioned | None:  # noqa: A002
                found = super().get(kind, id, version)
                if found is not None and self.left.acquire(blocking=False):
                    store.put(kind, id, {**found.body, "state": "running"}, "by a worker")
                return found

        cancel_workflow_run(Contended(store.database), "run")
        assert read_run(store, "run").state == "cancelled"
