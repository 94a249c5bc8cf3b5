"""`director origins`: which sites a workflow may reach, and the user's yes or no to each."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import typer

from director.cli.command_setup import Url, fail, open_store_or_exit
from director.errors import DirectorError

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Say which sites a workflow may reach. A refusal stands until you allow the site.",
    epilog=(
        "Try it: `director origins list invoices`, "
        "`director origins refuse invoices https://shop.example`, "
        "`director origins allow invoices https://shop.example`."
    ),
)
Id: TypeAlias = Annotated[str, typer.Argument(help="The id of a workflow.", metavar="ID")]
Origin: TypeAlias = Annotated[
    str, typer.Argument(help="Scheme, host and port, such as https://shop.example.")
]


@app.command("list")
def list_(*, workflow: Id, store: Url = None) -> None:
    """List the sites that are approved, asked for or refused, and why."""
    from director.cli.outline import columns
    from director.services.approvals import list_origins
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, "origins list") as opened:
        found = list_origins(make_workspace(opened), workflow)
    if not found:
        typer.echo("It may reach no site, and none was asked for.")
        return
    rows = [[one.state, one.origin, " ".join(f"{one.hint} {one.why}".split())] for one in found]
    typer.echo(columns(("state", "origin", "why"), rows))


@app.command()
def allow(*, workflow: Id, origin: Origin, store: Url = None) -> None:
    """Let a workflow reach a site from now on; this lifts a refusal."""
    _answer(workflow, origin, store, "approved")


@app.command()
def refuse(*, workflow: Id, origin: Origin, store: Url = None) -> None:
    """Let a workflow reach a site no more; Director is not asked about it again."""
    _answer(workflow, origin, store, "refused")


def _answer(
    workflow: str, origin: str, store: str | None, answer: Literal["approved", "refused"]
) -> None:
    from director.services.approvals import answer_origin
    from director.services.workspace import make_workspace

    command = f"origins {'allow' if answer == 'approved' else 'refuse'}"
    with open_store_or_exit(store, command) as opened:
        try:
            answer_origin(make_workspace(opened), workflow, origin, answer=answer)
        except DirectorError as problem:
            fail(command, f"{problem} Nothing was changed.")
    said = "may reach" if answer == "approved" else "does not reach"
    typer.echo(f"{workflow} {said} {origin}.")
