"""HTTP/1.1 lines as bytes: requests read whole, responses passed on as they come.

What is passed on is never written anew: the bytes of a response are those of the upstream, chunk
by chunk, and the headers of a request keep their order and their spelling.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import socket
import ssl
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias
from urllib.parse import urlsplit

import h11

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]
CHUNK = 65_536
_HEADERS_AT_MOST = 262_144
BODY_AT_MOST = 64 * 2**20
IDLE = 600.0  # seconds between two requests of a client
ARRIVES = 120.0  # seconds for a whole request
READS = 60.0  # seconds in which some of a response must be read
OURS = b"x-director-"
_VERSION = re.compile(rb"v\d+(alpha|beta)?\d*")


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """A request as it came: headers in their order and spelling, the body whole.

    `connection` is a name of the connection that it came on, which nobody else can know.
    """

    method: bytes
    target: bytes
    headers: Headers
    body: bytes
    connection: str = ""

    def header(self, name: bytes) -> bytes:
        """The value of a header by its name in small letters, empty if it was not sent."""
        return next((text for known, text in self.headers if known.lower() == name), b"")

    @property
    def path(self) -> str:
        """The path without its query."""
        return self.target.decode("ascii", "replace").partition("?")[0]


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where requests go."""

    host: str
    port: int
    secure: bool
    prefix: str = ""

    @classmethod
    def at(cls, url: str) -> Upstream:
        """The upstream of an address such as https://api.openai.com."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            message = f"an upstream is an address such as https://api.openai.com, not {url!r}"
            raise ValueError(message)
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        return cls(parts.hostname, port, secure, parts.path.rstrip("/"))

    @property
    def authority(self) -> bytes:
        """The host as a request names it."""
        usual = self.port == (443 if self.secure else 80)
        return (self.host if usual else f"{self.host}:{self.port}").encode("ascii")

    def join(self, target: bytes) -> bytes:
        """What to ask for here; a version that ends the address and begins the path stands once."""
        prefix, last = self.prefix.encode("ascii"), self.prefix.rpartition("/")[2].encode("ascii")
        if _VERSION.fullmatch(last) and target.startswith(b"/%s/" % last):
            target = target[len(last) + 1 :]
        return prefix + target

    async def connect(self) -> Wire:
        """A new connection."""
        context = _trusting() if self.secure else None
        reader, writer = await asyncio.open_connection(self.host, self.port, ssl=context)
        return Wire(reader, writer, self)


@cache
def _trusting() -> ssl.SSLContext:
    # Reading the authorities takes longer than a connection.
    return ssl.create_default_context()


class Wire:
    """One connection to an upstream, request after request."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, upstream: Upstream
    ) -> None:
        send_lines_at_once(writer)
        self._reader, self._writer = reader, writer
        self.upstream = upstream
        self.whole = True

    @property
    def usable(self) -> bool:
        """Whether another request may be sent."""
        return self.whole and not self._reader.at_eof() and not self._writer.is_closing()

    def close(self) -> None:
        """Drop the connection."""
        self._writer.transport.abort()

    async def ask(self, request: ProxyRequest) -> None:
        """Send a request."""
        self._writer.write(_write_request(request, self.upstream))
        await self._writer.drain()

    async def relay(self, method: bytes, to: asyncio.StreamWriter, *, added: bytes = b"") -> bool:
        """Pass on the response as it comes; say whether both connections may be used again.

        `added` is a line of ours that is sent behind the status line.
        """
        self.whole = False
        head = _ResponseHead(added)
        reading = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEADERS_AT_MOST)
        asked = h11.Request(method=method, target="/", headers=[("host", "-")])
        reading.send(asked)
        reading.send(h11.EndOfMessage())
        while True:
            piece = await self._reader.read(CHUNK)
            reading.receive_data(piece)
            if piece:
                to.write(head.add_line(piece))
                await drain_lines(to)
            if _has_ended(reading):
                self.whole = reading.their_state is h11.DONE
                return self.whole and bool(piece)
            if not piece:
                return False

    async def exchange(self, request: ProxyRequest, client: Client) -> None:
        """Send a request that opens a WebSocket, then pass bytes both ways until one side ends."""
        self.whole = False
        self._writer.write(_write_request(request, self.upstream))
        down = asyncio.create_task(copy_lines(self._reader, client.writer))
        up = asyncio.create_task(client.copy_to(self._writer))
        try:
            await asyncio.wait((down, up), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (down, up):
                task.cancel()
            await asyncio.gather(down, up, return_exceptions=True)


class _ResponseHead:
    """Puts a line into the head of a response that passes in pieces."""

    def __init__(self, line: bytes) -> None:
        self._line, self._start = line, bytearray()

    def add_line(self, piece: bytes) -> bytes:
        """The piece to send now; it is held back until the status line is whole."""
        if not self._line:
            return piece
        self._start += piece
        status, found, rest = bytes(self._start).partition(b"\r\n")
        if not found:
            return b""
        if status.split(b" ", 2)[1:2] == [b"100"]:
            ahead, _, rest = rest.partition(b"\r\n")
            self._start = bytearray(rest)
            return status + found + ahead + found + self.add_line(b"")
        line, self._line = self._line, b""
        return status + found + line + found + rest


def _has_ended(reading: h11.Connection) -> bool:
    try:
        while (event := reading.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
            if isinstance(event, h11.EndOfMessage):
                return True
            if isinstance(event, h11.ConnectionClosed):
                return False
    except h11.RemoteProtocolError:
        # Whatever it was, its bytes were passed on; the connection is of no more use.
        return False
    return False


def _write_request(request: ProxyRequest, upstream: Upstream) -> bytes:
    """A request as it came, but for the host it goes to and the length of its body."""
    target = upstream.join(request.target)
    lines = [b"%s %s HTTP/1.1" % (request.method, target)]
    for name, text in request.headers:
        small = name.lower()
        if small == b"host":
            lines.append(b"%s: %s" % (name, upstream.authority))
        elif small == b"content-length":
            lines.append(b"%s: %d" % (name, len(request.body)))
        elif small == b"transfer-encoding":
            lines.append(b"Content-Length: %d" % len(request.body))
        elif small != b"expect" and not small.startswith(OURS):
            lines.append(b"%s: %s" % (name, text))
    return b"\r\n".join([*lines, b"", request.body])


class RequestRefused(Exception):
    """A request is too large, or takes too long to arrive."""

    def __init__(self, status: bytes, message: str) -> None:
        super().__init__(message)
        self.status = status


class Client:
    """One connection of a client, request after request, each in time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        send_lines_at_once(writer)
        self._reader, self.writer = reader, writer
        self._left = b""
        self._name = secrets.token_hex(16)

    async def read(self) -> ProxyRequest | None:
        """The next request, None when the client is done; `RequestRefused` if it does not come."""
        async with asyncio.timeout(IDLE):
            first = self._left or await self._reader.read(CHUNK)
        self._left = b""
        try:
            async with asyncio.timeout(ARRIVES):
                return await self._whole(first)
        except TimeoutError:
            late = f"The request did not arrive in {ARRIVES:.0f} seconds."
            raise RequestRefused(b"408 Request Timeout", late) from None

    async def _whole(self, first: bytes) -> ProxyRequest | None:
        line = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEADERS_AT_MOST)
        line.receive_data(first)
        head: h11.Request | None = None
        body = bytearray()
        while True:
            event = line.next_event()
            if event is h11.NEED_DATA:
                if line.they_are_waiting_for_100_continue:
                    self.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                    line.send(h11.InformationalResponse(status_code=100, headers=[]))
                line.receive_data(await self._reader.read(CHUNK))
            elif isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
                if len(body) > BODY_AT_MOST:
                    large = f"The request is larger than {BODY_AT_MOST:,} bytes."
                    raise RequestRefused(b"413 Content Too Large", large)
            elif isinstance(event, h11.EndOfMessage) and head is not None:
                self._left = line.trailing_data[0]
                raw = tuple(head.headers.raw_items())
                return ProxyRequest(head.method, head.target, raw, bytes(body), self._name)
            else:
                return None

    async def wait_gone(self) -> bool:
        """Wait until the client closes its connection (True) or sends more (False)."""
        piece = await self._reader.read(CHUNK)
        self._left += piece
        return not piece

    async def copy_to(self, writer: asyncio.StreamWriter) -> None:
        """Pass on what the client sends from now on, as it comes."""
        writer.write(self._left)
        self._left = b""
        await copy_lines(self._reader, writer)

    async def say(self, status: bytes, kind: bytes, body: bytes, *, last: bool = False) -> None:
        """A response of our own; after the last one the connection is closed."""
        lines = [b"Content-Type: " + kind, b"Content-Length: %d" % len(body)]
        if last:
            lines.append(b"Connection: close")
        self.writer.write(b"\r\n".join([b"HTTP/1.1 " + status, *lines, b"", body]))
        await drain_lines(self.writer)

    def reset(self) -> None:
        """Close so that the client sees a reset and not an end."""
        sock: socket.socket | None = self.writer.get_extra_info("socket")
        if sock is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


async def copy_lines(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on bytes until there are no more."""
    while piece := await reader.read(CHUNK):
        writer.write(piece)
        await drain_lines(writer)


async def drain_lines(writer: asyncio.StreamWriter) -> None:
    """Wait until a client has read enough; `TimeoutError` if it reads nothing for long."""
    async with asyncio.timeout(READS):
        await writer.drain()


def send_lines_at_once(writer: asyncio.StreamWriter) -> None:
    """Let small pieces leave without waiting for more."""
    sock: socket.socket | None = writer.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
