"""`director worker`: serves the queue of a store until it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import TYPE_CHECKING, Annotated

import typer

from director.cli.command_setup import Files, Url, open_store_or_exit
from director.cli.workflow_run import Env, NoPictures

if TYPE_CHECKING:
    from director.runs.resources import RunOptions
    from director.runs.worker import Pace
    from director.store import Store

EPILOG = (
    "Try it: `director worker` in one terminal, `director workflow run ID --queue --watch` in "
    "another. On several machines, all with the same store: "
    "`director worker --store postgresql://host/director`. Ctrl-C stops it; what it was doing is "
    "left to the next worker, from the last finished node."
)
_WAITS = "Runs are taken as soon as it answers."
_STOPS = (signal.SIGINT, signal.SIGTERM)


def worker(
    *,
    name: Annotated[
        str | None, typer.Option(help="Its name, to which each start adds a random ending.")
    ] = None,
    at_once: Annotated[int, typer.Option(help="Runs at the same time.", min=1)] = 2,
    per_site: Annotated[
        int, typer.Option(help="Of these, how many on one site, over all workers.", min=1)
    ] = 1,
    no_pictures: NoPictures = False,
    files: Files = None,
    env: Env = None,
    wait: Annotated[
        float,
        typer.Option(help="Seconds to wait for an answer before a run is put aside.", metavar="S"),
    ] = 5.0,
    store: Url = None,
) -> None:
    """Do the runs that are queued, and take over those of workers that died.

    Each run is done by one worker at a time and its steps are fenced by the store, so a worker that
    was only slow can write nothing more once another has its run. A run that asks something is put
    aside after a while; when it is answered, any worker goes on with it.
    """
    from director.process_memory import settle_memory
    from director.runs.resources import RunOptions

    wishes = RunOptions(
        pictures="none" if no_pictures else "each",
        files=files,
        env=tuple(env or ()),
        patience=wait,
    )
    settle_memory()
    opening = open_store_or_exit(store, "worker", make=True, connections=2, waits=_WAITS)
    with opening as opened:
        from director.runs.worker import Pace

        pace = Pace(at_once=at_once, per_site=per_site)
        asyncio.run(_serve(opened, wishes, pace, name=name))


async def _serve(opened: Store, wishes: RunOptions, pace: Pace, *, name: str | None) -> None:
    from director.agent.subagents.node_models import lend_node_models
    from director.cli.local_runs import ends_quietly
    from director.runs import read_run
    from director.runs.resources import open_resources
    from director.runs.run_execution import execute
    from director.runs.worker import Worker
    from director.store import StoreError

    ends_quietly()
    async with open_resources(opened, wishes) as supplies:
        lend_node_models(supplies, opened)
        drive = execute(opened, supplies.means)

        async def one(run: str) -> None:
            typer.echo(f"{run}  taken")
            await drive(run)
            # What became of it is in the store; if that is away just now, nothing is lost.
            with contextlib.suppress(StoreError):
                found = read_run(opened, run)
                why = f": {found.error.get('message', '')}" if found.error else ""
                typer.echo(f"{run}  {found.state}{why}")

        serving = Worker(opened, one, name=name, pace=pace)
        supplies.worker = serving.name
        async with serving:
            typer.echo(f"{serving.name} serves {opened.place}. Ctrl-C stops it.")
            await _until_stopped()
    typer.echo("Stopped. What was not finished is left to the next worker.")


async def _until_stopped() -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError):
        for each in _STOPS:
            loop.add_signal_handler(each, stop.set)
    await stop.wait()
