"""A relay, a program of its own: stopped, it is a cut network.

Arguments: where to listen and where to pass to, each a port of this machine or the path of a
socket. While this program is stopped, what is sent is taken and goes nowhere, and nothing says
that the other side is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys

HOST = "127.0.0.1"


async def _pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while piece := await source.read(65536):
            target.write(piece)
            await target.drain()
    target.close()


async def _connect(to: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if to.isdigit():
        return await asyncio.open_connection(HOST, int(to))
    return await asyncio.open_unix_connection(to)


async def relay(listen: str, to: str) -> None:
    """Pass everything on, both ways, until the program is ended."""

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            other_reader, other_writer = await _connect(to)
        except OSError:
            writer.close()
            return
        await asyncio.gather(_pass_on(reader, other_writer), _pass_on(other_reader, writer))

    if listen.isdigit():
        server = await asyncio.start_server(accept, HOST, int(listen))
    else:
        server = await asyncio.start_unix_server(accept, listen)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(relay(sys.argv[1], sys.argv[2]))
