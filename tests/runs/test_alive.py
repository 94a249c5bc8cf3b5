"""Every run ends or says why: whatever is away for a while, whoever dies, whatever a clock says."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from dbos import DBOSClient
from hypothesis import given
from hypothesis import strategies as st

from browser.programs import browsers_of
from director.browser import BrowserError, open_browser
from director.browser.actions import run_action
from director.runs import (
    Run,
    RunDependencies,
    cancel_workflow_run,
    queue_run,
    read_run,
    reopen_workflow_run,
)
from director.runs.liveness import Liveness
from director.runs.run_execution import execute, submit_run_execution
from director.runs.run_journal import RunJournal
from director.runs.run_queue import Queue, make_queue_url
from director.runs.stage import Stage
from director.runs.status import RunStatuses
from director.runs.values import RunTaken
from director.runs.worker import Pace, Worker
from director.store import Beat, Store, StoreError, open_store
from director.store.heartbeats import read_machine_id
from director.workflow.document import read_workflow_document
from director.workflow.values import Config, Json, Workflow
from runs import scenario
from runs.conftest import Live
from runs.test_browser_killed import kill_all_but
from runs.test_worker import PROGRAM, give, until, work, worker_program
from runs.worker_program import end_run
from scripts.chaos.postgres import NoPostgres, own_server
from store.engines import fresh, prepared

OTHER_MACHINE = "another boot/another namespace"


def asking_flow(origins: list[str] | None = None) -> Workflow:
    """A node that a model answers, and one that needs nothing."""
    schema: Json = {"type": "object", "properties": {"n": {"type": "integer"}}}
    return read_workflow_document(
        {
            "version": 2,
            "id": "asking",
            "name": "Asking",
            "origins": origins or [],
            "nodes": [
                {
                    "id": "n1",
                    "alias": "think",
                    "type": "cognition",
                    "config": {"instruction": "Say a number.", "schema": schema},
                },
                {"id": "n2", "alias": "one", "type": "transform", "config": {"code": "1"}},
            ],
        }
    )


async def come(holds: Callable[[], bool]) -> None:
    """Wait until something holds of which the store does not tell."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110  a store that is away rings no bell
            await asyncio.sleep(0.02)


class Thinker:
    """A model that answers when it is let go."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.go = asyncio.Event()

    async def think(self, _instruction: str, _given: Json, _schema: object) -> Json:
        """A number, after a while."""
        self.asked.set()
        await self.go.wait()
        return {"n": 1}


def test_case_1_a_store_that_is_away_for_a_while_ends_no_run_and_no_heartbeat() -> None:
    """The server is ended under a run, and started again: the run is done, the site is free."""

    async def go(store: Store, stop: Callable[[], None], start: Callable[[], None]) -> None:
        thinker = Thinker()

        async def means(_run: Run) -> RunDependencies:
            return RunDependencies(think=thinker.think, worker=worker.name)

        pace = Pace(beat=0.2, patience=2.0, poll=0.1, reconcile=0.3)
        worker = Worker(store, execute(store, means), pace=pace)
        async with worker:
            assert await asyncio.to_thread(thinker.asked.wait, 60)
            await asyncio.to_thread(stop)
            thinker.go.set()
            await come(lambda: bool(worker.trouble))
            await asyncio.sleep(2.5)  # longer than the patience of others
            await asyncio.to_thread(start)
            await until(lambda: read_run(store, "first").state == "done", store)
            await until(lambda: read_run(store, "second").state == "done", store)
            await come(lambda: not worker.trouble)

    with contextlib.ExitStack() as opened:
        try:
            server = opened.enter_context(own_server())
        except NoPostgres as reason:
            pytest.skip(str(reason))
        store = opened.enter_context(open_store(server.url))
        with Queue(make_queue_url(store.url)) as queue:
            for name in ("first", "second"):
                queue_run(store, asking_flow(["http://127.0.0.1:1"]), RunDependencies(), id_=name)
                submit_run_execution(store, queue, name)
        asyncio.run(go(store, server.stop, server.start))
        states = [each.body["state"] for each in store.versions("run", "first")]
        assert "failed" not in states


@pytest.mark.promise("A6")
def test_case_2_a_worker_that_lost_its_run_after_a_step_was_begun_does_not_act(
    live: Live, store: Store, site: scenario.Site
) -> None:
    """As after a stop in just that moment: whoever has the run now decides what is done."""
    flow = scenario.workflow(site.origin)
    run = queue_run(store, flow, RunDependencies(), inputs=scenario.INPUTS, id_="ten")
    click: Config = {"action": "click", "selector": "#enter"}
    arrived: list[str] = []
    site.arrived = arrived.append

    async def go() -> None:
        ledger = RunJournal(store, run, worker="stopped")
        ledger.take()
        stage = Stage(ledger, flow, live.means())
        try:
            session = await stage.session()
            await session.navigate(f"{site.origin}/login")
            RunJournal(store, run, worker="other").take()
            with pytest.raises(RunTaken):
                await run_action(session, click)
        finally:
            await stage.close()

    live.run(go())
    assert "POST /login" not in arrived


class MuteStore(Store):
    """A store whose heartbeats fail while it is mute."""

    mute = False

    def beat(self, worker: str, *, host: str, pid: int) -> None:
        """Write a heartbeat, unless mute."""
        if self.mute:
            raise StoreError("The store is away, for this test.")
        super().beat(worker, host=host, pid=pid)


def test_case_2_a_worker_without_a_heartbeat_stops_its_runs_before_others_take_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It stops within the others' patience, says so, and goes on when it can beat again."""
    with open_store(prepared("sqlite", tmp_path)) as opened:
        store = MuteStore(opened._database)
        begun: list[float] = []
        stopped: list[float] = []

        async def forever(run: str) -> None:
            begun.append(time.monotonic())
            if len(begun) == 2:
                end_run(store, run)
                return
            try:
                await asyncio.Event().wait()
            finally:
                stopped.append(time.monotonic())

        async def go() -> None:
            pace = Pace(beat=0.2, patience=9.0, poll=0.05, reconcile=0.2)
            async with Worker(store, forever, pace=pace) as worker:
                await until(lambda: len(begun) == 1, store)
                store.mute = True
                muted = time.monotonic()
                await come(lambda: bool(stopped))
                assert stopped[0] - muted < pace.patience
                assert worker.busy == ("run",)
                store.mute = False
                await until(lambda: len(begun) == 2, store)

        with Queue(make_queue_url(store.url)) as queue:
            give(store, queue, "run")
        asyncio.run(go())
    assert any("gives no heartbeat" in each.message for each in caplog.records)
    assert any("gives heartbeats again" in each.message for each in caplog.records)


@pytest.mark.parametrize(("late", "goes_on"), [(70, True), (91, False)])
def test_case_2_a_worker_that_was_too_busy_for_a_heartbeat_goes_on_while_nobody_took_its_runs(
    tmp_path: Path, *, late: float, goes_on: bool
) -> None:
    """Late, but within the patience of the others, it beats at once; later than that it stops."""
    stopped = asyncio.Event()

    async def forever(_: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    async def go() -> None:
        pace = Pace(beat=600, patience=90, poll=0.05, reconcile=600)
        async with Worker(store, forever, pace=pace) as worker:
            await come(lambda: worker.busy == ("run",))
            count = store.beats()[0].count
            worker._heard -= late
            await come(lambda: stopped.is_set() or store.beats()[0].count > count)
            assert stopped.is_set() is not goes_on

    with open_store(prepared("sqlite", tmp_path)) as store:
        with Queue(make_queue_url(store.url)) as queue:
            give(store, queue, "run")
        asyncio.run(go())


@pytest.mark.parametrize("engine", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def test_case_3_rows_of_ended_runs_and_dead_workers_hold_up_no_site(
    tmp_path: Path, engine: str
) -> None:
    """A dead worker's row, whose run was cancelled, and a run without any row."""
    site = "https://a.example"

    async def at_once(run: str) -> None:
        end_run(store, run)

    with open_store(prepared(engine, tmp_path)) as store:
        with Queue(make_queue_url(store.url)) as queue:
            give(store, queue, "held", site)
            with worker_program(store, "first", 60) as first:
                client = DBOSClient(system_database_url=make_queue_url(store.url))
                asyncio.run(until(lambda: held_rows(client) == 1, store))
                first.kill()
                first.wait()
            cancel_workflow_run(store, "held")
            give(store, queue, "next", site)
            give(store, queue, "lost", site)
            lost = client.list_workflows(workflow_id_prefix="lost#")
            client.cancel_workflow(lost[0].workflow_id)
            client.destroy()
        ended = ("next", "lost")
        work(store, at_once, lambda: {read_run(store, each).state for each in ended} == {"done"})
        assert read_run(store, "held").state == "cancelled"


def held_rows(client: DBOSClient) -> int:
    """How many rows of the queue a worker has taken."""
    return len(client.list_workflows(status="PENDING"))


def test_case_4_two_workers_of_one_name_are_two_and_the_death_of_one_is_seen(
    tmp_path: Path,
) -> None:
    """The other takes the run over, although its name still gives signs of life."""
    with open_store(prepared("sqlite", tmp_path)) as store:
        with Queue(make_queue_url(store.url)) as queue:
            give(store, queue, "run")
        with worker_program(store, "same", 0.5) as first:
            asyncio.run(until(lambda: len(store.ids("mark")) == 1, store))
            with worker_program(store, "same", 0.01):
                names = {each.worker for each in store.beats()}
                assert len(names) == 2
                assert {name.partition(".")[0] for name in names} == {"same"}
                first.kill()
                first.wait()
                asyncio.run(until(lambda: store.ids("end") == ["run"], store))


def test_case_4_a_process_number_tells_nothing_about_another_machine() -> None:
    """Of the same boot and namespace a number that is free means death; elsewhere nothing does."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    here = Beat("w", "host", ended.pid, 0.0, 1, 1, read_machine_id())
    elsewhere = Beat("w", "host", ended.pid, 0.0, 1, 1, OTHER_MACHINE)
    assert here.has_ended
    assert not elsewhere.has_ended


@pytest.mark.promise("G4")
def test_case_5_a_browser_that_dies_while_a_run_starts_on_it_fails_no_run(
    live: Live, store: Store, site: scenario.Site
) -> None:
    """The first browser is dead when it is handed out; nobody ever reads that the run failed."""
    queue_run(
        store, scenario.workflow(site.origin), RunDependencies(), inputs=scenario.INPUTS, id_="ten"
    )
    tries: list[str] = []

    async def go() -> None:
        async with open_browser() as doomed:

            async def means(_run: Run) -> RunDependencies:
                tries.append("try")
                if len(tries) == 1:
                    raise BrowserError("It did not start, for this test.")
                given = doomed if len(tries) == 2 else live.browser
                return live.means(browser=given)

            kill_all_but(spared)
            await execute(store, means)("ten")

    spared = browsers_of(os.getpid())
    live.run(go())
    assert read_run(store, "ten").state == "done"
    assert [each.body["state"] for each in store.versions("run", "ten")].count("failed") == 0
    assert len(tries) == 3


def test_case_5_a_run_that_waits_for_a_browser_can_be_cancelled(store: Store) -> None:
    """Meanwhile it says why it does not move; no try writes over the cancellation."""
    queue_run(store, asking_flow(), RunDependencies(), id_="run")
    tries: list[str] = []

    async def means(_run: Run) -> RunDependencies:
        tries.append("try")
        if len(tries) == 2:
            cancel_workflow_run(store, "run")
        raise BrowserError("There is none.")

    asyncio.run(execute(store, means)("run"))
    assert read_run(store, "run").state == "cancelled"
    assert len(tries) == 2


def test_case_5_a_browser_that_never_starts_makes_the_run_fail_after_some_tries(
    store: Store,
) -> None:
    """Without progress the tries are bounded, and the run says why."""
    queue_run(store, asking_flow(), RunDependencies(), id_="run")

    async def means(_run: Run) -> RunDependencies:
        raise BrowserError("There is none.")

    asyncio.run(execute(store, means)("run"))
    assert read_run(store, "run").error == {"message": "There is none.", "kind": "browser"}
    assert reopen_workflow_run(store, "run").state == "queued"


@pytest.mark.promise("G4")
def test_case_6_a_site_that_is_away_for_two_seconds_fails_no_run(live: Live, store: Store) -> None:
    """It is away when the run comes, and again while it works there."""
    with scenario.served() as site:
        origin = site.origin
    queue_run(
        store, scenario.workflow(origin), RunDependencies(), inputs=scenario.INPUTS, id_="ten"
    )
    port, over = int(origin.rpartition(":")[2]), threading.Event()
    orders: list[object] = []

    def come_and_go() -> None:
        """Away, there until the order arrives, away again, there until the end."""
        over.wait(2.0)
        with scenario.served(port=port) as first:
            arrived = threading.Event()
            first.arrived = lambda what: arrived.set() if what == "POST /login" else None
            arrived.wait(120)
        over.wait(2.0)
        with scenario.served(port=port) as second:
            over.wait(240)
            orders.extend(second.orders)

    async def means(_run: Run) -> RunDependencies:
        return live.means()

    coming = threading.Thread(target=come_and_go)
    coming.start()
    try:
        live.run(execute(store, means)("ten"))
    finally:
        over.set()
        coming.join()
    assert read_run(store, "ten").state == "done"
    assert len(orders) == 1


def test_case_7_three_workers_start_at_once_on_a_fresh_store(tmp_path: Path) -> None:
    """Whoever is first makes the tables of store and queue; the others wait for it."""
    url = fresh("sqlite", tmp_path)
    programs = [
        subprocess.Popen(
            [sys.executable, str(PROGRAM), url, f"w{number}", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    try:
        for each in programs:
            assert each.stdout is not None
            assert each.stderr is not None
            assert each.stdout.readline() == "ready\n", each.stderr.read()
    finally:
        for each in programs:
            each.kill()
            each.communicate()


@given(
    ages=st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20),
    beats=st.integers(0, 1),
)
def test_case_7_no_step_of_a_clock_kills_a_worker_or_keeps_a_dead_one(
    ages: list[float], beats: int
) -> None:
    """Whatever ages the database's clock gives, only the count and the watcher's clock decide."""
    now = [0.0]
    watch = Liveness(10.0, clock=lambda: now[0])
    alive = frozenset[str]()
    for number, age in enumerate(ages):
        now[0] = number * 11.0
        count = number if beats else 7
        alive = watch.observe([Beat("w", "host", 1, age, count, 1, OTHER_MACHINE)])
    assert ("w" in alive) == bool(beats or len(ages) == 1)


def test_case_8_a_run_says_why_it_does_not_move(tmp_path: Path) -> None:
    """No worker, a dead worker, a site that another run holds, a question."""
    with open_store(prepared("sqlite", tmp_path)) as store:
        flow = asking_flow(["http://127.0.0.1:1"])
        queue_run(store, flow, RunDependencies(), id_="first")
        queue_run(store, flow, RunDependencies(), id_="second")
        assert "no worker is running: `director runs resume second`" in explain(store, "second")
        store.beat("w.0.one-run", host="there", pid=1)
        assert "no worker is running" in explain(store, "second")
        store.beat("w.1", host="there", pid=1)
        assert "waits for a free worker" in explain(store, "second")
        hold(store, "first", "w.1")
        assert explain(store, "first") == ""
        assert explain(store, "second") == "waits for http://127.0.0.1:1, held by run first"
        store.leave("w.1")
        assert "worker w.1 has ended; no worker is running" in explain(store, "first")
        store.beat("w.2", host="there", pid=1)
        assert "another takes it over" in explain(store, "first")


def explain(store: Store, run: str) -> str:
    """What is said of a run now."""
    return RunStatuses(store).explain(read_run(store, run))


def hold(store: Store, run: str, worker: str) -> None:
    """Write that a worker does a run."""
    found = store.get("run", run)
    assert found is not None
    store.put("run", run, {**found.body, "state": "running", "worker": worker})
