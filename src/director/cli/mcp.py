"""`director mcp`: starts the MCP server, over stdio unless a port is named.

Over stdio nothing but the protocol is written to standard output.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from director.cli.opening import Url, fail, opened_store
from director.cli.proxy import tokens

if TYPE_CHECKING:
    from director.store.store import Store

EPILOG = (
    'In a client\'s settings: `{"command": "director", "args": ["mcp", "--workflow", "prices"]}`. '
    "Over HTTP: `director mcp --http 8789`, then `http://127.0.0.1:8789/mcp`."
)


def mcp(
    *,
    workflow: Annotated[
        str | None,
        typer.Option(help="The workflow to build and run; made if it is not there.", metavar="ID"),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(help="An origin that the workflow may reach; may be repeated."),
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
    test and run it. Origins that were not approved here or in the app are never reached.
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
            asyncio.run(_served(limit, http))
            return
        with opened_store(store, "mcp", make=True) as opened:
            asyncio.run(_working(opened, workflow, tuple(origin or ()), limit, http))


async def _served(budget: int, http: int | None, working: object = None) -> None:
    from director.mcp import make_server, serve_http, serve_stdio  # noqa: PLC0415
    from director.mcp.fitting import Fitting  # noqa: PLC0415

    server = make_server(Fitting(budget), working)  # type: ignore[arg-type]
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
    store: Store, workflow: str, origins: tuple[str, ...], budget: int, http: int | None
) -> None:
    from director.agent import Desk, approve  # noqa: PLC0415
    from director.mcp.working import Working  # noqa: PLC0415
    from director.runs import Means, save_workflow  # noqa: PLC0415
    from director.runs.supplies import Wishes, supplied  # noqa: PLC0415
    from director.workflow.values import Workflow  # noqa: PLC0415

    if store.get("workflow", workflow) is None:
        save_workflow(store, Workflow(workflow, workflow))
    for origin in origins:
        approve(store, workflow, origin, why="on the command line")
    async with supplied(store, Wishes()) as supplies:
        means = Means(secrets=supplies.vault, seal=supplies.seal, logins=supplies.logins)
        desk = Desk(store, workflow, means=means)
        try:
            await _served(budget, http, Working(desk))
        finally:
            await desk.close()
