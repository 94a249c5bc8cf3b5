"""A model's server on loopback that is hostile: it streams without end, or answers what backtracks.

Asked for an answer by a tool, as a cognition node does, it gives the text; otherwise it streams the
piece again and again, as fast as it is read, until the client goes away.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BACKTRACKS = "a" * 45 + "!"
LETTERS = json.dumps({"id": "c", "choices": [{"delta": {"content": "x" * 200}}]})
# What is streamed without end: letters of an answer, one line, lines without an event.
PIECES = {
    "letters": f"data: {LETTERS}\n\n".encode() * 8,
    "one line": b"x" * 32_768,
    "lines": b"data: 1\n" * 4_096,
}


def _event(delta: dict[str, object], finish: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    body = {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}
    return f"data: {json.dumps(body)}\n\n".encode()


def _answer() -> bytes:
    given = {"name": "answer", "arguments": json.dumps({"value": BACKTRACKS})}
    call = {"index": 0, "id": "c1", "type": "function", "function": given}
    ends = _event({}, "tool_calls") + b"data: [DONE]\n\n"
    return _event({"role": "assistant", "tool_calls": [call]}, None) + ends


@contextmanager
def hostile_provider(piece: bytes) -> Iterator[str]:
    """Run it; the name of its model."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def do_POST(self) -> None:
            asked = self.rfile.read(int(self.headers.get("content-length") or 0))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            if b'"answer"' in asked:
                self.wfile.write(_answer())
                return
            while not over.is_set():
                self.wfile.write(piece)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """The client went away, as it should."""

    over = threading.Event()
    server = Server(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"chat:http://127.0.0.1:{server.server_port}/v1#m"
    finally:
        over.set()
        server.shutdown()
        server.server_close()
