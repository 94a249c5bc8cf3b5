"""A relay between workers and their database, a program of its own: stopped, it is a cut network.

Arguments: the port to listen on and the port to pass to. While this program is stopped, what is
sent is taken and goes nowhere, and nothing says that the other side is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys


async def _pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while piece := await source.read(65536):
            target.write(piece)
            await target.drain()
    target.close()


async def relay(port: int, to: int) -> None:
    """Pass everything on, both ways, until the program is ended."""

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            other_reader, other_writer = await asyncio.open_connection("127.0.0.1", to)
        except OSError:
            writer.close()
            return
        await asyncio.gather(_pass_on(reader, other_writer), _pass_on(other_reader, writer))

    server = await asyncio.start_server(connect, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(relay(int(sys.argv[1]), int(sys.argv[2])))
