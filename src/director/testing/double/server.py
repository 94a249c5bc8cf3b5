"""HTTP/1.1 on loopback: reads requests, sends replies, and breaks connections when told to.

It runs an event loop of its own in a thread. It knows no provider and decides nothing: each
request is handed, one at a time, to the function it was made with.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator

import h11

from director.testing.double.exchange import Delivery, ProviderResponse, RawRequest, ServerSentEvent

_CHUNK = 65_536
_PATIENCE = 10.0


def encode_server_event(event: ServerSentEvent) -> bytes:
    """An event as it goes over the wire."""
    text = event.data if isinstance(event.data, str) else json.dumps(event.data)
    name = f"event: {event.name}\n" if event.name else ""
    return f"{name}data: {text}\n\n".encode()


class DoubleServer:
    """A server on a port, a free one for 0: `open` it, and `close` it to drop all connections."""

    def __init__(self, respond: Callable[[RawRequest], Delivery], port: int = 0) -> None:
        self._respond = respond
        self._wanted = port
        self._socket: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._ready = threading.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self.port = 0

    def open(self) -> None:
        """Listen; the port is known when this returns. One that is taken is an OSError."""
        self._socket = socket.create_server(("127.0.0.1", self._wanted))
        self._thread = threading.Thread(target=self._run, name="double", daemon=True)
        self._thread.start()
        self._ready.wait(_PATIENCE)

    def close(self) -> None:
        """Drop all connections, stop the loop and wait for its thread."""
        if self._thread is None:
            return
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_PATIENCE)
        self._thread = None

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._serve_connection, sock=self._socket)
        self.port = int(server.sockets[0].getsockname()[1])
        self._ready.set()
        await self._stop.wait()
        server.close()
        await server.wait_closed()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await asyncio.sleep(0)  # the aborted transports close their sockets in the next round

    def _serve_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Without this each small piece waits 40 ms for the other side; the loop sets it by itself
        # only on sockets that name their protocol, and those of `create_server` do not.
        sock: socket.socket = writer.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        task = asyncio.get_running_loop().create_task(self._converse(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = _Line(reader, writer)
        try:
            while (request := await line.read()) is not None:
                if not await line.send(self._respond(request)):
                    break
            writer.close()
            await writer.wait_closed()
        except (OSError, h11.RemoteProtocolError):
            pass  # the client went away, or speaks no HTTP
        finally:
            writer.transport.abort()


class _Line:
    """One connection, request after request."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.SERVER)
        self._bodiless = False

    async def read(self) -> RawRequest | None:
        """The next request, or None when the client is done."""
        head: h11.Request | None = None
        body = bytearray()
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                self._http.receive_data(await self._reader.read(_CHUNK))
            elif isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage) and head is not None:
                break
            else:
                return None
        headers = {name.decode("ascii"): text.decode("latin-1") for name, text in head.headers}
        self._bodiless = head.method == b"HEAD"
        return RawRequest(head.method.decode(), head.target.decode(), headers, bytes(body))

    async def send(self, reply: Delivery) -> bool:
        """Send a reply; False when the connection is not to be used again."""
        pieces = list(_pieces(reply.answer, reply)) if reply.answer is not None else []
        whole = reply.ending == "end" and not reply.half
        for number, piece in enumerate(pieces, start=1):
            if whole and number == len(pieces):
                reply.sent()  # before the last piece: whoever has read it may look at once
            self._write(piece)
            await self._writer.drain()
        if reply.ending == "end":
            return await self._end()
        if reply.ending == "stall":
            await self._reader.read()
        else:
            _reset(self._writer)
        return False

    async def _end(self) -> bool:
        self._write(h11.EndOfMessage())
        await self._writer.drain()
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        return True

    def _write(self, event: h11.Response | h11.Data | h11.EndOfMessage) -> None:
        if self._bodiless and isinstance(event, h11.Data):
            return
        self._writer.write(self._http.send(event) or b"")


def _pieces(answer: ProviderResponse, reply: Delivery) -> Iterator[h11.Response | h11.Data]:
    """What of an answer is sent, piece by piece."""
    headers = list(answer.headers.items())
    if answer.events or "text/event-stream" in answer.headers.get("content-type", ""):
        headers += [("transfer-encoding", "chunked"), ("cache-control", "no-cache")]
        yield _head(answer.status, headers, "text/event-stream; charset=utf-8")
        for event in answer.events[:-1] if reply.half else answer.events:
            yield h11.Data(data=encode_server_event(event))
        if reply.half and answer.events:
            yield h11.Data(data=_half(encode_server_event(answer.events[-1])))
        return
    body = json.dumps(answer.body).encode()
    kept = _half(body) if reply.half else body
    told = len(kept) if reply.ending == "end" else len(body)
    yield _head(answer.status, [*headers, ("content-length", str(told))], "application/json")
    yield h11.Data(data=kept)


def _head(status: int, headers: list[tuple[str, str]], kind: str) -> h11.Response:
    if not any(name == "content-type" for name, _ in headers):
        headers = [("content-type", kind), *headers]
    return h11.Response(status_code=status, headers=headers)


def _half(whole: bytes) -> bytes:
    return whole[: len(whole) // 2]


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close so that the other side sees a reset and not an end."""
    sock: socket.socket | None = writer.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
