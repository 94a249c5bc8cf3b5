"""`director proxy run`: a client that is started through a proxy of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from director.cli.proxy_run import add_arguments, find_providers
from director.testing.double import Double
from middleware import loops

TESTS = Path(__file__).parent.parent
CLIENT = """
import sys
from openai import OpenAI
from middleware.test_clients import chat_loop
with OpenAI(api_key="sk-secret", max_retries=0) as client:
    print(chat_loop(client)[-1]["content"])
sys.exit(3)
"""


def _run(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, "PYTHONPATH": str(TESTS), **environment}
    command = [sys.executable, "-m", "director.cli", "proxy", *args]
    return subprocess.run(
        command, env=given, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_client_runs_through_a_proxy_of_its_own_and_is_told_what_was_saved() -> None:
    """It finds the proxy by its variable, its exit code is kept, its output is its own."""
    with Double("openai", loops.reader(12)) as double:
        ended = _run(
            *("--budget", "3k", "run", "--", sys.executable, "-c", CLIENT),
            OPENAI_BASE_URL=double.openai_url,
        )
        assert double.defects == []
    assert ended.stdout.strip() == loops.answer(12)
    assert ended.returncode == 3
    assert "OpenAI/Python" in ended.stderr
    assert "→" in ended.stderr
    assert "sk-secret" not in ended.stderr


def test_a_client_that_is_not_there_is_said_in_one_line() -> None:
    """No proxy is left behind."""
    ended = _run("run", "--", "no-such-client")
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [
        "director proxy: cannot start 'no-such-client': No such file or directory. Nothing was sent."
    ]


def test_addresses_that_the_user_has_set_stay_the_upstreams() -> None:
    """Each API goes where it went before; without an address, to its provider."""
    found = find_providers({"OPENAI_API_BASE": "http://127.0.0.1:1/v1"})
    assert found["chat"] == found["responses"] == "http://127.0.0.1:1/v1"
    assert found["anthropic"] == "https://api.anthropic.com"


def test_codex_is_told_by_its_own_option() -> None:
    """It reads no variable; what the user gives it stays behind."""
    added = add_arguments(["/usr/bin/codex", "exec", "hello"], "http://127.0.0.1:1")
    assert added[1:3] == ["-c", 'openai_base_url="http://127.0.0.1:1/v1"']
    assert added[3:] == ["exec", "hello"]
    assert add_arguments(["claude", "-p"], "http://127.0.0.1:1") == ["claude", "-p"]
