"""A site whose answers a test sets: a page, or a status, headers and a body, by method and path."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request is answered with."""

    body: str = ""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    more: dict[str, str] = field(default_factory=dict)


def sent_to(url: str) -> Answer:
    """An answer that sends the browser on to another address."""
    return Answer(status=303, more={"Location": url})


def file_named(name: str, body: str, kind: str = "application/octet-stream") -> Answer:
    """An answer that is a download."""
    return Answer(body, kind=kind, more={"Content-Disposition": f'attachment; filename="{name}"'})


Form = dict[str, str]
Said = str | Answer | Callable[[Form], "str | Answer"]


@dataclass(slots=True)
class AnsweringSite:
    """The answers of a site by "METHOD /path?query", or by "/path?query" for GET."""

    origin: str = ""
    answers: dict[str, Said] = field(default_factory=dict)

    def __setitem__(self, place: str, said: Said) -> None:
        self.answers[place if " " in place else f"GET {place}"] = said

    def find(self, place: str, form: Form) -> Answer:
        """The answer to a request; 404 if none was set."""
        said = self.answers.get(place) or self.answers.get(place.partition("?")[0])
        if said is None:
            return Answer("<h1>Not Found</h1>", 404)
        found = said(form) if callable(said) else said
        return found if isinstance(found, Answer) else Answer(found)


@contextmanager
def serve_answers() -> Iterator[AnsweringSite]:
    """A site on this machine that answers nothing yet."""
    site = AnsweringSite()

    class Handler(BaseHTTPRequestHandler):
        def _reply(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            sent = parse_qs(self.rfile.read(length).decode(), keep_blank_values=True)
            form = {name: values[0] for name, values in sent.items()}
            answer = site.find(f"{self.command} {self.path}", form)
            said = answer.body
            if answer.kind.startswith("text/html") and "<title>" not in said:
                said = f"<!doctype html><title>Lamps</title><main>{said}</main>"
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            for name, value in answer.more.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(said.encode())

        do_GET = do_POST = do_DELETE = _reply  # noqa: N815  the names of the library

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.origin = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
