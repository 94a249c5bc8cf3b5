"""The worker of a run is killed at each of its nodes: another ends it, and nothing happens twice."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from director.runs import RunDependencies, list_run_steps, queue_run, read_run
from director.runs.run_queue import Queue, make_queue_url
from director.store import Store, open_store
from runs import scenario
from runs.test_worker import until
from store.engines import ENGINES, prepared

PROGRAM = Path(__file__).parent / "killed_program.py"
NODES = "open user pass_word enter find each double refer amount order".split()
DOUBLE = "n_each[item_002].n_double"
needs_browser = pytest.mark.skipif(
    not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    reason="there is no Chromium",
)


@contextlib.contextmanager
def worker(store: Store, name: str, key: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """A worker in a process of its own, which dies at a step if one is named."""
    arguments = [sys.executable, str(PROGRAM), store.url, name, *([key] if key else [])]
    with subprocess.Popen(arguments) as program:
        try:
            yield program
        finally:
            program.kill()


def end_after(engine: str, folder: Path, *kills: str) -> dict[str, object]:
    """The end of the run after its worker was killed at these steps, one after another."""
    with (
        scenario.served() as site,
        open_store(prepared(engine, folder)) as store,
        Queue(make_queue_url(store.url)) as queue,
    ):
        flow = scenario.workflow(site.origin)
        queue_run(store, flow, RunDependencies(), inputs=scenario.INPUTS, id_="ten")
        queue.submit("ten", site=site.origin)
        for number, key in enumerate(kills):
            with worker(store, f"dying-{number}", key) as program:
                assert program.wait(600) == -signal.SIGKILL, key
        with worker(store, "living"):
            asyncio.run(until(lambda: read_run(store, "ten").state in ("done", "failed"), store))
        assert read_run(store, "ten").worker.startswith("living.")
        repeated = [step.key for step in list_run_steps(store, "ten") if step.attempt > 2]
        assert repeated == []
        return scenario.end_of(store, read_run(store, "ten"), site)


@needs_browser
@pytest.mark.slow
@pytest.mark.promise("A6")
def test_an_order_whose_worker_was_killed_behind_it_is_not_placed_again(tmp_path: Path) -> None:
    """It had happened and was not written: its proof shows it, and the run ends well."""
    end = end_after("sqlite", tmp_path, "+n_order")
    assert end["state"] == "done"
    assert len(end["orders"]) == 1  # type: ignore[arg-type]


@needs_browser
@pytest.mark.slow
@pytest.mark.promise("A6")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_killed_at_any_of_its_nodes_ends_as_if_it_had_not_been(
    tmp_path: Path, engine: str
) -> None:
    """Each node when it has begun, and when it has acted but nobody wrote it down."""
    calm = end_after(engine, tmp_path)
    assert calm["state"] == "done"
    keys = [DOUBLE if name == "double" else f"n_{name}" for name in NODES]
    for key in keys:
        for kill in (key, f"+{key}"):
            assert end_after(engine, tmp_path, kill) == calm, kill


@needs_browser
@pytest.mark.slow
@pytest.mark.promise("A6")
def test_a_run_whose_workers_die_one_after_another_ends_all_the_same(tmp_path: Path) -> None:
    """Four workers, four kills, one order."""
    end = end_after("postgresql", tmp_path, "n_enter", DOUBLE, "n_order", "+n_order")
    assert end["state"] == "done"
    assert len(end["orders"]) == 1  # type: ignore[arg-type]
