"""A server of a stranger: it counts who comes, and answers what an attack needs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias

Answers: TypeAlias = Callable[["Visit"], None]


@dataclass(slots=True)
class Stranger:
    """What came: each request's path and its headers in small letters."""

    port: int = 0
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"


class Visit(BaseHTTPRequestHandler):
    """One request to the stranger."""

    protocol_version = "HTTP/1.1"
    stranger: Stranger
    answers: Answers

    def do_POST(self) -> None:
        """Note it, and answer as the attack says."""
        self.close_connection = True
        self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.stranger.requests.append((self.path, headers))
        with suppress(OSError):
            type(self).answers(self)

    do_GET = do_POST  # noqa: N815  the same

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as the base class
        """Be quiet."""

    def reply(self, body: bytes, kind: str = "application/json", status: int = 200) -> None:
        """A whole answer, on a connection that stays open."""
        self.close_connection = False
        head = f"HTTP/1.1 {status} Told\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}"
        self.wfile.write(f"{head}\r\n\r\n".encode("latin-1") + body)

    def begin(self, kind: str, status: int = 200, *headers: str) -> None:
        """The head of an answer that ends with its connection, or as the headers say."""
        lines = (f"HTTP/1.1 {status} Told", f"Content-Type: {kind}", "Connection: close", *headers)
        self.wfile.write("\r\n".join((*lines, "", "")).encode("latin-1"))

    def tell(self, *events: str) -> None:
        """Events of a stream."""
        self.wfile.write("".join(f"data: {event}\n\n" for event in events).encode())


def says_nothing(visit: Visit) -> None:
    """An answer without content."""
    visit.reply(b"{}")


@contextmanager
def stranger(answers: Answers = says_nothing) -> Iterator[Stranger]:
    """A stranger who listens on loopback."""
    made = Stranger()
    kind = type("Visiting", (Visit,), {"stranger": made, "answers": staticmethod(answers)})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        server.daemon_threads = True
        made.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield made
        finally:
            server.shutdown()
            thread.join(10)
