"""`director workflow run` and `test`: doing what a workflow says, from a terminal."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from director.cli.opening import Url, opened_store
from director.cli.workflow import AsJson, app, document, stored, taken

if TYPE_CHECKING:
    from director.runs import Run
    from director.runs.supplies import Wishes
    from director.store import Store
    from director.workflow.values import Workflow

Which: TypeAlias = Annotated[
    str, typer.Argument(help="The id of a workflow in the store, or the file of one.")
]
Set: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="An input, as name=value: JSON if it reads as such, else text; name=@file reads one.",
        metavar="NAME=VALUE",
    ),
]
Headed: TypeAlias = Annotated[bool, typer.Option("--headed", help="In a window you can see.")]
NoPictures: TypeAlias = Annotated[
    bool, typer.Option("--no-pictures", help="No screenshots, not even of failures.")
]
Files: TypeAlias = Annotated[
    Path | None, typer.Option(help="The folder that uploads may come from.", metavar="DIR")
]
Env: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--env", help="A name of the environment that {{env:NAME}} may read."),
]
Wait: TypeAlias = Annotated[
    float | None,
    typer.Option(
        help="Seconds to wait for an answer before the run is put aside (exit code 3); at a "
        "terminal there is no end to it.",
        metavar="S",
    ),
]
_PIPED = 5.0  # seconds for an answer that is piped in
RUN = (
    "Exit codes: 0 done, 1 a node failed, 2 nothing was started because something was given "
    "wrong, 3 the run waits for an answer, 4 it was cancelled. "
    "Try it: `director workflow run examples/order-with-code.json --set reference=R-7 --headed`; "
    "`… --select 3-5`; `… --inputs orders.csv` does a run for each line."
)


@app.command(epilog=RUN)
def run(  # noqa: PLR0913  one for each option
    *,
    workflow: Which,
    settings: Set = None,
    inputs: Annotated[
        Path | None,
        typer.Option(help="Inputs: a JSON object, or CSV; a run for each row.", metavar="FILE"),
    ] = None,
    select: Annotated[
        str, typer.Option(help="Which nodes: 5, 3-5, 1-3,10, alias, a..b or all.")
    ] = "all",
    mode: Annotated[
        Literal["flow", "isolated"],
        typer.Option(help="flow: bodies run where they belong; isolated: each node by itself."),
    ] = "flow",
    headed: Headed = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Where the report and what was downloaded go.", metavar="DIR"),
    ] = None,
    no_pictures: NoPictures = False,
    queue: Annotated[
        bool, typer.Option("--queue", help="Leave it to the workers (see `director worker`).")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="With --queue: follow it until it ends.")
    ] = False,
    files: Files = None,
    env: Env = None,
    wait: Wait = None,
    as_json: AsJson = False,
    store: Url = None,
) -> None:
    """Run a workflow: every node with its evidence, nothing done twice, nothing lost if killed.

    It shows each step as it is finished and asks here what only a person can tell, such as a
    one-time code. Ctrl-C cancels it; `director runs resume` goes on with it. If the program is
    killed, a worker of the same store takes the run over, or you resume it. Sensitive inputs are
    put into the vault, and the run holds only references to them.
    """
    from director.cli.running import told  # noqa: PLC0415  quick help

    with opened_store(store, "workflow run", make=Path(workflow).is_file()) as opened:
        found = _meant(opened, workflow)
        with told("workflow run"):
            wishes = wished(
                headed, no_pictures=no_pictures, files=files, env=env, wait=wait, out=out
            )
            runs = _queued(opened, found, settings or [], inputs, select=select, mode=mode)
            codes = [
                _queue(opened, each, watch=watch)
                if queue
                else _do(opened, each, wishes, as_json=as_json)
                for each in runs
            ]
    raise typer.Exit(_worst(codes))


def _meant(opened: Store, name: str) -> Workflow:
    """The workflow of that id, or that of the file, which is then in the store."""
    if opened.get("workflow", name) is not None or not Path(name).is_file():
        return stored(opened, name, "workflow run")
    found = document(Path(name), "workflow run")
    taken(opened, found)
    return found


def _queued(  # noqa: PLR0913  a run has that many parts
    opened: Store,
    workflow: Workflow,
    settings: list[str],
    inputs: Path | None,
    *,
    select: str,
    mode: Literal["flow", "isolated"],
) -> list[Run]:
    from director.cli.inputs import rows_of  # noqa: PLC0415  quick help
    from director.runs import queue_run  # noqa: PLC0415
    from director.runs.supplies import Supplies, Wishes  # noqa: PLC0415

    means, hiding = Supplies(opened, Wishes()).offline(workflow)
    runs = [
        queue_run(opened, workflow, means, inputs=row, selection=select, mode=mode)
        for row in rows_of(settings, inputs)
    ]
    for each in dict.fromkeys(hiding.told):
        typer.echo(each, err=True)
    return runs


def _do(opened: Store, run: Run, wishes: Wishes, *, as_json: bool) -> int:
    from director.cli.running import do_here, finish  # noqa: PLC0415
    from director.runs.supplies import Supplies  # noqa: PLC0415  quick help

    typer.echo(f"run {run.id} of {run.workflow!r}", err=as_json)
    ended = asyncio.run(do_here(opened, run.id, wishes, aside=as_json))
    report = Supplies(opened, wishes).folder(run.id) / "report.html"
    return finish(opened, ended, report=report, as_json=as_json)


def _queue(opened: Store, run: Run, *, watch: bool) -> int:
    from director.cli.running import finish, watched  # noqa: PLC0415  quick help
    from director.runs.queue import Queue, queue_url  # noqa: PLC0415
    from director.runs.serving import submit  # noqa: PLC0415

    with Queue(queue_url(opened.url)) as queue:
        submit(opened, queue, run.id)
    typer.echo(f"run {run.id} of {run.workflow!r} is queued")
    if not watch:
        return 0
    return finish(opened, asyncio.run(watched(opened, run.id)), report=None)


def wished(  # noqa: PLR0913  one for each option
    headed: bool,  # noqa: FBT001  as it is given
    *,
    no_pictures: bool,
    files: Path | None,
    env: list[str] | None,
    wait: float | None,
    out: Path | None = None,
) -> Wishes:
    """The options that all commands have that do something, in one value."""
    from director.runs.supplies import Wishes  # noqa: PLC0415  quick help

    return Wishes(
        headed=headed,
        pictures="none" if no_pictures else "each",
        files=files,
        env=tuple(env or ()),
        patience=wait if wait is not None else None if sys.stdin.isatty() else _PIPED,
        out=out,
    )


def _worst(codes: list[int]) -> int:
    """One code for several runs: a failure before anything else, then waiting, then cancelled."""
    return next((code for code in (1, 3, 4) if code in codes), 0)
