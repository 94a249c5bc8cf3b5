"""Clients that dribble, never end or never read, on the app and the proxy; others are served."""

from __future__ import annotations

import asyncio
import os
import re
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from director.agent import ensure_current_thread
from director.agent.agent_session import Opens
from director.middleware.proxy import http_lines
from director.store import EntryDraft, Store
from director.testing.double import Double
from director.web import connections
from director.web.app_server import Served, bind_server_socket, make_app_server, open_served_app
from director.web.app_state import AppState
from middleware.test_proxy import proxied
from web.rooms import a_studio, key_of

LIMIT = 60.0  # seconds in which what must happen has happened, also on a busy machine
HEAD = b"POST /launch HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
BODY = HEAD + b"content-type: application/json\r\ncontent-length: 900\r\n\r\n{"
# Whatever a client may stop at: nothing sent, half a line, half a head, half a body.
STOPS = (b"", b"PO", HEAD, BODY)


@contextmanager
def served(
    store: Store, folder: Path, *, opens: Opens | None = None
) -> Iterator[tuple[AppState, Served, int]]:
    """The app on a port; `opens` opens its models."""
    listening = bind_server_socket("127.0.0.1", 0)
    studio = a_studio(store, folder, opens=opens)
    given = open_served_app(store, listening)
    studio.names, studio.sessions = given.names, given.sessions
    server = make_app_server(studio)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
    thread.start()
    try:
        yield studio, server, listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(LIMIT)
        listening.close()


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DIRECTOR_MODEL", "scripted:test")


def stalled(port: int, sent: bytes = b"") -> socket.socket:
    """A connection that has sent a part of a request."""
    made = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
    made.sendall(sent % port if b"%d" in sent else sent)
    return made


def dribbled(one: socket.socket) -> bytes:
    """What a client is told that sends a byte now and then, until it is sent away."""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        ready, _, _ = select.select([one], [], [], 0.05)
        try:
            if ready:
                return one.recv(65_536)
            one.sendall(b"x")
        except OSError:
            return b""  # the connection was cut while something was still under way
    raise AssertionError("it is still served")


def until(true: Callable[[], bool]) -> None:
    """Wait for something that another thread brings about."""
    end = time.monotonic() + LIMIT
    while not true():
        assert time.monotonic() < end, "it did not come"
        threading.Event().wait(0.02)


@pytest.mark.attack(
    "A client of the app sends its head or its body byte by byte (slowloris)",
    must="it is sent away in time with 408, whatever it has sent; a second client gets its page",
    tries=4,
)
@pytest.mark.parametrize("stop", STOPS)
def test_a_client_that_dribbles_is_sent_away(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: bytes
) -> None:
    """Each byte comes before any pause would be too long; the whole never comes."""
    monkeypatch.setattr(connections, "ARRIVES", 1.0, raising=False)
    with served(store, tmp_path) as (studio, _, port), stalled(port, stop) as slow:
        page = httpx.get(f"http://127.0.0.1:{port}/", headers=key_of(studio), timeout=LIMIT)
        assert page.status_code == 200
        told = dribbled(slow)
        assert not told or told.startswith(b"HTTP/1.1 408 ") or b" 400 " in told


@pytest.mark.attack(
    "After a refusal, a client goes on to send the body that nobody wants, without end",
    must="it is sent away in time",
)
def test_a_body_that_nobody_wants_is_not_waited_for(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is there at once; the connection must not stay for the rest."""
    monkeypatch.setattr(connections, "ARRIVES", 1.0, raising=False)
    head = b"POST /api/workflows HTTP/1.1\r\nHost: 127.0.0.1:%d\r\ncontent-length: 900000\r\n\r\n"
    with served(store, tmp_path) as (_, server, port), stalled(port, head) as slow:
        assert b" 401 " in slow.recv(65_536)
        until(lambda: (_sent(slow), not server.server_state.connections)[1])


def _sent(slow: socket.socket) -> None:
    try:
        slow.sendall(b"x")
    except OSError:
        return


@pytest.mark.attack(
    "A client asks for much and never reads it",
    must="the connection is ended in time; a second client gets its page",
)
def test_a_client_that_never_reads_is_sent_away(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive of many megabytes, of which the client takes what its system takes."""
    monkeypatch.setattr(connections, "READS", 1.0, raising=False)
    with served(store, tmp_path) as (studio, server, port):
        key = key_of(studio)
        thread = ensure_current_thread(store, "w")
        store.append(thread, [EntryDraft("user", {"text": "x" * 500_000}) for _ in range(40)])
        head = (
            b"GET /api/workflows/w/export?form=archive HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
            b"authorization: " + key["authorization"].encode() + b"\r\n\r\n"
        )
        with stalled(port, head) as slow:
            page = httpx.get(f"http://127.0.0.1:{port}/", headers=key, timeout=LIMIT)
            assert page.status_code == 200
            assert slow.recv(15) == b"HTTP/1.1 200 OK"
            until(lambda: not server.server_state.connections)


@pytest.mark.attack(
    "Many event streams are opened and kept",
    must="a bounded number; the next is told so, and pages are served",
)
def test_event_streams_are_bounded(store: Store, tmp_path: Path) -> None:
    """Those of one browser are one; nobody needs hundreds."""
    with served(store, tmp_path) as (studio, _, port), ExitStack() as stack:
        key = key_of(studio)
        base = f"http://127.0.0.1:{port}"
        client = stack.enter_context(
            httpx.Client(base_url=base, headers=key, timeout=LIMIT, limits=httpx.Limits())
        )
        found, kept = [], []
        for _ in range(130):
            stream = stack.enter_context(client.stream("GET", "/events"))
            found.append(stream.status_code)
            if stream.status_code == 200:
                kept.append(stream.iter_raw())
                next(kept[-1])
        assert set(found) == {200, 503}
        assert client.get("/").status_code == 200


@contextmanager
def program(folder: Path, files: int, *words: str) -> Iterator[str]:
    """A program that may open few files; the line that it prints first."""
    limited = ["sh", "-c", f'ulimit -n {files}; exec "$0" "$@"']
    command = [*limited, sys.executable, "-m", "director.cli", *words]
    environ = {**os.environ, "DIRECTOR_HOME": str(folder)}
    made = subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert made.stdout is not None
        yield made.stdout.readline()
    finally:
        made.kill()
        made.wait(LIMIT)
        assert made.stdout is not None
        made.stdout.close()


def _port(line: str) -> int:
    found = re.search(r":(\d+)", line)
    assert found, line
    return int(found[1])


@pytest.mark.attack(
    "More connections than the program may have files are opened and left, app and proxy",
    must="the oldest give way; a second client gets its page meanwhile",
    tries=8,
)
@pytest.mark.parametrize(
    ("words", "path", "files", "count"),
    [
        (("app", "--no-open", "--port", "0"), "/", 320, 400),
        pytest.param(
            ("proxy", "--port", "0", "--upstream", "http://127.0.0.1:9"),
            "/director",
            460,
            560,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_crowd_of_stalled_clients_keeps_nobody_out(
    tmp_path: Path, words: tuple[str, ...], path: str, files: int, count: int
) -> None:
    """Nothing sent, half a line, half a head, half a body: a quarter each."""
    with program(tmp_path, files, *words) as line, ExitStack() as stack:
        port = _port(line)
        crowd = [
            stack.enter_context(stalled(port, STOPS[nth % len(STOPS)])) for nth in range(count)
        ]
        headers = {"accept": "text/html"}
        answer = httpx.get(f"http://127.0.0.1:{port}{path}", headers=headers, timeout=LIMIT)
        assert answer.status_code == 200
        # At least half of the files are left for who comes next.
        until(lambda: len(select.select(crowd, [], [], 0)[0]) >= count - files // 2)


@pytest.mark.attack(
    "A client of the proxy sends its request byte by byte, or more than anyone takes",
    must="408 or 413, and nothing reaches the provider",
    tries=5,
)
def test_a_request_that_never_ends_reaches_no_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow heads, slow bodies, and a body without end."""
    monkeypatch.setattr(http_lines, "ARRIVES", 1.0, raising=False)
    monkeypatch.setattr(http_lines, "BODY_AT_MOST", 1_000_000, raising=False)
    with Double("openai", []) as double, proxied(double.url) as proxy:
        for stop in STOPS[1:]:
            with stalled(proxy.port, stop) as slow:
                told = dribbled(slow)
                assert not told or told.startswith(b"HTTP/1.1 408 "), told
        endless = HEAD + b"transfer-encoding: chunked\r\n\r\n"
        with stalled(proxy.port, endless) as large:
            told = b""
            large.settimeout(LIMIT)
            with suppress(OSError):  # what was still under way when it was refused
                for _ in range(200):
                    ready, _, _ = select.select([large], [], [], 0)
                    if ready:
                        break
                    large.sendall(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
                told = large.recv(65_536)
            assert not told or told.startswith((b"HTTP/1.1 413 ", b"HTTP/1.1 408 ")), told
        assert double.exchanges == []


@pytest.mark.attack(
    "A client of the proxy asks for a stream and never reads it",
    must="it is dropped in time, and so is the provider's connection; a second client is answered",
)
def test_a_stream_that_nobody_reads_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider would send without end."""
    monkeypatch.setattr(http_lines, "READS", 1.0, raising=False)
    dropped = threading.Event()

    def speak(line: socket.socket) -> None:
        line.recv(65_536)
        line.sendall(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        try:
            while True:
                line.sendall(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        except TimeoutError:
            return  # it was held up, and is not dropped
        except OSError:
            dropped.set()

    with socket.create_server(("127.0.0.1", 0)) as provider:
        url = f"http://127.0.0.1:{provider.getsockname()[1]}"
        with proxied(url) as proxy:
            with stalled(proxy.port, b"GET /v1/x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"):
                line, _ = provider.accept()
                line.settimeout(LIMIT)
                thread = threading.Thread(target=speak, args=(line,), daemon=True)
                thread.start()
                page = httpx.get(f"{proxy.url}/director", timeout=LIMIT)
                assert page.status_code == 200
                assert dropped.wait(LIMIT)
            line.close()
