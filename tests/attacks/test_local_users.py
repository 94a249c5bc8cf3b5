"""Other users of this machine: they reach every port of loopback and read what is not private."""

from __future__ import annotations

import http.client
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from attacks.strangers import stranger
from director.cli import app
from director.middleware.proxy import Proxy
from director.runs.run_queue import Queue, make_queue_url
from director.store import EntryDraft, open_store
from middleware import loops
from middleware.test_proxy import proxied

TOKEN = "a-token-that-nobody-knows"  # noqa: S105  of this test
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "stranger", "version": "1"},
    },
}


@contextmanager
def command(*arguments: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    """A command of Director as a program."""
    around = {**os.environ, **env}
    with subprocess.Popen(
        [sys.executable, "-m", "director.cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=around,
    ) as program:
        try:
            yield program
        finally:
            program.terminate()


def asked(port: int, path: str = "/mcp", **headers: str) -> tuple[int, str]:
    """What a request of a stranger is answered."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    usual = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    connection.request("POST", path, json.dumps(_HELLO), usual)
    answer = connection.getresponse()
    said = answer.status, answer.read().decode()
    connection.close()
    return said


@pytest.mark.attack(
    "Another user of the machine, or a page in a browser, uses the MCP tools over HTTP",
    must="nothing is answered without the token, under another name, or to a page; the token is "
    "in a file of mode 600 only",
    tries=7,
)
@pytest.mark.promise("E1")
def test_the_tools_over_http_need_the_token(tmp_path: Path) -> None:
    """Who starts it can use it; nobody else."""
    home = tmp_path / "home"
    with command("mcp", "--http", "0", DIRECTOR_HOME=str(home), DIRECTOR_MCP_TOKEN="") as program:
        assert program.stdout is not None
        port = int(program.stdout.readline().split(":")[-1].split("/")[0])
        said = program.stdout.readline()
        file = home / f"mcp-{port}.token"
        assert str(file) in said
        token = file.read_text().strip()
        assert token not in said
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        bearer = f"Bearer {token}"
        assert asked(port)[0] == 401
        assert asked(port, Authorization="Bearer ")[0] == 401
        assert asked(port, Authorization=f"Bearer {token[:-1]}")[0] == 401
        assert asked(port, Authorization=f"Basic {token}")[0] == 401
        assert asked(port, f"/mcp?token={token}")[0] == 401
        assert asked(port, Authorization=bearer, Host=f"evil.example:{port}")[0] == 421
        assert asked(port, Authorization=bearer, Origin=f"http://127.0.0.1:{port}")[0] == 403
        status, answer = asked(port, Authorization=bearer)
        assert (status, "serverInfo" in answer) == (200, True)
        program.terminate()
        program.wait(120)
    assert not file.exists()


@pytest.mark.attack(
    "The MCP token is one that can be guessed",
    must="it is not served",
)
def test_a_short_token_is_refused(tmp_path: Path) -> None:
    """Of the environment, where the user chooses it."""
    env = {"DIRECTOR_HOME": str(tmp_path), "DIRECTOR_MCP_TOKEN": "secret"}
    ran = CliRunner().invoke(app, ["mcp", "--http", "0"], env=env)
    assert ran.exit_code == 2
    assert "others could guess it" in ran.stderr


@pytest.mark.attack(
    "A client of the proxy without a key reads what another one without a key sent",
    must="404: each has its own originals, by its connection or by the session it names",
    tries=4,
)
def test_clients_without_a_key_share_no_originals() -> None:
    """The same connection, or the same session, reads its own."""
    with stranger() as upstream, proxied(upstream.url, 3_000) as proxy:
        mine = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=120)
        assert _sent(mine) == 200
        assert _recalled(mine)[0] == 200
        assert loops.page(0) in _recalled(mine)[1]
        other = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=120)
        assert _recalled(other)[0] == 404
        assert _recalled(other, **{"X-Director-Thread": "main"})[0] == 404
        assert _recalled(other, **{"X-Director-Session": ""})[0] == 404
        session = {"X-Director-Session": "a-session-nobody-guesses"}
        assert _sent(mine, **session) == 200
        assert _recalled(other, **session)[0] == 200
        assert _recalled(other, **{"X-Director-Session": "another"})[0] == 404
        for each in (mine, other):
            each.close()


@pytest.mark.attack(
    "A client of the proxy with the key that everybody has for a local server reads what another "
    "one sent",
    must="404, unless both name one session",
    tries=4,
)
@pytest.mark.parametrize("key", ["Bearer ollama", "Bearer EMPTY", "Bearer sk-no-key-required", "x"])
def test_clients_with_a_placeholder_for_a_key_share_no_originals(key: str) -> None:
    """A key of one's own reads its originals on any connection."""
    with stranger() as upstream, proxied(upstream.url, 3_000) as proxy:
        mine, other = (
            http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=120) for _ in range(2)
        )
        shared = {"Authorization": key}
        assert _sent(mine, **shared) == 200
        assert _recalled(other, **shared)[0] == 404
        session = {**shared, "X-Director-Session": "a-session-nobody-guesses"}
        assert _sent(mine, **session) == 200
        assert _recalled(other, **session)[0] == 200
        own = {"Authorization": "Bearer sk-proj-0123456789abcdef"}
        assert _sent(mine, **own) == 200
        assert _recalled(other, **own)[0] == 200
        for each in (mine, other):
            each.close()


@pytest.mark.attack(
    "A server listens to other machines without a password",
    must="refused in words before anything listens",
    tries=5,
)
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "somewhere.example"])  # noqa: S104
def test_nothing_listens_beyond_loopback_without_a_password(host: str, tmp_path: Path) -> None:
    """The app and the proxy; the others listen on loopback only, and take no address."""
    env = {"DIRECTOR_HOME": str(tmp_path), "DIRECTOR_PASSWORD": "", "DIRECTOR_STORE": ""}
    for name in ("proxy", "app"):
        ran = CliRunner().invoke(app, [name, "--host", host, "--port", "0"], env=env)
        assert ran.exit_code == 2, name
        assert "there is no password. Nothing was started." in ran.stderr
    for name in ("mcp", "double", "demo", "worker"):
        ran = CliRunner().invoke(app, [name, "--host", host], env=env)
        assert (ran.exit_code, "No such option" in ran.stderr) == (2, True)


@pytest.mark.attack(
    "A client from elsewhere uses a proxy that listens to others, without its password",
    must="401 on every path, and nothing goes upstream",
    tries=4,
)
def test_a_proxy_that_others_reach_asks_for_its_password() -> None:
    """The password travels in a header of its own, which is not passed on."""
    with stranger() as upstream:
        made = Proxy(3_000, upstream.url, password=TOKEN)
        with proxied(upstream.url, made=made) as proxy:
            connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=120)
            wrong = {"X-Director-Password": "wrong"}
            assert _sent(connection) == 401
            assert _sent(connection, **wrong) == 401
            assert _recalled(connection, **wrong)[0] == 401
            connection.request("GET", "/director/state", headers=wrong)
            answer = connection.getresponse()
            assert (answer.status, TOKEN.encode() in answer.read()) == (401, False)
            assert upstream.requests == []
            assert _sent(connection, **{"X-Director-Password": TOKEN}) == 200
            connection.close()
    assert len(upstream.requests) == 1
    assert TOKEN not in json.dumps(upstream.requests)


@pytest.mark.attack(
    "Another user reads the store, its log, its queue, an export or a folder of the user",
    must="every file has mode 600 and every folder 700, whatever the umask; a store that was "
    "readable is closed, and that is said",
    tries=6,
)
@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    """Made by the library and by the command, under the most open umask."""
    before = os.umask(0)
    try:
        file = tmp_path / "made" / "director.db"
        env = {"DIRECTOR_HOME": str(tmp_path / "deep" / "home"), "DIRECTOR_STORE": ""}
        file.parent.mkdir(mode=0o700)
        with open_store(file) as store:
            store.append("t1", [EntryDraft("user", {"text": "Private."})])
            with Queue(make_queue_url(store.url)):
                pass
            made = [*file.parent.iterdir()]
            assert {"director.db", "director.db-wal", "director-queue.db"} <= {
                each.name for each in made
            }
            assert {each.name: _mode(each) for each in made} == {each.name: 0o600 for each in made}
        out = tmp_path / "export.jsonl"
        arguments = ["export", "--thread", "t1", "-o", str(out), "--store", str(file)]
        assert CliRunner().invoke(app, arguments, env=env).exit_code == 0
        assert _mode(out) == 0o600
        os.umask(0)
        assert CliRunner().invoke(app, ["import", str(out)], env=env).exit_code == 0
        inside = [*(tmp_path / "deep").rglob("*"), tmp_path / "deep"]
        assert {_mode(each) & 0o077 for each in inside} == {0}
        file.chmod(0o644)
        told = CliRunner().invoke(app, ["verify", "--store", str(file)], env=env)
        assert told.exit_code == 0
        assert "Others on this machine could read" in told.stderr
        assert _mode(file) == 0o600
    finally:
        os.umask(before)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _sent(connection: http.client.HTTPConnection, **headers: str) -> int:
    """Send a history that is too long, so that the proxy keeps originals of it."""
    history = [{"role": "user", "content": loops.REQUEST}, *loops.turns(10)]
    body = json.dumps({"model": "gpt-6.1-terra", "messages": history})
    kind = {"Content-Type": "application/json", **headers}
    connection.request("POST", "/v1/chat/completions", body, kind)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def _recalled(connection: http.client.HTTPConnection, **headers: str) -> tuple[int, str]:
    connection.request("GET", "/director/recall/t1", headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()
