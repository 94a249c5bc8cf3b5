"""`director origins`: which sites a workflow may reach, and the user's yes or no to each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from director.cli.command_setup import Url, fail, open_store_or_exit

if TYPE_CHECKING:
    from director.store import Store

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
    from director.agent import approvals
    from director.cli.outline import columns
    from director.workflow.values import WorkflowError

    with open_store_or_exit(store, "origins list") as opened:
        try:
            found = approvals(opened, workflow)
        except WorkflowError as problem:
            fail("origins list", str(problem))
    if not found:
        typer.echo("It may reach no site, and none was asked for.")
        return
    rows = [[one.state, one.origin, " ".join(f"{one.hint} {one.why}".split())] for one in found]
    typer.echo(columns(("state", "origin", "why"), rows))


@app.command()
def allow(*, workflow: Id, origin: Origin, store: Url = None) -> None:
    """Let a workflow reach a site from now on; this lifts a refusal."""
    from director.agent import approve

    _answer(workflow, origin, store, "allow", approve)


@app.command()
def refuse(*, workflow: Id, origin: Origin, store: Url = None) -> None:
    """Let a workflow reach a site no more; Director is not asked about it again."""
    from director.agent import refuse as say_no

    _answer(workflow, origin, store, "refuse", say_no)


def _answer(
    workflow: str,
    origin: str,
    store: str | None,
    word: str,
    answer: Callable[[Store, str, str], None],
) -> None:
    from director.secrets import OriginError
    from director.workflow.values import WorkflowError

    with open_store_or_exit(store, f"origins {word}") as opened:
        try:
            answer(opened, workflow, origin)
        except (OriginError, WorkflowError) as problem:
            fail(f"origins {word}", f"{problem} Nothing was changed.")
    typer.echo(f"{workflow} {'may reach' if word == 'allow' else 'does not reach'} {origin}.")
