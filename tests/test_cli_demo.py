"""`director demo`: says where and how, ends politely, and names a port that is taken."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from urllib.request import ProxyHandler, build_opener

import pytest

from director.demo.site.values import MAIL_PASSWORD, SHOP_PASSWORD, USER


def command(*arguments: str) -> list[str]:
    """How the command is started."""
    return [sys.executable, "-m", "director.cli", "demo", *arguments]


def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, run to its end, in plain words."""
    plain = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, check=False, env=plain, timeout=60
    )


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_stopped(stop: signal.Signals) -> None:
    """It prints the address, the logins and what to try; the end is no error."""
    with subprocess.Popen(command("--port", "0"), stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            said = ""
            for line in running.stdout:
                said += line
                if line.startswith("Ctrl-C"):
                    break
            url = said.split()[5]
            with build_opener(ProxyHandler({})).open(url, timeout=60) as page:
                assert b"A site to practise on" in page.read()
            running.send_signal(stop)
            rest, _ = running.communicate(timeout=60)
        finally:
            running.kill()
    assert running.returncode == 0
    assert "Ended." in rest
    for word in (USER, MAIL_PASSWORD, SHOP_PASSWORD, "/api/state", "?redesign=1"):
        assert word in said


def test_a_port_that_is_taken_is_said_in_one_line() -> None:
    """With exit code 2 and what to do."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        told = ran("--port", port)
    assert told.returncode == 2
    assert told.stdout == ""
    assert told.stderr.count("\n") == 1
    assert f"cannot listen on port {port}" in told.stderr
    assert "--port 0" in told.stderr


def test_help_teaches() -> None:
    """What it is, each option, and what to try."""
    told = ran("--help")
    assert told.returncode == 0
    for word in ("--port", "--redesign", "--seed", "Try it", "/api/state"):
        assert word in told.stdout
