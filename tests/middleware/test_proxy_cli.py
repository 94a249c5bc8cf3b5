"""`director proxy` as a program."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from openai import OpenAI

from director.cli.proxy import tokens
from director.testing.double import Double
from middleware import loops
from middleware.test_clients import chat_loop


def test_the_command_says_what_to_change_and_tells_at_the_end_what_it_saved() -> None:
    """The printed address works, and Ctrl-C ends it with a line for each client."""
    with Double("openai", loops.reader(12)) as double:
        args = ["proxy", "--port", "0", "--budget", "3k", "--upstream", double.url]
        with subprocess.Popen(
            [sys.executable, "-m", "director.cli", *args], stdout=subprocess.PIPE, text=True
        ) as program:
            assert program.stdout is not None
            said = program.stdout.readline().strip()
            assert program.stdout.readline().startswith("export ANTHROPIC_BASE_URL=")
            url = said.removeprefix("export OPENAI_BASE_URL=")
            with OpenAI(base_url=url, api_key="sk-secret", max_retries=0) as client:
                assert chat_loop(client)[-1]["content"] == loops.answer(12)
            program.send_signal(signal.SIGINT)
            rest, _ = program.communicate(timeout=60)
        assert program.returncode == 0
        assert "OpenAI/Python" in rest
        assert "sk-secret" not in rest
        assert double.defects == []


@pytest.mark.parametrize(
    ("text", "number"), [("100k", 100_000), ("1m", 1_000_000), ("1.5k", 1_500), ("20_000", 20_000)]
)
def test_a_budget_may_be_written_short(text: str, number: int) -> None:
    """As people write numbers of tokens."""
    assert tokens(text) == number


@pytest.mark.parametrize("text", ["", "k", "many", "-5", "0"])
def test_what_is_no_budget_is_refused_with_an_example(text: str) -> None:
    """The message says how to write it."""
    with pytest.raises(ValueError, match="such as 100000 or 100k"):
        tokens(text)


def test_what_cannot_be_started_is_said_in_one_line() -> None:
    """Exit code 2, as for the other commands."""
    args = ["proxy", "--upstream", "nowhere"]
    ended = subprocess.run(
        [sys.executable, "-m", "director.cli", *args], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("director proxy: an upstream is an address such as")
