"""The server: lists the tools, makes the calls, over stdio or HTTP.

What goes wrong in a tool is a result that says so, for the model to read; the server stays up.
"""

from __future__ import annotations

import asyncio
import base64
import json
import socket
from importlib.metadata import version
from ipaddress import ip_address
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from director.distribution import NAME
from director.mcp.engine_tools import Fitting
from director.mcp.project_tools import Preparing
from director.mcp.token_guard import TokenGuard
from director.mcp.workflow_tools import Working
from director.models import Result, ToolArgumentError
from director.models.tool_schemas import read_tool_arguments
from director.planning.values import ProjectError

_ABOUT = (
    "Director: fit a history into a budget (fit), read back what was cut (recall), see what it "
    "cost (report); for a project, a fresh context for each agent and task (fresh_context); and, "
    "for a workflow, read, build, test and run browser workflows."
)


def make_server(
    fitting: Fitting, working: Working | None = None, preparing: Preparing | None = None
) -> Server[Any]:
    """A server of the fitting tools; also of those of a workflow and of a project, if given."""
    desk = _Desk(tuple(one for one in (fitting, preparing) if one is not None), working)
    return Server(
        "director",
        version=version(NAME),
        instructions=_ABOUT,
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
    )


class _Desk:
    """Who is asked for which tool; calls on a workflow are made one after the other."""

    def __init__(self, plain: tuple[Fitting | Preparing, ...], working: Working | None) -> None:
        self._own = {one.name: (one, group) for group in plain for one in group.tools}
        self._working = working
        self._turn = asyncio.Lock()

    async def list_tools(self, _: object, __: object) -> types.ListToolsResult:
        """All tools."""
        more = self._working.tools if self._working is not None else ()
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=one.name,
                    description=one.description,
                    input_schema=dict(one.parameters),
                )
                for one in (*(one for one, _ in self._own.values()), *more)
            ]
        )

    async def call_tool(
        self, _: object, asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """The result of a call."""
        args = json.dumps(asked.arguments or {})
        if asked.name in self._own:
            result = await asyncio.to_thread(self._plain, asked.name, args)
        elif self._working is not None:
            async with self._turn:
                result = await self._working.call(asked.name, args)
        else:
            listed = ", ".join(self._own)
            said = f"There is no tool {asked.name!r}; without a workflow there are {listed}."
            result = Result(said, failed=True)
        return types.CallToolResult(content=_content(result), is_error=result.failed)

    def _plain(self, name: str, args: str) -> Result:
        tool, group = self._own[name]
        try:
            return Result(group.run(tool, read_tool_arguments(tool, args)))
        except (ToolArgumentError, ProjectError, ValueError) as mistake:
            return Result(str(mistake), failed=True)
        except KeyError as unknown:
            return Result(str(unknown.args[0]), failed=True)


def _content(result: Result) -> list[types.ContentBlock]:
    said: list[types.ContentBlock] = [types.TextContent(type="text", text=result.text)]
    for image in result.images:
        if isinstance(image.source, bytes):
            data = base64.b64encode(image.source).decode("ascii")
            said.append(types.ImageContent(type="image", data=data, mime_type=image.media_type))
    return said


async def serve_stdio(server: Server[Any]) -> None:
    """Serve the program that started this one, until it closes our input."""
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def serve_http(server: Server[Any], listening: socket.socket, token: str) -> None:
    """Serve at /mcp on a socket of loopback that listens already, for those who know the token."""
    host, port = listening.getsockname()[:2]
    if not ip_address(host).is_loopback or not token:
        raise ValueError("The tools are served on loopback only, and only with a token.")
    names = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))
    app = TokenGuard(server.streamable_http_app(host=host), token, names)
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    await uvicorn.Server(config).serve(sockets=[listening])
