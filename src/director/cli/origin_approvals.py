"""Origins that an imported workflow names: approved by a flag, or asked for at the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from director.cli.command_setup import fail

if TYPE_CHECKING:
    from director.store import Store

Approve: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--approve", help="An origin that it may reach; may be repeated.", metavar="ORIGIN"
    ),
]


def approve_origins(opened: Store, workflow: str, origins: list[str], command: str) -> None:
    """Approve what was named on the command line: the user's own words."""
    from director.secrets import OriginError
    from director.services.approvals import answer_origin
    from director.services.workspace import make_workspace

    why = "on the command line"
    try:
        for origin in origins:
            answer_origin(make_workspace(opened), workflow, origin, answer="approved", why=why)
    except OriginError as problem:
        fail(command, str(problem))


def ask_for_approvals(opened: Store, workflow: str) -> list[str]:
    """Ask at the terminal for each origin that an import names; those still without an answer."""
    from director.services.approvals import answer_origin, list_imported_origins
    from director.services.workspace import make_workspace

    workspace = make_workspace(opened)
    waiting = list_imported_origins(workspace, workflow)
    if not sys.stdin.isatty():
        return waiting
    for origin in waiting:
        agreed = typer.confirm(f"May the workflow {workflow!r} reach {origin}?")
        answer_origin(workspace, workflow, origin, answer="approved" if agreed else "refused")
    return []


def need_approvals(opened: Store, workflow: str, command: str) -> None:
    """Ask for what is not answered; where nobody can be asked, say how and do nothing."""
    waiting = ask_for_approvals(opened, workflow)
    if waiting:
        flags = " ".join(f"--approve {origin}" for origin in waiting)
        fail(
            command,
            f"the workflow {workflow!r} was imported and names origins that you have not approved: "
            f"{', '.join(waiting)}. Nothing was started. Approve them: {flags}",
        )
