"""A stranger's server on this machine: serves what it is given and remembers who asked for what."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(slots=True)
class Listener:
    """Where it is, the pages that it serves, and every request with its headers."""

    url: str = ""
    pages: dict[str, tuple[str, str]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)


@contextmanager
def listening(at: tuple[str, int] = ("127.0.0.1", 0), **pages: str) -> Iterator[Listener]:
    """A stranger on a port of this machine, with pages by their names; the others are empty."""
    made = Listener(pages={f"/{name}": ("text/html", text) for name, text in pages.items()})

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            made.asked.append(
                (self.path, {name.lower(): text for name, text in self.headers.items()})
            )
            kind, text = made.pages.get(self.path.partition("?")[0], ("text/plain", ""))
            self.send_response(200)
            self.send_header("content-type", f"{kind}; charset=utf-8")
            self.send_header("content-length", str(len(text.encode())))
            self.send_header("access-control-allow-origin", "*")
            # So that nobody goes on to ask it when it has ended.
            self.send_header("connection", "close")
            self.end_headers()
            self.wfile.write(text.encode())

        do_POST = do_GET  # noqa: N815  the name that the library looks for

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in at[0] else socket.AF_INET

    server = Server(at, Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    host = f"[{at[0]}]" if ":" in at[0] else at[0]
    made.url = f"http://{host}:{server.server_port}"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
