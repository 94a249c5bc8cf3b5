"""`director mcp`: starts the MCP server, over stdio unless a port is named.

Over stdio nothing but the protocol is written to standard output.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from director.cli.command_setup import Url, fail, open_store_or_exit
from director.cli.proxy import tokens
from director.distribution import install_line

if TYPE_CHECKING:
    from director.mcp.workflow_tools import Working
    from director.store.store import Store

_TOKEN = "DIRECTOR_MCP_TOKEN"  # noqa: S105  the name of a variable
_SHORTEST = 16
EPILOG = (
    'In a client\'s settings: `{"command": "director", "args": ["mcp", "--workflow", "prices"]}`. '
    "Over HTTP: `director mcp --http 8789`, then `http://127.0.0.1:8789/mcp` with the header "
    "`Authorization: Bearer TOKEN`; the token is in DIRECTOR_MCP_TOKEN, or in the private file "
    "that it names when it starts."
)
WorkflowId: TypeAlias = Annotated[
    str | None,
    typer.Option(help="The workflow to build and run; made if it is not there.", metavar="ID"),
]
ApprovedOrigins: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="An origin that the workflow may reach; may be repeated."),
]
Project: TypeAlias = Annotated[
    Path | None,
    typer.Option(help="The folder that holds .director/, for fresh contexts.", metavar="FOLDER"),
]
FitBudget: TypeAlias = Annotated[str, typer.Option(help="The budget of `fit`.", metavar="TOKENS")]
HttpPort: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Serve HTTP on this port, 0 for a free one, instead of stdio.", min=0),
]


def mcp(
    *,
    workflow: WorkflowId = None,
    origin: ApprovedOrigins = None,
    project: Project = None,
    budget: FitBudget = "100k",
    http: HttpPort = None,
    store: Url = None,
) -> None:
    """Give Director's tools to any client of the Model Context Protocol.

    `fit`, `recall` and `report` for any history; with `--workflow` also the tools that read, build,
    test and run it; in a folder with .director/, or with `--project`, also those that give fresh
    contexts. Origins that were not approved here or in the app are never reached. Over HTTP every
    request needs a token, since others on this machine can reach the port as well.
    """
    try:
        limit = tokens(budget)
        import director.mcp  # noqa: F401  said at once if it is not installed
    except ValueError as error:
        fail("mcp", str(error))
    except ImportError as missing:
        fail("mcp", f"{missing.name} is not installed: {install_line('mcp')}")
    with suppress(KeyboardInterrupt):
        if workflow is None:
            asyncio.run(_serve(limit, http, project))
            return
        with open_store_or_exit(store, "mcp", make=True) as opened:
            asyncio.run(_working(opened, workflow, tuple(origin or ()), (limit, http, project)))


async def _serve(
    budget: int, http: int | None, project: Path | None, working: Working | None = None
) -> None:
    from director.mcp import make_server, serve_http, serve_stdio
    from director.mcp.engine_tools import Fitting
    from director.mcp.project_tools import Preparing

    root = project or Path.cwd()
    preparing = Preparing(root) if project or (root / ".director").is_dir() else None
    server = make_server(Fitting(budget), working, preparing)
    if http is None:
        await serve_stdio(server)
        return
    try:
        listening = socket.create_server(("127.0.0.1", http))
    except OSError as error:
        fail("mcp", f"cannot listen on port {http}: {error.strerror or error}")
    port = listening.getsockname()[1]
    typer.echo(f"http://127.0.0.1:{port}/mcp")
    with listening, _token(port) as token:
        await serve_http(server, listening, token)


@contextmanager
def _token(port: int) -> Iterator[str]:
    """The token of the environment, or one for this start, in a file that only its owner reads."""
    from director.home import home, write_private

    given = os.environ.pop(_TOKEN, "").strip()
    if given:
        if len(given) < _SHORTEST:
            fail("mcp", f"{_TOKEN} is shorter than {_SHORTEST} characters: others could guess it")
        typer.echo(f"Authorization: Bearer (the value of {_TOKEN})")
        yield given
        return
    # However it is told to stop, the file goes.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    made, file = secrets.token_urlsafe(32), home() / f"mcp-{port}.token"
    write_private(file, f"{made}\n".encode())
    shown = f"Bearer {made}" if sys.stdout.isatty() else f"Bearer (in {file})"
    typer.echo(f"Authorization: {shown}")
    try:
        yield made
    finally:
        file.unlink(missing_ok=True)


async def _working(
    store: Store,
    workflow: str,
    origins: tuple[str, ...],
    served: tuple[int, int | None, Path | None],
) -> None:
    from director.agent import open_session
    from director.agent.subagents.node_models import lend_node_models
    from director.mcp.workflow_tools import Working
    from director.runs.resources import RunOptions, open_resources
    from director.services.approvals import answer_origin
    from director.services.workflows import ensure_workflow
    from director.services.workspace import make_workspace

    why = "on the command line"
    async with open_resources(store, RunOptions()) as supplies:
        workspace = make_workspace(store, supplies)
        ensure_workflow(workspace, workflow)
        for origin in origins:
            answer_origin(workspace, workflow, origin, answer="approved", why=why)
        lend_node_models(supplies, store)
        async with open_session(store, workflow, supplies) as desk:
            await _serve(*served, Working(desk))
