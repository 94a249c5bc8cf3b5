"""Workers share a queue of runs, and the living take over from the dead."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from director.runs import RunDependencies, queue_run
from director.runs.run_queue import Queue, make_queue_url
from director.runs.worker import Pace, Worker
from director.store import Store, open_store
from director.store.heartbeats import read_machine_id
from director.workflow.values import Node, Workflow
from runs.worker_program import end_run
from store.engines import ENGINES, prepared

PROGRAM = Path(__file__).parent / "worker_program.py"
SLOW_ON_THE_SERVER = pytest.mark.parametrize(
    "store", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)
QUICK = Pace(at_once=2, per_site=1, beat=0.1, patience=1.0, poll=0.05, reconcile=0.1)


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A store with nothing in it, on each engine."""
    with open_store(prepared(str(request.param), tmp_path)) as opened:
        yield opened


@contextlib.contextmanager
def worker_program(store: Store, name: str, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """A worker in a process of its own, ready to take runs."""
    arguments = [sys.executable, str(PROGRAM), store.url, name, str(seconds)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        try:
            yield program
        finally:
            program.kill()


def give(store: Store, queue: Queue, run: str, site: str = "") -> None:
    """Write a run and put it into the queue."""
    node = Node("n1", "one", "transform", {"code": "1"})
    workflow = Workflow(f"flow-{run}", run, (node,))
    queue_run(store, workflow, RunDependencies(), id_=run)
    queue.submit(run, site=site)


async def until(holds: Callable[[], bool], store: Store) -> None:
    """Wait until something holds, looking whenever something was committed."""
    with store.subscribe(after=0) as feed:
        async with asyncio.timeout(600):
            while not holds():
                await asyncio.to_thread(feed.next, 0.2)


def work(store: Store, execute: Callable[[str], Awaitable[None]], ends: Callable[[], bool]) -> None:
    """Be a worker until something holds."""

    async def go() -> None:
        async with Worker(store, execute, pace=QUICK):
            await until(ends, store)

    asyncio.run(go())


def test_a_worker_executes_what_is_queued_and_leaves_no_trace(store: Store) -> None:
    """Each run once; its heartbeat is gone when it ends."""
    done: list[str] = []

    async def execute(run: str) -> None:
        done.append(run)
        store.put("end", run, {})
        end_run(store, run)

    with Queue(make_queue_url(store.url)) as queue:
        for number in range(5):
            give(store, queue, f"run-{number}")
    work(store, execute, lambda: len(store.ids("end")) == 5)
    assert sorted(done) == [f"run-{number}" for number in range(5)]
    assert store.beats() == []


@SLOW_ON_THE_SERVER
def test_runs_of_one_site_wait_for_one_another(store: Store) -> None:
    """With one at a time for a site, no two of its runs overlap; another site's may."""
    inside: list[str] = []
    together: set[frozenset[str]] = set()
    met = asyncio.Event()

    async def execute(run: str) -> None:
        inside.append(run)
        together.add(frozenset(inside))
        if len(inside) == 2:
            met.set()
        await met.wait()  # the first stays until one of the other site has come
        await asyncio.sleep(0.05)
        inside.remove(run)
        store.put("end", run, {})
        end_run(store, run)

    with Queue(make_queue_url(store.url)) as queue:
        for number in range(4):
            give(store, queue, f"a{number}", site="https://a.example")
            give(store, queue, f"b{number}", site="https://b.example")
    work(store, execute, lambda: len(store.ids("end")) == 8)
    assert all(len({run[0] for run in at_once}) == len(at_once) for at_once in together)
    assert any(len(at_once) == 2 for at_once in together)


@SLOW_ON_THE_SERVER
def test_a_worker_that_stops_leaves_its_run_to_the_next(store: Store) -> None:
    """Stopped in the middle, the run is not lost and needs no patience."""
    begun: list[int] = []

    async def never(_run: str) -> None:
        begun.append(1)
        store.put("begun", "run", {})
        await asyncio.Event().wait()

    async def at_once(run: str) -> None:
        store.put("end", run, {})
        end_run(store, run)

    with Queue(make_queue_url(store.url)) as queue:
        give(store, queue, "run")
    work(store, never, lambda: store.ids("begun") == ["run"])
    assert begun == [1]
    work(store, at_once, lambda: store.ids("end") == ["run"])


def test_the_runs_of_a_killed_worker_are_taken_over(store: Store) -> None:
    """The living finish what the dead began, and do not repeat what was done."""
    with Queue(make_queue_url(store.url)) as queue:
        for number in range(3):
            give(store, queue, f"run-{number}")
    with worker_program(store, "first", 0.3) as first:
        asyncio.run(until(lambda: len(store.ids("mark")) >= 3, store))
        first.kill()
        first.wait()
    before = {each.id for each in store.newest("mark") if each.body["by"] == "first"}
    assert before
    with worker_program(store, "second", 0.01):
        asyncio.run(until(lambda: len(store.ids("end")) == 3, store))
    marks = {each.id: each for each in store.newest("mark")}
    assert len(marks) == 9
    assert all(each.version == 1 for each in marks.values())
    assert all(marks[name].body["by"] == "first" for name in before)


@pytest.mark.slow
def test_two_hundred_runs_over_three_workers_one_of_them_killed_are_each_done_once(
    tmp_path: Path,
) -> None:
    """On PostgreSQL, as on many machines."""
    with (
        open_store(prepared("postgresql", tmp_path)) as store,
        Queue(make_queue_url(store.url)) as queue,
        contextlib.ExitStack() as programs,
    ):
        for number in range(200):
            give(store, queue, f"run-{number:03}")
        begun = [
            programs.enter_context(worker_program(store, name, 0.02)) for name in ("a", "b", "c")
        ]
        asyncio.run(until(lambda: len(store.ids("end")) >= 40, store))
        begun[0].kill()
        begun[0].wait()
        asyncio.run(until(lambda: len(store.ids("end")) == 200, store))
        marks = store.newest("mark")
        assert len(marks) == 600
        assert {each.version for each in [*marks, *store.newest("end")]} == {1}
        assert {each.body["by"] for each in store.newest("end")} == {"a", "b", "c"}


def test_a_heartbeat_is_counted_and_says_where_it_comes_from(store: Store) -> None:
    """Each one counts; who left is not listed; the epoch is how far the store was."""
    store.put("any", "thing", {})
    store.beat("w", host="here", pid=os.getpid())
    (first,) = store.beats()
    assert (first.worker, first.host, first.pid, first.count) == ("w", "here", os.getpid(), 1)
    assert -1 < first.age < 60
    assert first.machine == read_machine_id()
    assert first.epoch >= 1
    store.put("any", "thing", {})
    store.beat("w", host="here", pid=os.getpid())
    (second,) = store.beats()
    assert (second.count, second.epoch) == (2, first.epoch)
    store.leave("w")
    assert store.beats() == []
