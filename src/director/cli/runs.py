"""`director runs`: what was run, step by step, and what can still be done about it."""

from __future__ import annotations

import asyncio
import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from director.cli.command_setup import Files, Url, fail, open_store_or_exit, write_whole
from director.cli.workflow import AsJson, Output
from director.cli.workflow_run import AllowDoubts, Env, Headed, NoPictures, Wait, make_options

if TYPE_CHECKING:
    from director.runs.resources import RunOptions
    from director.services.workspace import Workspace
    from director.store import Store, StoreAway

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="List, show, resume, answer and export runs.",
    epilog=(
        "Try it: `director runs list`, `director runs show RUN`, "
        "`director runs report RUN -o run.html`, `director runs data RUN --format csv`. "
        "The first letters of a run's id are enough."
    ),
)
Which: TypeAlias = Annotated[str, typer.Argument(help="The id of a run, or how it begins.")]
_CANCELS_LATER = "The run is cancelled as soon as it answers; Ctrl-C gives that up."
CODES = (
    "Exit codes: 0 done, 1 a node failed, 2 nothing was started because something was given "
    "wrong, 3 the run waits for an answer or there are doubts about it, 4 it was cancelled."
)


@app.command("list")
def list_(
    *,
    workflow: Annotated[str, typer.Option(help="Only runs of this workflow.", metavar="ID")] = "",
    limit: Annotated[int, typer.Option(help="At most so many, the newest.", min=1)] = 20,
    as_json: AsJson = False,
    store: Url = None,
) -> None:
    """List the runs, the newest first, and say why one does not move."""
    from director.cli.run_tables import rows, table
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, "runs list") as opened:
        found = rows(make_workspace(opened), workflow, limit=limit)
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
    elif not found:
        typer.echo("There is no run yet: director workflow run ID")
    else:
        typer.echo(table(found))


@app.command()
def show(*, run: Which, as_json: AsJson = False, store: Url = None) -> None:
    """Show a run: how long each step took, what it wrote, what it found, what went wrong."""
    from director.cli.run_tables import history, history_json
    from director.services.runs import read_run_history

    with open_store_or_exit(store, "runs show") as opened:
        found = read_run_history(*_find(opened, run, "runs show"))
        said = (
            json.dumps(history_json(found), ensure_ascii=False, indent=2)
            if as_json
            else history(found)
        )
    typer.echo(said)


@app.command()
def report(*, run: Which, output: Output = None, store: Url = None) -> None:
    """Write the report of a run: one HTML page with pictures that needs nothing else."""
    from director.services.run_exports import make_exported_report

    with open_store_or_exit(store, "runs report") as opened:
        text = make_exported_report(*_find(opened, run, "runs report"))
    _out(text, output, "runs report")


@app.command("data")
def records_and_variables(
    *,
    run: Which,
    what: Annotated[
        Literal["records", "variables"], typer.Option(help="What to export.")
    ] = "records",
    format_: Annotated[
        Literal["csv", "json"], typer.Option("--format", help="The format.")
    ] = "csv",
    bom: Annotated[
        bool, typer.Option("--bom", help="Begin the CSV with a mark that Excel needs for UTF-8.")
    ] = False,
    output: Output = None,
    store: Url = None,
) -> None:
    """Export the records or the variables of a run, whole, as CSV or JSON.

    Nothing is shortened. A secret is a reference here as everywhere. In CSV a text that a
    spreadsheet would take for a formula begins with an apostrophe (numbers and dashes do not); an
    object becomes columns such as detail.price, a list of texts one cell.
    """
    from director.services.run_exports import export_run_data

    with open_store_or_exit(store, "runs data") as opened:
        found = export_run_data(*_find(opened, run, "runs data"), what, form=format_, bom=bom)
    _out(found.text, output, "runs data")
    if found.json_columns:
        said = f"Lists of objects are JSON in the columns: {', '.join(found.json_columns)}."
        typer.echo(f"{said} With --format json they are whole.", err=True)


@app.command(epilog=CODES)
def resume(
    *,
    run: Which,
    headed: Headed = False,
    no_pictures: NoPictures = False,
    files: Files = None,
    env: Env = None,
    wait: Wait = None,
    allow_doubts: AllowDoubts = False,
    take_over: Annotated[
        bool, typer.Option("--take-over", help="Even if another program still works on it.")
    ] = False,
    store: Url = None,
) -> None:
    """Go on with a run that failed, was cancelled, waits, or whose program was killed.

    What is done stays done; the browser is brought back to where the run was. A node that must
    happen once is looked into before it is repeated, and if nothing tells, you are asked.
    """
    with open_store_or_exit(store, "runs resume") as opened:
        found = _reopen(opened, run, "runs resume", take_over=take_over)
        wishes = make_options(headed, no_pictures=no_pictures, files=files, env=env, wait=wait)
        code = _do_again(opened, found, wishes, allow_doubts=allow_doubts)
    raise typer.Exit(code)


@app.command(epilog=CODES)
def retry(
    *,
    run: Which,
    node: Annotated[str, typer.Argument(help="The node to go back to: alias or position.")],
    headed: Headed = False,
    no_pictures: NoPictures = False,
    files: Files = None,
    env: Env = None,
    wait: Wait = None,
    allow_doubts: AllowDoubts = False,
    store: Url = None,
) -> None:
    """Do a run again from a node on; what came before it stays done.

    Variables and records that those steps wrote are put back to what they were. Of an iterate, only
    the items are done again that did not come to a good end.
    """
    with open_store_or_exit(store, "runs retry") as opened:
        found = _reopen(opened, run, "runs retry", node=node)
        wishes = make_options(headed, no_pictures=no_pictures, files=files, env=env, wait=wait)
        code = _do_again(opened, found, wishes, allow_doubts=allow_doubts)
    raise typer.Exit(code)


@app.command()
def watch(*, run: Which, allow_doubts: AllowDoubts = False, store: Url = None) -> None:
    """Follow a run that a worker does, until it ends or waits for an answer."""
    from director.cli.local_runs import finish, follow_run

    with open_store_or_exit(store, "runs watch") as opened:
        workspace, found = _find(opened, run, "runs watch")
        asyncio.run(follow_run(opened, found))
        code = finish(workspace, found, report=None, allow_doubts=allow_doubts)
    raise typer.Exit(code)


@app.command()
def cancel(*, run: Which, store: Url = None) -> None:
    """Stop a run, wherever it is done; what it has finished stays, and it can be resumed.

    While the server of the store does not answer, this waits for it, and cancels the run then.
    """
    from director.services.cancellations import cancel_run_when_possible

    with open_store_or_exit(store, "runs cancel", waits=_CANCELS_LATER) as opened:
        workspace, found = _find(opened, run, "runs cancel")
        asyncio.run(
            cancel_run_when_possible(workspace, found, reason="from the command line", tell=_tell)
        )
    typer.echo(f"{found} is cancelled. Go on with it: director runs resume {found}")


@app.command()
def answer(
    *,
    run: Which,
    text: Annotated[
        str | None, typer.Argument(help="The answer; without it, what is asked.")
    ] = None,
    store: Url = None,
) -> None:
    """Answer what a run asks; a run that was put aside is queued for the workers again."""
    from director.runs.run_execution import submit_run_execution
    from director.runs.run_queue import Queue, make_queue_url
    from director.services.runs import answer_question, read_run_history

    with open_store_or_exit(store, "runs answer") as opened:
        workspace, found = _find(opened, run, "runs answer")
        before = read_run_history(workspace, found)
        asked = before.open_questions
        if not asked:
            fail("runs answer", f"the run {found} asks nothing")
        if text is None:
            for each in asked:
                typer.echo("\n  ".join([each.text, *each.choices]))
            return
        with Queue(make_queue_url(opened.url)) as queue:
            submit_run = partial(submit_run_execution, opened, queue)
            answer_question(workspace, found, asked[0].id, text=text, go_on=submit_run)
    typer.echo("Answered.")
    if before.is_parked:
        typer.echo(
            "It is queued: a worker goes on with it (director worker), or go on with it here: "
            f"director runs resume {found}"
        )


def _tell(away: StoreAway) -> None:
    typer.echo(f"Waits for the store: {away} {_CANCELS_LATER}", err=True)


def _find(opened: Store, name: str, command: str) -> tuple[Workspace, str]:
    """The workspace, and the id of the run whose id is this or begins so."""
    from director.services.errors import NotFound
    from director.services.runs import find_run
    from director.services.workspace import make_workspace

    workspace = make_workspace(opened)
    try:
        return workspace, find_run(workspace, name)
    except NotFound as problem:
        fail(command, f"{problem}. See: director runs list")


def _reopen(
    opened: Store, name: str, command: str, *, node: str = "", take_over: bool = False
) -> str:
    """Let the run that is meant be done again, unless somebody works on it."""
    from director.services.runs import RunBusy, reopen_run

    workspace, found = _find(opened, name, command)
    try:
        reopen_run(workspace, found, node=node, take_over=take_over)
    except RunBusy as busy:
        fail(
            command,
            f"{found} is being done by {busy.worker!r}. Follow it with: director runs watch "
            f"{found}. If that program hangs, take the run over with --take-over",
        )
    return found


def _do_again(opened: Store, run: str, wishes: RunOptions, *, allow_doubts: bool) -> int:
    from director.cli.local_runs import do_here, finish
    from director.services.workspace import make_workspace

    report = asyncio.run(do_here(opened, run, wishes))
    return finish(make_workspace(opened), run, report=report, allow_doubts=allow_doubts)


def _out(text: str, output: Path | None, command: str) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        write_whole(output, [text])
    except OSError as error:
        fail(command, f"{output}: {error.strerror}")
    typer.echo(str(output))
