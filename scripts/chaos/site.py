"""The site of the chaos test, a program of its own: it writes each effect down before it answers.

Arguments: a port and the file of effects. `POST /send/KEY` is an effect: its key is appended to
the file and synced to the disk. `/form/KEY` has the button, `/sent/KEY` says whether it happened.
It must never forget an effect, nor refuse one that it has seen: doubling is what is looked for.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

_SLOW = 0.3  # seconds before and after an effect, in which faults may come


def list_effects(file: Path) -> list[str]:
    """The keys of all effects, in the order in which they happened."""
    return file.read_text(encoding="ascii").split() if file.exists() else []


class EffectsAnswer(BaseHTTPRequestHandler):
    """Answers one request."""

    file: ClassVar[Path]
    lock: ClassVar[threading.Lock] = threading.Lock()

    def do_GET(self) -> None:
        """Show a form, or whether an effect happened."""
        what, _, key = self.path.strip("/").partition("/")
        if what == "form":
            self._say(f'<form method="post" action="/send/{key}"><button id="send">Send</button>')
        elif what == "sent":
            known = key in list_effects(self.file)
            self._say(f'<p id="{"yes" if known else "no"}">{key}</p>')
        else:
            self._say("<p>Nothing is here.</p>", 404)

    def do_POST(self) -> None:
        """Have an effect, durably, then answer."""
        key = self.path.strip("/").partition("/")[2]
        time.sleep(_SLOW)
        with self.lock, self.file.open("a", encoding="ascii") as file:
            file.write(f"{key}\n")
            file.flush()
            os.fsync(file.fileno())
        time.sleep(_SLOW)
        self.send_response(303)
        self.send_header("Location", f"/sent/{key}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _say(self, body: str, status: int = 200) -> None:
        content = f"<!doctype html><title>Effects</title>{body}".encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    EffectsAnswer.file = Path(sys.argv[2])
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), EffectsAnswer).serve_forever()
