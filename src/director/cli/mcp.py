"""`director mcp`: starts the MCP server, over stdio unless a port is named.

Over stdio nothing but the protocol is written to standard output.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from director.cli.opening import Url, fail, opened_store
from director.cli.proxy import tokens

if TYPE_CHECKING:
    from director.mcp.working import Working
    from director.store.store import Store

EPILOG = (
    'In a client\'s settings: `{"command": "director", "args": ["mcp", "--workflow", "prices"]}`. '
    "Over HTTP: `director mcp --http 8789`, then `http://127.0.0.1:8789/mcp`."
)


def mcp(  # noqa: PLR0913  one for each option
    *,
    workflow: Annotated[
        str | None,
        typer.Option(help="The workflow to build and run; made if it is not there.", metavar="ID"),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(help="An origin that the workflow may reach; may be repeated."),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(
            help="The folder that holds .director/, for fresh contexts.", metavar="FOLDER"
        ),
    ] = None,
    budget: Annotated[str, typer.Option(help="The budget of `fit`.", metavar="TOKENS")] = "100k",
    http: Annotated[
        int | None,
        typer.Option(help="Serve HTTP on this port, 0 for a free one, instead of stdio.", min=0),
    ] = None,
    store: Url = None,
) -> None:
    """Give Director's tools to any client of the Model Context Protocol.

    `fit`, `recall` and `report` for any history; with `--workflow` also the tools that read, build,
    test and run it; in a folder with .director/, or with `--project`, also those that give fresh
    contexts. Origins that were not approved here or in the app are never reached.
    """
    try:
        limit = tokens(budget)
        import director.mcp  # noqa: F401, PLC0415  said at once if it is not installed
    except ValueError as error:
        fail("mcp", str(error))
    except ImportError as missing:
        fail("mcp", f"{missing.name} is not installed: pip install 'director[mcp]'")
    with suppress(KeyboardInterrupt):
        if workflow is None:
            asyncio.run(_served(limit, http, project))
            return
        with opened_store(store, "mcp", make=True) as opened:
            asyncio.run(_working(opened, workflow, tuple(origin or ()), (limit, http, project)))


async def _served(
    budget: int, http: int | None, project: Path | None, working: Working | None = None
) -> None:
    from director.mcp import make_server, serve_http, serve_stdio  # noqa: PLC0415
    from director.mcp.fitting import Fitting  # noqa: PLC0415
    from director.mcp.preparing import Preparing  # noqa: PLC0415

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
    typer.echo(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp")
    with listening:
        await serve_http(server, listening)


async def _working(
    store: Store,
    workflow: str,
    origins: tuple[str, ...],
    served: tuple[int, int | None, Path | None],
) -> None:
    from director.agent import approve, open_desk  # noqa: PLC0415
    from director.agent.lending import lend  # noqa: PLC0415
    from director.mcp.working import Working  # noqa: PLC0415
    from director.runs import save_workflow  # noqa: PLC0415
    from director.runs.supplies import Wishes, supplied  # noqa: PLC0415
    from director.workflow.values import Workflow  # noqa: PLC0415

    if store.get("workflow", workflow) is None:
        save_workflow(store, Workflow(workflow, workflow))
    for origin in origins:
        approve(store, workflow, origin, why="on the command line")
    async with supplied(store, Wishes()) as supplies:
        lend(supplies, store)
        async with open_desk(store, workflow, supplies) as desk:
            await _served(*served, Working(desk))
