"""The guard: a proxy on loopback that lets one session's browser reach approved origins only.

It stands outside the page, so whatever the page or the browser does on its own has to pass it:
navigation, redirects, parts of pages, forms, sockets, hints, downloads. What is not approved is
never looked up and never connected to; a name that is approved leads to public addresses only.
Every refusal is recorded. Encrypted traffic passes through as it is, after its first message.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, final

import h11

from director.browser.approved_origins import Origins, describe_origin_place, get_origin_place
from director.browser.network import Network, Pair, Resolution, is_network_address
from director.browser.tls import HANDSHAKE, HelloError, is_complete_tls_hello, read_tls_server_name
from director.secrets import Origin, OriginError

_CHUNK: Final = 65_536
# Cookies and addresses may be longer than h11 expects.
_HEAD: Final = 262_144
_HOP_BY_HOP: Final = frozenset(
    b"connection keep-alive proxy-authorization proxy-connection te trailer upgrade".split()
)
# What Chromium asks for on its own account: refused like the rest, and no news to anyone.
_OWN: Final = frozenset({"content-autofill.googleapis.com"})
# More than any hello: a tunnel that does not end it is closed.
_HELLO: Final = 65_536


@dataclass(frozen=True, slots=True)
class Blocked:
    """An attempt that was refused: where to, how (http, or a tunnel), and why if it is approved."""

    origin: str
    kind: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Unreached:
    """An approved origin that did not answer, and why."""

    origin: str
    why: str


@final
class Guard:
    """The proxy of one session; `address` is what its browser is given."""

    def __init__(
        self,
        origins: Origins,
        tell: Callable[[Blocked], None],
        *,
        miss: Callable[[Unreached], None],
        network: Network,
    ) -> None:
        self._origins = origins
        self._tell = tell
        self._miss = miss
        self._network = network
        self._open: set[asyncio.Task[None]] = set()
        self.address = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection of the browser to its end."""
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        # Either end may leave at any moment; the other is told by closing.
        with contextlib.suppress(OSError, ValueError, h11.ProtocolError, asyncio.CancelledError):
            await self._requests(reader, writer)
        await _close(writer)

    async def stop(self) -> None:
        """End every connection."""
        for task in tuple(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        browser = _Wire(h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD), reader, writer)
        while isinstance(request := await browser.receive(), h11.Request):
            if request.method == b"CONNECT":
                await self._tunnel(request.target.decode("ascii"), browser)
                return
            origin = self._read(request.target.decode("ascii"), "http")
            if origin is None or not self._is_allowed(origin, "http"):
                return
            async with self._reach(origin, "http") as site:
                await _forward(browser, request, site)
            if browser.wire.our_state is not h11.DONE or browser.wire.their_state is not h11.DONE:
                return
            browser.wire.start_next_cycle()

    async def _tunnel(self, place: str, browser: _Wire) -> None:
        reader, writer = browser.reader, browser.writer
        secure = self._read(f"https://{place}", "tunnel")
        plain = secure and Origin("http", secure.host, secure.port)
        if not (secure and plain) or not (
            self._origins.allows(plain) or self._is_allowed(secure, "tunnel")
        ):
            writer.write(b"HTTP/1.1 403 Not approved\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            return
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await writer.drain()
        # Its first bytes tell the scheme. A tunnel opened in advance and never used ends here.
        first = browser.wire.trailing_data[0] or await reader.read(_CHUNK)
        encrypted = first[:1] == HANDSHAKE
        if not first or not self._is_allowed(secure if encrypted else plain, "tunnel"):
            return
        if encrypted:
            first = await _whole_hello(first, reader)
            if not self._names(secure, first):
                return
        async with self._reach(secure if encrypted else plain, "tunnel") as (answers, upstream):
            upstream.write(first)
            await _both_ways((reader, writer), (answers, upstream))

    def _read(self, address: str, kind: str) -> Origin | None:
        """The origin of an address; one that cannot be read is refused as it is written."""
        try:
            return get_origin_place(address)
        except OriginError:
            self._tell(Blocked(describe_origin_place(address), kind))
            return None

    def _is_allowed(self, origin: Origin, kind: str) -> bool:
        allowed = self._origins.allows(origin)
        if not allowed and origin.host not in _OWN:
            self._tell(Blocked(str(origin), kind))
        return allowed

    def _names(self, origin: Origin, hello: bytes) -> bool:
        """Whether a hello asks for the host that the tunnel was opened for."""
        try:
            name = read_tls_server_name(hello)
        except HelloError:
            name = "?"
        # A client asks for no name where the host is an address.
        if name == ("" if is_network_address(origin.host) else origin.host):
            return True
        why = f"the connection asks for the server {name[:100]!r} instead"
        self._tell(Blocked(str(origin), "tunnel", why))
        return False

    @asynccontextmanager
    async def _reach(self, origin: Origin, kind: str) -> AsyncIterator[Pair]:
        reader, writer = await self._connect(origin, kind)
        try:
            yield reader, writer
        finally:
            await _close(writer)

    async def _connect(self, origin: Origin, kind: str) -> Pair:
        found = Resolution(())
        try:
            found = await self._network.resolve(origin.host)
            return await self._network.open_connection(found.allowed, origin.port)
        except OSError as problem:
            if not found.refused:
                self._miss(Unreached(str(origin), _why(problem)))
            raise
        finally:
            if found.refused:
                self._tell(Blocked(str(origin), kind, _not_public(found.refused)))


@asynccontextmanager
async def run_guard(
    origins: Origins,
    tell: Callable[[Blocked], None] = lambda _: None,
    *,
    miss: Callable[[Unreached], None] = lambda _: None,
    network: Network | None = None,
) -> AsyncIterator[Guard]:
    """Run a guard for these origins; what it blocks and what it cannot reach is told."""
    guard = Guard(origins, tell, miss=miss, network=network or Network())
    server = await asyncio.start_server(guard.answer, "127.0.0.1", 0)
    guard.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield guard
    finally:
        server.close()
        await guard.stop()
        await server.wait_closed()


@dataclass(frozen=True, slots=True)
class _Wire:
    """One side of an exchange in HTTP/1.1."""

    wire: h11.Connection
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def receive(self) -> h11.Event:
        while not isinstance(event := self.wire.next_event(), h11.Event):
            if event is h11.PAUSED:
                raise ConnectionError("a request began before the last one was answered")
            self.wire.receive_data(await self.reader.read(_CHUNK))
        return event

    async def send(self, event: h11.Event) -> None:
        if sent := self.wire.send(event):
            self.writer.write(sent)
            await self.writer.drain()


async def _forward(browser: _Wire, request: h11.Request, to: Pair) -> None:
    site = _Wire(h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD), *to)
    upload = asyncio.create_task(_upload(browser, request, site))
    try:
        await _download(site, browser)
    finally:
        upload.cancel()
        await asyncio.gather(upload, return_exceptions=True)


async def _upload(browser: _Wire, request: h11.Request, site: _Wire) -> None:
    target = b"/" + request.target.split(b"://", 1)[1].partition(b"/")[2]
    headers = [*_end_to_end(request), (b"connection", b"close")]
    await site.send(h11.Request(method=request.method, target=target, headers=headers))
    while not isinstance(event := await browser.receive(), h11.EndOfMessage):
        if not isinstance(event, h11.Data):
            return
        await site.send(h11.Data(data=bytes(event.data)))
    await site.send(h11.EndOfMessage())


async def _download(site: _Wire, browser: _Wire) -> None:
    while isinstance(event := await site.receive(), h11.InformationalResponse):
        pass
    if not isinstance(event, h11.Response):
        return
    await browser.send(
        h11.Response(
            status_code=event.status_code,
            reason=event.reason,
            headers=_end_to_end(event),
        )
    )
    while not isinstance(event := await site.receive(), h11.EndOfMessage):
        if not isinstance(event, h11.Data):
            return
        await browser.send(h11.Data(data=bytes(event.data)))
    await browser.send(h11.EndOfMessage())


def _end_to_end(message: h11.Request | h11.Response) -> list[tuple[bytes, bytes]]:
    return [each for each in message.headers.raw_items() if each[0].lower() not in _HOP_BY_HOP]


async def _whole_hello(first: bytes, reader: asyncio.StreamReader) -> bytes:
    """The first bytes of a tunnel, with the rest of its hello."""
    received = first
    while not is_complete_tls_hello(received) and len(received) < _HELLO:
        if not (more := await reader.read(_CHUNK)):
            break
        received += more
    return received


def _not_public(addresses: tuple[str, ...]) -> str:
    return f"its name leads to {', '.join(addresses[:4])}, which is not on the public internet"


def _why(problem: OSError) -> str:
    if isinstance(problem, socket.gaierror):
        return "nobody knows its name"
    return os.strerror(problem.errno).lower() if problem.errno else "none of its addresses answers"


async def _both_ways(one: Pair, other: Pair) -> None:
    ways = [
        asyncio.create_task(_copy(one[0], other[1])),
        asyncio.create_task(_copy(other[0], one[1])),
    ]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(_CHUNK):
        writer.write(chunk)
        await writer.drain()


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError, asyncio.CancelledError):
        await writer.wait_closed()
