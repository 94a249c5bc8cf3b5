"""The server: lists the tools, makes the calls, over stdio or HTTP.

What goes wrong in a tool is a result that says so, for the model to read; the server stays up.
"""

from __future__ import annotations

import asyncio
import base64
import json
import socket
from importlib.metadata import version
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from director.mcp.fitting import Fitting
from director.mcp.working import Working
from director.models import Result, ToolArgumentError
from director.models.tools import arguments

_ABOUT = (
    "Director: fit a history into a budget (fit), read back what was cut (recall), see what it "
    "cost (report); and, for a workflow, read, build, test and run browser workflows."
)


def make_server(fitting: Fitting, working: Working | None = None) -> Server[Any]:
    """A server of the fitting tools and, where there is a workflow, of Director's own."""
    desk = _Desk(fitting, working)
    return Server(
        "director",
        version=version("director"),
        instructions=_ABOUT,
        on_list_tools=desk.listed,
        on_call_tool=desk.called,
    )


class _Desk:
    """Who is asked for which tool; calls on a workflow are made one after the other."""

    def __init__(self, fitting: Fitting, working: Working | None) -> None:
        self._fitting = fitting
        self._own = {one.name: one for one in fitting.tools}
        self._working = working
        self._turn = asyncio.Lock()

    async def listed(self, _: object, __: object) -> types.ListToolsResult:
        """All tools."""
        more = self._working.tools if self._working is not None else ()
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=one.name,
                    description=one.description,
                    input_schema=dict(one.parameters),
                )
                for one in (*self._own.values(), *more)
            ]
        )

    async def called(self, _: object, asked: types.CallToolRequestParams) -> types.CallToolResult:
        """The result of a call."""
        args = json.dumps(asked.arguments or {})
        if asked.name in self._own:
            result = await asyncio.to_thread(self._fitted, asked.name, args)
        elif self._working is not None:
            async with self._turn:
                result = await self._working.call(asked.name, args)
        else:
            listed = ", ".join(self._own)
            said = f"There is no tool {asked.name!r}; without a workflow there are {listed}."
            result = Result(said, failed=True)
        return types.CallToolResult(content=_content(result), is_error=result.failed)

    def _fitted(self, name: str, args: str) -> Result:
        tool = self._own[name]
        try:
            return Result(self._fitting.run(tool, arguments(tool, args)))
        except (ToolArgumentError, ValueError) as mistake:
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


async def serve_http(server: Server[Any], listening: socket.socket) -> None:
    """Serve at /mcp on a socket that listens already."""
    host = str(listening.getsockname()[0])
    app = server.streamable_http_app(host=host)
    config = uvicorn.Config(app, log_level="warning")
    await uvicorn.Server(config).serve(sockets=[listening])
