"""Small sites on loopback for browser tests: pages by path, and a count of everything that arrives."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Served:
    """What a path answers with."""

    body: str | bytes = ""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Site(ThreadingHTTPServer):
    """A server that knows each connection, request and datagram that reached its port.

    `pages` maps a path to what is served; other paths answer 404. `host` is the name that browsers
    are given for it: `127.0.0.1` and `localhost` are different sites to them. With a `certificate`
    (a file with a key and a chain) it speaks TLS.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        pages: Mapping[str, Served | str],
        host: str = "127.0.0.1",
        *,
        certificate: Path | None = None,
    ) -> None:
        self.pages = dict(pages)
        self.asked: list[Asked] = []
        self.accepted = 0
        self.datagrams = 0
        super().__init__(("127.0.0.1", 0), _Answer)
        self.origin = f"http{'s' if certificate else ''}://{host}:{self.server_port}"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # The handshake is left to the thread of the connection: one that waits holds up no other.
            self.socket = context.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", self.server_port))

    @property
    def paths(self) -> set[str]:
        """The paths that were asked for, without their queries."""
        return {each.path.partition("?")[0] for each in self.asked}

    @property
    def reached(self) -> int:
        """How many connections and datagrams arrived."""
        return self.accepted + self.datagrams

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        """Take a connection, and count it before anything is read."""
        self.accepted += 1
        return super().get_request()

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser may leave at any moment."""

    def listen_for_datagrams(self) -> None:
        """Count what comes over UDP, until an empty datagram ends it."""
        with self._udp:
            while self._udp.recv(2_048):
                self.datagrams += 1

    def stop(self) -> None:
        """End the server."""
        self.shutdown()
        self.server_close()
        # The listener waits on the port itself: this wakes it.
        self._udp.sendto(b"", self._udp.getsockname())


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Site

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append(Asked(self.command, self.path, dict(self.headers), body))
        found = self.server.pages.get(self.path.partition("?")[0], Served("none", status=404))
        page = Served(found) if isinstance(found, str) else found
        content = page.body.encode() if isinstance(page.body, str) else page.body
        self.send_response(page.status)
        for name, value in {"Content-Type": page.kind, **page.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_POST = do_HEAD = do_OPTIONS = do_PUT = _answer  # noqa: N815  the base names them

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def site(
    pages: Mapping[str, Served | str] | None = None,
    host: str = "127.0.0.1",
    *,
    certificate: Path | None = None,
) -> Iterator[Site]:
    """Run a site while the block lasts."""
    server = Site(pages or {}, host, certificate=certificate)
    threads = [
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True),
        threading.Thread(target=server.listen_for_datagrams, daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        yield server
    finally:
        server.stop()


async def until(holds: Callable[[], object]) -> None:
    """Wait until something is so; fail if it is not after a long while."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110  a server in another thread has no event for it
            await asyncio.sleep(0.02)
