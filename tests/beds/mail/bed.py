"""MailDev as the mailbox: a real inbox that nobody here wrote, and a login that sends a code to it.

The login page is ours and small: it takes a name, sends a one-time code by SMTP, and lets in who
types it. The workflow reads the code where a person would, in the web inbox, in a second tab.
MailDev comes from npm and is kept in the folder for caches, so it is fetched once.
"""

from __future__ import annotations

import os
import secrets
import shutil
import smtplib
import socket
import subprocess
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from urllib.parse import parse_qs

from beds.miniwob.building import act, click, look, work_out
from director.workflow.document import read_workflow_document
from director.workflow.values import Workflow

VERSION = "2"


@dataclass
class Login:
    """Our page: who asked for a code, which it was, who got in."""

    smtp: int
    origin: str = ""
    codes: list[str] = field(default_factory=list)
    entered: list[str] = field(default_factory=list)

    def send(self, name: str) -> None:
        """Send a new code to somebody."""
        self.codes.append(f"{secrets.randbelow(10**6):06}")
        mail = EmailMessage()
        mail["From"], mail["To"] = "door@example.org", f"{name}@example.org"
        mail["Subject"] = "Your one-time code"
        mail.set_content(f"Hello {name},\n\nyour code is {self.codes[-1]}. It is good for once.\n")
        with smtplib.SMTP("127.0.0.1", self.smtp) as server:
            server.send_message(mail)


class _Answer(BaseHTTPRequestHandler):
    login: Login

    def do_GET(self) -> None:
        self._page(
            "<form method=post action=/code><label>Name <input name=name></label><button>Go on</button></form>"
        )

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(sent).items()}
        if self.path == "/code":
            self.login.send(form["name"])
            self._page(
                "<form method=post action=/enter><label>Code <input name=code></label><button>Log in</button></form>"
            )
        elif form.get("code") in self.login.codes:
            self.login.entered.append(form["code"])
            self.login.codes.clear()
            self._page("<h1>Welcome</h1>")
        else:
            self.send_error(403)

    def _page(self, body: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>Door</title>{body}".encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def door(smtp: int) -> Iterator[Login]:
    """The login page, on loopback."""
    login = Login(smtp)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Answer", (_Answer,), {"login": login}))
    login.origin = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield login
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def installed() -> Path | str:
    """Where MailDev's program is, fetched if need be; or why it is not there."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        return "MailDev needs Node.js with npm"
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = caches / "director-tests" / f"maildev-{VERSION}"
    program = folder / "node_modules" / "maildev" / "bin" / "maildev"
    if not program.exists():
        command = [
            npm,
            "install",
            "--no-audit",
            "--no-fund",
            "--prefix",
            str(folder),
            f"maildev@{VERSION}",
        ]
        folder.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=180)
        except (subprocess.SubprocessError, OSError) as problem:
            return f"npm could not install maildev@{VERSION}: {problem}"
    return program


@contextmanager
def mailbox(program: Path) -> Iterator[tuple[str, int]]:
    """MailDev, running; the origin of its inbox and the port that takes mail."""
    web, smtp = _free(), _free()
    command = ["node", str(program), "--ip", "127.0.0.1", "-w", str(web), "-s", str(smtp)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            _until_it_says(server.stdout, "webapp running", "SMTP Server running")
            yield f"http://127.0.0.1:{web}", smtp
        finally:
            server.terminate()


def _free() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _until_it_says(lines: Iterable[str], *parts: str) -> None:
    missing = set(parts)
    for line in lines:
        missing -= {part for part in missing if part in line}
        if not missing:
            return
    raise RuntimeError("MailDev ended before it was ready")


def workflow(login: str, inbox: str) -> Workflow:
    """Ask for a code, fetch it from the inbox in a second tab, and enter."""
    numbers = count(1)
    nodes = [
        act("open", "navigate", url=login),
        act("name", "type", "[name=name]", text="{{name}}"),
        {
            **click("ask", {"role": "button", "name": "Go on"}),
            "ensures": [{"element": "[name=code]"}],
        },
        act("mailbox", "openNewTab", url=inbox, name="mail"),
        {
            **click("letter", '.email-item-link:has-text("{{name}}@example.org")'),
            "effect": "idempotent",
            "ensures": [{"element": ".email-content", "text": "your code is"}],
        },
        look("text", ".email-content"),
        work_out(
            "code",
            r'{"code": re.search(r"code is (\d{6})", text).group(1)}',
            text="{{text.items[0]}}",
        ),
        act("home", "switchTab", tabName="main"),
        act("enter", "type", "[name=code]", text="{{code.code}}"),
        {
            **click("log_in", {"role": "button", "name": "Log in"}),
            "ensures": [{"element": {"role": "heading", "name": "Welcome"}}],
        },
    ]
    return read_workflow_document(
        {
            "version": 1,
            "id": "login-with-a-mailed-code",
            "name": "Log in with a code from a mail",
            "origins": [login, inbox],
            "inputs": [{"name": "name", "required": True}],
            "nodes": nodes,
        },
        new_id=lambda: f"n{next(numbers)}",
    )
