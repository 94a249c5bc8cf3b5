"""The program that serves: where it listens, what it prints, what it leaves after a kill."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from director.agent import choose_workflow_model
from director.runs import save_run_workflow
from director.store import open_store
from director.web.app_server import Unsafe, bind_server_socket, make_app_server, open_served_app
from director.web.app_state import AppState
from web.rooms import WORKFLOW, enter

_LINK = re.compile(r"http://\S+?:(\d+)/launch#(\S+)")


@contextmanager
def program(folder: Path, *options: str, **environ: str) -> Iterator[subprocess.Popen[str]]:
    """`director app` as a program of its own; killed at the end if it still runs."""
    known = {**os.environ, "DIRECTOR_HOME": str(folder), **environ}
    known.pop("DIRECTOR_MODEL", None)
    made = subprocess.Popen(
        [sys.executable, "-m", "director.cli", "app", "--no-open", *options],
        env=known,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield made
    finally:
        made.kill()
        made.communicate()


def link_of(made: subprocess.Popen[str]) -> tuple[str, str]:
    """The address and the token that it prints."""
    assert made.stdout is not None
    for line in made.stdout:
        if found := _LINK.search(line):
            return f"127.0.0.1:{found[1]}", found[2]
    raise AssertionError(made.stderr.read() if made.stderr else "")


def listening(pid: int) -> list[str]:
    """The addresses on which a process listens, as the system has them, in hexadecimal."""
    inodes: set[str] = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed since it was listed
            inodes.add(str(entry.readlink()))
    inodes = {each[8:-1] for each in inodes if each.startswith("socket:[")}
    found = []
    for table in ("tcp", "tcp6"):
        rows = Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
        parts = [row.split() for row in rows]
        found += [part[1] for part in parts if part[3] == "0A" and part[9] in inodes]
    return found


@pytest.mark.promise("F1")
@pytest.mark.promise("F4")
@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="asks the Linux kernel")
def test_it_listens_on_this_machine_only_and_prints_no_key(tmp_path: Path) -> None:
    """On 127.0.0.1, and on ::1 where there is one; the link is printed once, the session and the words said never."""
    with program(tmp_path, "--port", "0") as made:
        host, token = link_of(made)
        address, port = host.split(":")
        assert address == "127.0.0.1"
        first, *others = listening(made.pid)
        assert first == f"0100007F:{int(port):04X}"
        assert set(others) <= {f"{'0' * 24}01000000:{int(port):04X}"}
        with httpx.Client(base_url=f"http://{host}", timeout=90) as browser:
            key = enter(browser, token)["authorization"].removeprefix("Bearer ")
            assert browser.post("/launch", json={"link": token}).status_code == 401
            browser.get("/?key=told-in-a-query")
            browser.get("/nowhere", headers={"x-strange": "told-in-a-header"})
            browser.put("/api/secrets/x", json={"value": "told-in-a-body"})
        made.send_signal(signal.SIGINT)
        out, err = made.communicate(timeout=60)
    printed = out + err
    assert made.returncode == 0
    for never in (key, token, "told-in-a-query", "told-in-a-header", "told-in-a-body"):
        assert never not in printed
    assert "Traceback" not in printed


@pytest.mark.slow
def test_ctrl_c_at_once_ends_it_in_words(tmp_path: Path) -> None:
    """As soon as the link is there, before anything is served."""
    with program(tmp_path, "--port", "0") as made:
        link_of(made)
        made.send_signal(signal.SIGINT)
        out, err = made.communicate(timeout=60)
    assert made.returncode == 0
    assert out.endswith("Ended. Everything is in the store.\n")
    assert err == ""


@pytest.mark.promise("F1")
def test_a_server_that_ends_leaves_no_connection_open(tmp_path: Path) -> None:
    """A client that does not read its answers sees the end, and waits for nobody."""

    async def serve_and_end(studio: AppState) -> None:
        listening = bind_server_socket("127.0.0.1", 0)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        server = make_app_server(studio)
        server.config.timeout_graceful_shutdown = 0
        serving = asyncio.create_task(server.serve([listening]))
        client = socket.create_connection(listening.getsockname())
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reading, writing = await asyncio.open_connection(sock=client, limit=64)
        writing.write(b"GET /static/app.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 2000)
        while not any(  # noqa: ASYNC110  uvicorn has no event for it
            each.flow.write_paused for each in server.server_state.connections
        ):
            await asyncio.sleep(0.01)
        server.should_exit = True
        await serving
        assert not server.server_state.connections
        with suppress(ConnectionError):
            await reading.read()
        writing.close()

    with bind_server_socket("127.0.0.1", 0) as other:
        studio = open_served_app(open_store(tmp_path / "director.db"), other)
    asyncio.run(asyncio.wait_for(serve_and_end(studio), 60))


def test_it_listens_elsewhere_only_with_a_password() -> None:
    """Whatever the address; on this machine none is needed."""
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.com"):  # noqa: S104  refused
        with pytest.raises(Unsafe, match="password"):
            bind_server_socket(host, 0)
    with (
        bind_server_socket("127.0.0.1", 0) as local,
        bind_server_socket("0.0.0.0", 0, password="long enough") as wide,  # noqa: S104, S106
    ):
        assert local.getsockname()[0] == "127.0.0.1"
        assert wide.getsockname()[0] == "0.0.0.0"  # noqa: S104


class _Slow(BaseHTTPRequestHandler):
    """A provider that says a few words and then nothing more, and keeps the line open."""

    asked = threading.Event()
    over = threading.Event()

    def do_GET(self) -> None:
        self.send_error(404)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for word in ("These ", "words ", "were "):
            choice = {"index": 0, "delta": {"role": "assistant", "content": word}}
            event = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
            self.wfile.write(f"data: {json.dumps({**event, 'choices': [choice]})}\n\n".encode())
            self.wfile.flush()
        self.asked.set()
        self.over.wait(120)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.slow
@pytest.mark.promise("A1")
def test_a_kill_in_the_middle_of_an_answer_is_told_truly_after_a_restart(tmp_path: Path) -> None:
    """What was said is there, and the turn is called interrupted."""
    provider = ThreadingHTTPServer(("127.0.0.1", 0), _Slow)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    model = f"chat:http://127.0.0.1:{provider.server_address[1]}/v1#m"
    database = str(tmp_path / "director.db")
    with open_store(database) as store:
        save_run_workflow(store, WORKFLOW)
        choose_workflow_model(store, "w", model=model)
    try:
        with program(tmp_path, "--port", "0", "--store", database) as first:
            host, token = link_of(first)
            with httpx.Client(base_url=f"http://{host}", timeout=60) as browser:
                enter(browser, token)
                assert browser.post("/api/workflows/w/say", json={"text": "Go."}).status_code == 202
                assert _Slow.asked.wait(60)
                now = browser.get("/api/workflows/w/turn").json()
                assert now["turn"]["state"] == "running"
                first.send_signal(signal.SIGKILL)
                first.wait()
        port = host.rpartition(":")[2]
        with program(tmp_path, "--port", port, "--store", database) as second:
            host, token = link_of(second)
            with httpx.Client(base_url=f"http://{host}", timeout=60) as browser:
                enter(browser, token)
                now = browser.get("/api/workflows/w/turn").json()
                assert now["turn"]["state"] == "interrupted"
                assert "kept" in now["turn"]["text"]
                entries = browser.get("/api/workflows/w/entries").json()["entries"]
                assert [(one["kind"], one["text"]) for one in entries] == [("user", "Go.")]
                with browser.stream("GET", "/events", headers={"last-event-id": "old-7"}) as told:
                    lines = (line for line in told.iter_lines() if line.startswith("data: "))
                    assert json.loads(next(lines)[6:]) == {"reload": True}
    finally:
        _Slow.over.set()
        provider.shutdown()
        provider.server_close()
