"""`director workflow`: workflows in the store, from a terminal.

Importing never overwrites: a document of a taken id gets another id, or with --replace becomes a
new version, and what changed is shown. The origins that it names are asked for. Whatever cannot be
done is said in one line, with exit code 2.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from director.cli.command_setup import Url, fail, open_store_or_exit, write_whole
from director.cli.origin_approvals import Approve, approve_origins, ask_for_approvals

if TYPE_CHECKING:
    from director.store import Store
    from director.workflow.values import Workflow

LARGEST = 16 * 1024 * 1024  # bytes of a document
app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Import, show, run, test and export workflows.",
    epilog=(
        "Try it: `director demo` in one terminal; in another `director workflow import "
        "examples/order-with-code.json --approve http://127.0.0.1:8765`, `director workflow show "
        "order-with-code`, "
        "`director workflow run order-with-code --set reference=R-7`."
    ),
)
Name: TypeAlias = Annotated[str, typer.Argument(help="The id of a workflow in the store.")]
Replace: TypeAlias = Annotated[
    bool,
    typer.Option("--replace", help="If its id is taken: make it the next version of that one."),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Output: TypeAlias = Annotated[
    Path | None, typer.Option("-o", "--output", help="The file to write; else the terminal.")
]


@app.command("list")
def list_(*, as_json: AsJson = False, store: Url = None) -> None:
    """List the workflows: name, nodes, last run and how it ended."""
    from director.cli.outline import columns, listing
    from director.services.workflows import list_workflows
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, "workflow list") as opened:
        workspace = make_workspace(opened)
        rows = listing(list_workflows(workspace))
        gone = sorted(row.id for row in list_workflows(workspace, deleted=True))
    if as_json:
        typer.echo(json.dumps(rows, ensure_ascii=False))
    elif not rows:
        typer.echo("There is no workflow yet: director workflow import FILE")
    else:
        names = ("id", "name", "nodes", "version", "last run", "state")
        typer.echo(columns(names, [[str(row[name]) for name in names] for row in rows]))
    if gone and not as_json:
        typer.echo(f"Deleted: {', '.join(gone)}. Bring one back in the app (director app).")


@app.command()
def show(*, workflow: Name, as_json: AsJson = False, store: Url = None) -> None:
    """Show a workflow as an outline: nodes, conditions, effects, how each fared in the last run."""
    from director.cli.outline import outline
    from director.services.workflows import export_workflow_document
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, "workflow show") as opened:
        workspace = make_workspace(opened)
        get_stored_workflow(opened, workflow, "workflow show")
        said = (
            export_workflow_document(workspace, workflow)
            if as_json
            else outline(workspace, workflow)
        )
    typer.echo(said.rstrip("\n"))


@app.command("import")
def import_(
    *,
    file: Annotated[
        Path, typer.Argument(help="A workflow's document, such as those in examples/.")
    ],
    as_: Annotated[
        str | None, typer.Option("--as", help="Import it under another id.", metavar="ID")
    ] = None,
    replaces: Replace = False,
    approve: Approve = None,
    store: Url = None,
) -> None:
    """Import a workflow's JSON document.

    It is checked from end to end and refused with the place of what is wrong. If another workflow
    of that id is there already, it gets a new id; with --replace it becomes the next version of the
    one that is there, and what changed is shown; every version stays. What it may reach is up to
    you: the origins that it names are approved by --approve, or asked for.
    """
    with open_store_or_exit(store, "workflow import", make=True) as opened:
        found = document(file, "workflow import", as_=as_ or "")
        name = import_document(opened, found, replaces=replaces)
        approve_origins(opened, name, approve or [], "workflow import")
        for origin in ask_for_approvals(opened, name):
            typer.echo(f"not approved: {origin}  (director workflow approve {name} {origin})")


@app.command("approve")
def approve_(
    *,
    workflow: Name,
    origins: Annotated[
        list[str], typer.Argument(help="Origins that it may reach, such as https://example.org.")
    ],
    store: Url = None,
) -> None:
    """Let a workflow's browser reach origins from now on, such as those that an import names."""
    with open_store_or_exit(store, "workflow approve") as opened:
        get_stored_workflow(opened, workflow, "workflow approve")
        approve_origins(opened, workflow, origins, "workflow approve")
        now = get_stored_workflow(opened, workflow, "workflow approve")
    typer.echo(f"{workflow} may reach {', '.join(now.origins)}")


@app.command("export")
def export(
    *,
    workflow: Name,
    output: Output = None,
    script: Annotated[
        bool,
        typer.Option("--script", help="As a Playwright script in Python that stands alone."),
    ] = False,
    store: Url = None,
) -> None:
    """Write a workflow as its JSON document, or as a Python script that needs only Playwright.

    The script does the same in the same order, and asserts the same conditions:
    `director workflow export order-with-code --script -o order.py`, then
    `python order.py --reference R-7`.
    """
    from director.services.workflows import export_workflow_document, export_workflow_script
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, "workflow export") as opened:
        found = get_stored_workflow(opened, workflow, "workflow export")
        export_as = export_workflow_script if script else export_workflow_document
        text = export_as(make_workspace(opened), workflow)
    if output is None:
        sys.stdout.write(text)
        return
    try:
        write_whole(output, [text])
    except OSError as error:
        fail("workflow export", f"{output}: {error.strerror}")
    typer.echo(f"{found.name}: {output}")


def get_stored_workflow(opened: Store, name: str, command: str) -> Workflow:
    """The newest version of a workflow in the store."""
    from director.services.errors import NotFound
    from director.services.workflows import load_workflow
    from director.services.workspace import make_workspace

    try:
        return load_workflow(make_workspace(opened), name)
    except NotFound as problem:
        text = str(problem)
        fail(command, f"{text[0].lower()}{text[1:]} Take one in with: import FILE")


def document(file: Path, command: str, *, as_: str = "") -> Workflow:
    """The workflow that a file holds; what is wrong with it is said with its place."""
    from director.services.workflows import parse_workflow_text
    from director.workflow.values import WorkflowError

    try:
        if file.stat().st_size > LARGEST:
            fail(command, f"{file} is larger than {LARGEST:,} bytes, which no workflow is")
        return parse_workflow_text(json.loads(file.read_text(encoding="utf-8")), as_=as_)
    except OSError as error:
        fail(command, f"{file}: {error.strerror}")
    except UnicodeError:
        fail(command, f"{file} is not text in UTF-8")
    except json.JSONDecodeError as error:
        fail(command, f"{file}, line {error.lineno}, column {error.colno}: {error.msg}")
    except RecursionError:
        fail(command, f"{file} is nested too deeply to be a workflow")
    except WorkflowError as problem:
        fail(command, f"{file}: {problem}")
    except ValueError:
        fail(command, f"{file}: it holds a number that is too long")


def import_document(opened: Store, found: Workflow, *, replaces: bool, quiet: bool = False) -> str:
    """Take a document in, say where it went, and give the id that it has here."""
    from director.services import workflows
    from director.services.workspace import make_workspace
    from director.workflow.values import WorkflowError

    workspace = make_workspace(opened)
    try:
        done = workflows.import_document(workspace, found, replaces=replaces)
    except WorkflowError as problem:
        fail("workflow", str(problem))
    if done.is_renamed:
        typer.echo(
            f"There is another workflow {found.id!r}, which stays as it is: this is {done.id!r} "
            "(--replace makes it the next version instead).",
            err=True,
        )
    if not quiet:
        for line in workflows.describe_workflow_changes(workspace, done.id, done.before):
            typer.echo(line)
    return done.id
