"""HTTP with the standard library: reads requests, writes responses, on the loopback only.

It never answers a request for another host, so that no foreign page can reach the site by a name
of its own, and it reads no body larger than a megabyte.
"""

from __future__ import annotations

import socketserver
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, unquote, urlsplit

from director.demo.site.http_values import Response, SubmittedForm

_LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class SiteRequest:
    """A request as it came."""

    method: str
    path: str
    query: str = ""
    type: str = ""
    body: bytes = b""
    cookies: Mapping[str, str] = field(default_factory=dict)
    from_here: bool = True


def query_of(asked: SiteRequest) -> SubmittedForm:
    """The query of the address."""
    return SubmittedForm(_fields(asked.query))


def form_of(asked: SiteRequest) -> SubmittedForm:
    """What the body holds, if it is a form."""
    if asked.type.startswith("multipart/form-data"):
        return _multipart(asked)
    return SubmittedForm(_fields(asked.body.decode(errors="replace")))


def _fields(text: str) -> dict[str, tuple[str, ...]]:
    try:
        parsed = parse_qs(text, keep_blank_values=True, max_num_fields=500)
    except ValueError:
        return {}
    return {name: tuple(values) for name, values in parsed.items()}


def _multipart(asked: SiteRequest) -> SubmittedForm:
    head = f"Content-Type: {asked.type}\r\n\r\n".encode()
    parts = BytesParser(policy=HTTP).parsebytes(head + asked.body)
    fields: dict[str, tuple[str, ...]] = {}
    file, file_name = b"", ""
    for part in parts.iter_parts():
        name = str(part.get_param("name", "", header="content-disposition"))
        content = part.get_payload(decode=True)
        content = content if isinstance(content, bytes) else b""
        if (given := part.get_filename()) is not None:
            file, file_name = content, given
        else:
            fields[name] = (*fields.get(name, ()), content.decode(errors="replace"))
    return SubmittedForm(fields, file, file_name)


class SiteServer(socketserver.ThreadingTCPServer):
    """Listens on a port of this machine, a thread for each request."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port: int, answer: Callable[[SiteRequest], Response]) -> None:
        self.answer = answer
        super().__init__(("127.0.0.1", port), _Connection)
        self.port: int = self.server_address[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing if a browser went away in the middle; it may."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Connection(BaseHTTPRequestHandler):
    """One request, then the connection is closed: nothing is left open when a site ends."""

    server: SiteServer
    protocol_version = "HTTP/1.1"
    server_version = "DirectorDemo"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        """Answer."""
        self._answer()

    do_HEAD = do_POST = do_GET  # noqa: N815  the same

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as the base class
        """Be quiet."""

    def _answer(self) -> None:
        here = (f"127.0.0.1:{self.server.port}", f"localhost:{self.server.port}")
        host = self.headers.get("Host", "")
        if host not in here:
            self._send(Response(b"This site answers on 127.0.0.1 only.\n", 421, "text/plain"))
            return
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal() or int(length) > _LARGEST:
            self._send(Response(b"The body is larger than a megabyte.\n", 413, "text/plain"))
            return
        split = urlsplit(self.path)
        origin = self.headers.get("Origin")
        asked = SiteRequest(
            method=self.command,
            path=unquote(split.path),
            query=split.query,
            type=self.headers.get("Content-Type", ""),
            body=self.rfile.read(int(length)),
            cookies=_cookies(self.headers.get("Cookie", "")),
            from_here=origin is None or origin == f"http://{host}",
        )
        response = self.server.answer(asked)
        time.sleep(response.delay)
        self._send(response)

    def _send(self, response: Response) -> None:
        self.close_connection = True
        self.send_response(response.status)
        self.send_header("Content-Type", response.type)
        self.send_header("Content-Length", str(len(response.body)))
        self.send_header("Connection", "close")
        for name, value in response.headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)


def _cookies(text: str) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(text).items()}
    except CookieError:
        return {}
