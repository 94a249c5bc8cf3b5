"""`director runs`: what was run, step by step, and what can still be done about it."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from director.cli.command_setup import Files, Url, fail, open_store_or_exit, write_whole
from director.cli.workflow import AsJson, Output
from director.cli.workflow_run import AllowDoubts, Env, Headed, NoPictures, Wait, make_options

if TYPE_CHECKING:
    from director.runs import Run
    from director.runs.resources import RunOptions
    from director.store import Store

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

    with open_store_or_exit(store, "runs list") as opened:
        found = rows(opened, workflow, limit=limit)
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

    with open_store_or_exit(store, "runs show") as opened:
        found = find_run(opened, run, "runs show")
        said = (
            json.dumps(history_json(opened, found), ensure_ascii=False, indent=2)
            if as_json
            else history(opened, found)
        )
    typer.echo(said)


@app.command()
def report(*, run: Which, output: Output = None, store: Url = None) -> None:
    """Write the report of a run: one HTML page with pictures that needs nothing else."""
    from director.runs.run_report import report_html

    with open_store_or_exit(store, "runs report") as opened:
        text = report_html(opened, find_run(opened, run, "runs report").id)
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
    from director.runs.exported_data import as_csv, as_json, list_json_columns, rows_of

    with open_store_or_exit(store, "runs data") as opened:
        rows = rows_of(opened, find_run(opened, run, "runs data").id, what)
    _out(as_csv(rows, bom=bom) if format_ == "csv" else as_json(rows), output, "runs data")
    if format_ == "csv" and (lists := list_json_columns(rows)):
        said = f"Lists of objects are JSON in the columns: {', '.join(lists)}."
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
        found = _idle(opened, run, "runs resume", take_over=take_over)
        wishes = make_options(headed, no_pictures=no_pictures, files=files, env=env, wait=wait)
        code = _again(opened, found, wishes, node="", allow_doubts=allow_doubts)
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
        found = _idle(opened, run, "runs retry", take_over=False)
        wishes = make_options(headed, no_pictures=no_pictures, files=files, env=env, wait=wait)
        code = _again(opened, found, wishes, node=node, allow_doubts=allow_doubts)
    raise typer.Exit(code)


@app.command()
def watch(*, run: Which, allow_doubts: AllowDoubts = False, store: Url = None) -> None:
    """Follow a run that a worker does, until it ends or waits for an answer."""
    from director.cli.local_runs import finish, follow_run

    with open_store_or_exit(store, "runs watch") as opened:
        found = find_run(opened, run, "runs watch")
        ended = asyncio.run(follow_run(opened, found.id))
        code = finish(opened, ended, report=None, allow_doubts=allow_doubts)
    raise typer.Exit(code)


@app.command()
def cancel(*, run: Which, store: Url = None) -> None:
    """Stop a run, wherever it is done; what it has finished stays, and it can be resumed."""
    from director.cli.local_runs import exit_with_error
    from director.runs import cancel as stop

    with open_store_or_exit(store, "runs cancel") as opened, exit_with_error("runs cancel"):
        found = find_run(opened, run, "runs cancel")
        stop(opened, found.id, reason="from the command line")
    typer.echo(f"{found.id} is cancelled. Go on with it: director runs resume {found.id}")


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
    from director.cli.local_runs import exit_with_error
    from director.runs.resources import Resources, RunOptions
    from director.runs.run_execution import answer_question, is_parked, waits_for
    from director.runs.run_queue import Queue, queue_url

    with open_store_or_exit(store, "runs answer") as opened, exit_with_error("runs answer"):
        found = find_run(opened, run, "runs answer")
        asked = waits_for(opened, found.id)
        if not asked:
            fail("runs answer", f"the run {found.id} asks nothing")
        if text is None:
            for each in asked:
                typer.echo("\n  ".join([each.text, *each.choices]))
            return
        with Queue(queue_url(opened.url)) as queue:
            supplies = Resources(opened, RunOptions())
            seal, vault = supplies.seal, supplies.vault
            answer_question(opened, queue, asked[0].id, text, seal=seal, vault=vault)
    typer.echo("Answered.")
    if is_parked(found):
        typer.echo(
            "It is queued: a worker goes on with it (director worker), or go on with it here: "
            f"director runs resume {found.id}"
        )


def find_run(opened: Store, name: str, command: str) -> Run:
    """The run whose id is this or begins so."""
    from director.runs import run_of

    if opened.get("run", name) is not None:
        return run_of(opened, name)
    like = [id_ for id_ in opened.ids("run") if name and id_.startswith(name)]
    if len(like) != 1:
        why = f"{len(like)} runs begin with {name!r}" if like else f"there is no run {name!r}"
        fail(command, f"{why}. See: director runs list")
    return run_of(opened, like[0])


def _idle(opened: Store, name: str, command: str, *, take_over: bool) -> Run:
    """The run that is meant, unless somebody works on it."""
    from director.runs.status import find_holder

    found = find_run(opened, name, command)
    if not take_over and (worker := find_holder(opened, found)):
        fail(
            command,
            f"{found.id} is being done by {worker!r}. Follow it with: director runs watch "
            f"{found.id}. If that program hangs, take the run over with --take-over",
        )
    return found


def _again(opened: Store, found: Run, wishes: RunOptions, *, node: str, allow_doubts: bool) -> int:
    from director.cli.local_runs import do_here, exit_with_error, finish
    from director.runs.resources import Resources
    from director.runs.run_execution import reopen

    with exit_with_error("runs retry" if node else "runs resume"):
        reopen(opened, found.id, node=node)
        ended = asyncio.run(do_here(opened, found.id, wishes))
    report = Resources(opened, wishes).folder(found.id) / "report.html"
    return finish(opened, ended, report=report, allow_doubts=allow_doubts)


def _out(text: str, output: Path | None, command: str) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        write_whole(output, [text])
    except OSError as error:
        fail(command, f"{output}: {error.strerror}")
    typer.echo(str(output))
