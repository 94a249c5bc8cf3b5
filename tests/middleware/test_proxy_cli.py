"""`director proxy` as a program."""

from __future__ import annotations

import http.client
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

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


class Streaming(BaseHTTPRequestHandler):
    """An upstream that answers half, and the other half when it is let go."""

    protocol_version = "HTTP/1.1"
    rest = threading.Event()

    def do_GET(self) -> None:
        """Answer in two pieces."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", "10")
        self.end_headers()
        self.wfile.write(b"first")
        self.wfile.flush()
        self.rest.wait(60)
        self.wfile.write(b"-last")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_told_to_end_it_takes_no_more_requests_and_lets_answers_under_way_end() -> None:
    """SIGTERM in the middle of a stream: the stream is whole, then the program ends."""
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Streaming)
    serving = threading.Thread(target=upstream.serve_forever, daemon=True)
    serving.start()
    args = ["proxy", "--port", "0", "--upstream", f"http://127.0.0.1:{upstream.server_port}"]
    with subprocess.Popen(
        [sys.executable, "-m", "director.cli", *args], stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        port = int(program.stdout.readline().rpartition(":")[2].partition("/")[0])
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        idle = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        idle.connect()
        client.request("GET", "/v1/models")
        answer = client.getresponse()
        assert answer.read(5) == b"first"
        program.send_signal(signal.SIGTERM)
        # The idle connection is dropped: from then on nothing new is taken.
        assert idle.sock.recv(1) == b""
        with pytest.raises(OSError, match="refused"):
            http.client.HTTPConnection("127.0.0.1", port, timeout=60).connect()
        assert program.poll() is None
        Streaming.rest.set()
        assert answer.read() == b"-last"
        client.close()
        idle.close()
        program.communicate(timeout=60)
    assert program.returncode == 0
    upstream.shutdown()
    upstream.server_close()


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
