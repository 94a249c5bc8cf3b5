"""A worker as a program of its own: each run is three steps, each written down in the store.

Arguments: the address of the store, the worker's name, and seconds that a step takes.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace

from director.runs import read_run
from director.runs.run_journal import encode_run
from director.runs.worker import Pace, Worker
from director.store import Store, VersionConflict, open_store

STEPS = 3


def end_run(store: Store, run: str) -> None:
    """Write that a run is done."""
    store.put("run", run, encode_run(replace(read_run(store, run), state="done")))


async def main(url: str, name: str, seconds: float) -> None:
    """Work until killed."""
    with open_store(url) as store:

        async def execute(run: str) -> None:
            for step in range(STEPS):
                if store.get("mark", f"{run}/{step}") is None:
                    await asyncio.sleep(seconds)
                    try:
                        store.put("mark", f"{run}/{step}", {"by": name}, expect=0)
                    except VersionConflict:
                        return
            store.put("end", run, {"by": name})
            end_run(store, run)

        pace = Pace(at_once=4, per_site=4, beat=0.2, patience=2.0, poll=0.1, reconcile=0.2)
        async with Worker(store, execute, name=name, pace=pace):
            print("ready", flush=True)  # noqa: T201
            await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
