"""A run that is stopped anywhere and resumed has the same end, and its one effect happened once."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest

from director.runs import Run, drive_run, list_run_steps, queue_run, resume_workflow_run
from director.store import Store, open_store
from runs import scenario
from runs.conftest import Live
from runs.crashes import Crash, CrashingStore, CrashingWait


def expected(live: Live, folder: Path) -> tuple[dict[str, object], int]:
    """The end of a run that nothing disturbs, and how many writes it takes."""
    with scenario.served() as site, open_store(folder / "calm.db") as store:
        counting = CrashingStore(store, 0, written=True)
        run = live.run(start(counting, site, live))
        return scenario.end_of(store, run, site), counting.writes


async def start(store: Store, site: scenario.Site, live: Live) -> Run:
    """Queue the ten nodes and do them."""
    made = queue_run(
        store, scenario.workflow(site.origin), live.means(), inputs=scenario.INPUTS, id_="ten"
    )
    return await drive_run(store, made.id, live.means())


def crash_and_resume(live: Live, folder: Path, at: int, *, written: bool) -> dict[str, object]:
    """The end of a run that was stopped at a write and then resumed."""
    with scenario.served() as site, open_store(folder / f"{at}-{written}.db") as store:

        async def crashing() -> None:
            try:
                await start(CrashingStore(store, at, written=written), site, live)
            except Crash:
                return

        live.run(crashing())
        if store.get("run", "ten") is None:
            live.run(start(store, site, live))
        run = live.run(resume_workflow_run(store, "ten", live.means()))
        return scenario.end_of(store, run, site)


@pytest.mark.promise("A6")
def test_a_run_stopped_at_a_write_ends_as_if_it_had_not_been(live: Live, tmp_path: Path) -> None:
    """Around the order, which must happen once; all other places are in the slow test."""
    calm, writes = expected(live, tmp_path)
    assert len(calm["orders"]) == 1  # type: ignore[arg-type]
    # The order is begun and finished by the second but last write and the one after it.
    for at, written in [(writes - 2, True), (writes - 1, False)]:
        assert crash_and_resume(live, tmp_path, at, written=written) == calm, (at, written)


@pytest.mark.slow
@pytest.mark.promise("A6")
@pytest.mark.parametrize("written", [True, False])
def test_a_run_stopped_at_any_write_ends_as_if_it_had_not_been(
    live: Live, tmp_path: Path, *, written: bool
) -> None:
    """Every write of the run, just before it and just after."""
    calm, writes = expected(live, tmp_path)
    for at in range(1, writes + 1):
        assert crash_and_resume(live, tmp_path, at, written=written) == calm, at


def interrupt_and_resume(live: Live, folder: Path, at: int) -> tuple[dict[str, object], int]:
    """The end of a run that was stopped where it waits, and how often it waited."""
    with scenario.served() as site, open_store(folder / f"wait-{at}.db") as store:

        async def crashing() -> int:
            waiting = CrashingWait(start(store, site, live), at)
            try:
                await waiting
            except Crash:
                return waiting.waits
            return waiting.waits

        waits = live.run(crashing())
        run = live.run(resume_workflow_run(store, "ten", live.means()))
        return scenario.end_of(store, run, site), waits


# A crash inside the opening of a socket leaves it to the collector, as a real one to the system.
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.slow
@pytest.mark.promise("A6")
def test_a_run_stopped_anywhere_it_waits_ends_as_if_it_had_not_been(
    live: Live, tmp_path: Path
) -> None:
    """Every place at which the run waits for something."""
    calm, _ = expected(live, tmp_path)
    _, waits = interrupt_and_resume(live, tmp_path, 0)
    for at in range(1, waits + 1):
        assert interrupt_and_resume(live, tmp_path, at)[0] == calm, at
        gc.collect()


def test_two_workers_cannot_both_finish_a_step(
    live: Live, site: scenario.Site, store: Store
) -> None:
    """The one that took the run over goes on; the other is told, and its writes are not there."""
    slow = live.means(worker="slow")
    held = asyncio.Event()

    async def both() -> Run:
        made = queue_run(
            store, scenario.workflow(site.origin), slow, inputs=scenario.INPUTS, id_="ten"
        )

        async def pace(address: str) -> None:
            if address.endswith("/shop") and not held.is_set():
                held.set()
                await asyncio.Event().wait()

        first = asyncio.create_task(drive_run(store, made.id, live.means(worker="slow", pace=pace)))
        await held.wait()
        second = await drive_run(store, made.id, live.means(worker="quick"))
        with pytest.raises(Exception, match="quick"):
            await first
        return second

    run = live.run(both())
    assert run.state == "done"
    assert run.worker == "quick"
    assert len(site.orders) == 1
    assert {step.worker for step in list_run_steps(store, "ten") if step.key == "n_order"} == {
        "quick"
    }
