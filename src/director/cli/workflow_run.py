"""`director workflow run` and `test`: doing what a workflow says, from a terminal."""

from __future__ import annotations

import asyncio
import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from director.cli.command_setup import Files, Url, open_store_or_exit
from director.cli.origin_approvals import Approve, approve_origins, need_approvals
from director.cli.workflow import (
    AsJson,
    Replace,
    app,
    document,
    get_stored_workflow,
    import_document,
)

if TYPE_CHECKING:
    from director.runs.resources import RunOptions
    from director.store import Store
    from director.workflow.values import Workflow

Which: TypeAlias = Annotated[
    str, typer.Argument(help="The id of a workflow in the store, or the file of one.")
]
Set: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="An input, as name=value: JSON if it reads as such, else text; name=@file reads one, "
        "and the rows of a .csv for a list.",
        metavar="NAME=VALUE",
    ),
]
Headed: TypeAlias = Annotated[bool, typer.Option("--headed", help="Show the browser's window.")]
NoPictures: TypeAlias = Annotated[
    bool, typer.Option("--no-pictures", help="No screenshots, not even of failures.")
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
Inputs: TypeAlias = Annotated[
    Path | None,
    typer.Option(help="Inputs: a JSON object, or CSV; a run for each row.", metavar="FILE"),
]
Select: TypeAlias = Annotated[
    str, typer.Option(help="Which nodes: 5, 3-5, 1-3,10, alias, a..b or all.")
]
Mode: TypeAlias = Literal["flow", "isolated"]
RunMode: TypeAlias = Annotated[
    Mode, typer.Option(help="flow: bodies run where they belong; isolated: each node by itself.")
]
Out: TypeAlias = Annotated[
    Path | None,
    typer.Option(help="Where the report and what was downloaded go.", metavar="DIR"),
]
Enqueue: TypeAlias = Annotated[
    bool, typer.Option("--queue", help="Queue it for the workers (see `director worker`).")
]
Watch: TypeAlias = Annotated[
    bool, typer.Option("--watch", help="With --queue: follow it until it ends.")
]
AllowDoubts: TypeAlias = Annotated[
    bool, typer.Option("--allow-doubts", help="Exit code 0 even if there are doubts.")
]
_PIPED = 5.0  # seconds for an answer that is piped in
RUN = (
    "Exit codes: 0 done, 1 a node failed, 2 nothing was started because something was given "
    "wrong, 3 the run waits for an answer or there are doubts about it, 4 it was cancelled. "
    "Try it: `director workflow run examples/order-with-code.json --set reference=R-7 --headed "
    "--approve http://127.0.0.1:8765`; "
    "`… --select 3-5`; `… --inputs orders.csv` does a run for each line."
)


@app.command(epilog=RUN)
def run(
    *,
    workflow: Which,
    settings: Set = None,
    inputs: Inputs = None,
    select: Select = "all",
    mode: RunMode = "flow",
    headed: Headed = False,
    out: Out = None,
    no_pictures: NoPictures = False,
    queue: Enqueue = False,
    watch: Watch = False,
    files: Files = None,
    env: Env = None,
    wait: Wait = None,
    replaces: Replace = False,
    approve: Approve = None,
    allow_doubts: AllowDoubts = False,
    as_json: AsJson = False,
    store: Url = None,
) -> None:
    """Run a workflow: every node with its evidence, nothing done twice, nothing lost if killed.

    It shows each step as it is finished and asks here what only a person can tell, such as a
    one-time code. Ctrl-C cancels it; `director runs resume` goes on with it. If the program is
    killed, a worker of the same store takes the run over, or you resume it. Sensitive inputs are
    put into the vault, and the run holds only references to them. A file is imported first: the
    origins that it names are asked for once, or approved with --approve.
    """
    with open_store_or_exit(store, "workflow run", make=Path(workflow).is_file()) as opened:
        found = _find_workflow(opened, workflow, approve or [], replaces=replaces)
        wishes = make_options(
            headed, no_pictures=no_pictures, files=files, env=env, wait=wait, out=out
        )
        runs = _queue_runs(opened, found, settings or [], inputs, select=select, mode=mode)
        go = partial(_queue, watch=watch) if queue else partial(_do, wishes=wishes)
        shown = (as_json, allow_doubts)
        codes = [go(opened, found.id, each, shown=shown) for each in runs]
    raise typer.Exit(_worst(codes))


def _find_workflow(opened: Store, name: str, origins: list[str], *, replaces: bool) -> Workflow:
    """The workflow of that id, or that of the file, which is then in the store."""
    if opened.get("workflow", name) is None and Path(name).is_file():
        found = document(Path(name), "workflow run")
        name = import_document(opened, found, replaces=replaces, quiet=True)
    get_stored_workflow(opened, name, "workflow run")
    approve_origins(opened, name, origins, "workflow run")
    need_approvals(opened, name, "workflow run")
    return get_stored_workflow(opened, name, "workflow run")


def _queue_runs(
    opened: Store,
    workflow: Workflow,
    settings: list[str],
    inputs: Path | None,
    *,
    select: str,
    mode: Mode,
) -> tuple[str, ...]:
    from director.cli.inputs import rows_of
    from director.services.runs import queue_runs
    from director.services.workspace import make_workspace

    given = rows_of(settings, inputs, workflow.inputs)
    queued = queue_runs(make_workspace(opened), workflow.id, given, selection=select, mode=mode)
    for each in queued.notes:
        typer.echo(each, err=True)
    return queued.runs


def _do(
    opened: Store, workflow: str, run: str, *, wishes: RunOptions, shown: tuple[bool, bool]
) -> int:
    from director.cli.local_runs import do_here, finish
    from director.services.workspace import make_workspace

    as_json, allow_doubts = shown
    typer.echo(f"run {run} of {workflow!r}", err=as_json)
    report = asyncio.run(do_here(opened, run, wishes, aside=as_json))
    return finish(
        make_workspace(opened), run, report=report, as_json=as_json, allow_doubts=allow_doubts
    )


def _queue(opened: Store, workflow: str, run: str, *, watch: bool, shown: tuple[bool, bool]) -> int:
    from director.cli.local_runs import finish, follow_run
    from director.runs.run_execution import submit_run_execution
    from director.runs.run_journal import encode_run
    from director.runs.run_queue import Queue, make_queue_url
    from director.services.runs import read_run_history
    from director.services.workspace import make_workspace

    as_json, allow_doubts = shown
    with Queue(make_queue_url(opened.url)) as queue:
        submit_run_execution(opened, queue, run)
    typer.echo(f"run {run} of {workflow!r} is queued", err=as_json)
    workspace = make_workspace(opened)
    if watch:
        asyncio.run(follow_run(opened, run, aside=as_json))
        return finish(workspace, run, report=None, as_json=as_json, allow_doubts=allow_doubts)
    if as_json:
        found = read_run_history(workspace, run).run
        typer.echo(json.dumps({"id": run, **encode_run(found)}, ensure_ascii=False))
    return 0


def make_options(
    headed: bool,
    *,
    no_pictures: bool,
    files: Path | None,
    env: list[str] | None,
    wait: float | None,
    out: Path | None = None,
) -> RunOptions:
    """The options that all commands have that do something, in one value."""
    from director.runs.resources import RunOptions

    return RunOptions(
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
