"""The command line, as a person meets it: help, one clear line for mistakes, a double that runs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from anthropic import Anthropic
from openai import APIConnectionError, AuthenticationError, BadRequestError, OpenAI
from typer.testing import CliRunner

from director.cli import app
from director.cli.double import EXAMPLE, friendly
from director.cli.double_output import ExchangePrinter
from director.models.script_engines.load import load_script_engine_text
from director.testing.double import PROFILES, Double, Fault

SCRIPTS = Path(__file__).parent.parent / "docs" / "scripts"
MODEL = "gpt-6-sol"


def _run(*arguments: str) -> tuple[int, str, str]:
    ran = CliRunner().invoke(app, list(arguments))
    return ran.exit_code, ran.stdout, ran.stderr


class Running:
    """A double in a process of its own, with what it printed first."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.exports: dict[str, str] = {}
        self.heading = ""
        assert process.stdout is not None
        for line in process.stdout:
            self.heading += line
            if line.startswith("export "):
                name, _, value = line.removeprefix("export ").strip().partition("=")
                self.exports[name] = value
            if line.startswith("Control:"):
                break

    def stop(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Stop it as a person would; its exit code and all that it printed since."""
        self.process.send_signal(number)
        printed, _ = self.process.communicate(timeout=60)
        return self.process.returncode, printed


@contextmanager
def _running(*arguments: str) -> Iterator[Running]:
    command = [sys.executable, "-m", "director.cli", "double", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "NO_COLOR": "1"}
    ) as process:
        try:
            yield Running(process)
        finally:
            process.kill()


def _client(running: Running) -> OpenAI:
    return OpenAI(
        base_url=running.exports["OPENAI_BASE_URL"],
        api_key=running.exports["OPENAI_API_KEY"],
        max_retries=0,
    )


def test_help_teaches() -> None:
    """Without arguments and with --help the command says what to try."""
    for arguments in ((), ("--help",)):
        _, out, err = _run(*arguments)
        assert "director double" in out + err
    code, out, _ = _run("double", "--help")
    assert code == 0
    for option in ("--profile", "--script", "--port", "--clock", "--fault", "--key", "--check"):
        assert option in out
    assert "--example" in out


def test_the_version_is_said() -> None:
    """One line with the name and a number."""
    code, out, _ = _run("--version")
    assert code == 0
    assert out.startswith("director 0.")


def test_the_example_is_a_script() -> None:
    """What --example prints can be played, and is the one of the documentation."""
    code, out, _ = _run("double", "--example")
    assert code == 0
    assert load_script_engine_text(out) is not None
    assert (SCRIPTS / "rules.json").read_text().rstrip() == EXAMPLE


def test_all_profiles_are_listed() -> None:
    """`--profile list` has a line for each."""
    code, out, _ = _run("double", "--profile", "list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(PROFILES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--profile", "opnai"), 'there is no profile "opnai" (did you mean "openai"?)'),
        (("--script", "none.json"), "none.json: cannot be read"),
        (("--fault", "rate_limt"), 'fault 1: kind: there is no kind of fault "rate_limt"'),
        (("--fault", "{"), "fault 1: this is not JSON"),
        (("--fault", '{"kind": "quota", "nht": 2}'), 'no key "nht" here (did you mean "nth"?)'),
        (("--fault", '{"kind": "quota", "endpoint": "x"}'), "no such endpoint: x"),
    ],
)
def test_a_mistake_is_one_clear_line_and_code_2(arguments: tuple[str, ...], message: str) -> None:
    """Nothing starts, and nobody sees a traceback."""
    code, out, err = _run("double", *arguments)
    assert code == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("director double: ")
    assert message in err


def test_a_script_with_a_mistake_names_its_place(tmp_path: Path) -> None:
    """The path of the file and the place in it."""
    (tmp_path / "bad.json").write_text('[["a"], [{"sya": "b"}]]')
    code, _, err = _run("double", "--script", str(tmp_path / "bad.json"))
    assert code == 2
    assert "bad.json: steps[1][0]: " in err


def test_a_port_in_use_is_said() -> None:
    """The port is named, and the code is 2."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, err = _run("double", "--port", str(port))
    assert code == 2
    assert err.startswith(f"director double: cannot listen on port {port}: ")


def test_a_client_talks_to_it_and_the_verdict_is_clean() -> None:
    """Without a script it echoes; each request is a line; Ctrl-C prints books and verdict."""
    with _running("--check") as running:
        with _client(running) as client:
            assert client.responses.create(model=MODEL, input="Hi").output_text == "You said: Hi"
        code, printed = running.stop()
    assert code == 0
    assert "200 POST   /v1/responses  " in printed
    assert "1 requests, 1 answers" in printed
    assert "The client made no mistake." in printed


def test_a_broken_rule_is_printed_and_checked() -> None:
    """With --check a defect gives code 1, and the rule stands beside the request."""
    with _running("--script", str(SCRIPTS / "hello.json"), "--check") as running:
        with _client(running) as client:
            first = client.responses.create(model=MODEL, input="Hi")
            with pytest.raises(BadRequestError):
                client.responses.create(model=MODEL, input="Hi", previous_response_id=first.id)
        code, printed = running.stop()
    assert code == 1
    assert "R3: No tool output found for function call" in printed
    assert "no mistake" not in printed


def test_without_check_the_code_is_0_whatever_the_client_did() -> None:
    """The verdict is printed all the same, also on SIGTERM."""
    with _running() as running:
        with _client(running) as client, pytest.raises(BadRequestError):
            client.responses.create(model=MODEL, input="Hi", extra_body={"tool": 1})
        code, printed = running.stop(signal.SIGTERM)
    assert code == 0
    assert "R13: Unknown parameter: 'tool'." in printed


def test_faults_keys_and_the_virtual_clock_are_taken() -> None:
    """A fault strikes, a wrong key is refused, a given key is printed."""
    arguments = ("--fault", '{"kind": "server_error", "with": {"status": 503}}', "--key", "sk-mine")
    with _running(*arguments, "--clock", "virtual") as running:
        assert running.exports["OPENAI_API_KEY"] == "sk-mine"
        with _client(running) as client:
            patient = client.with_options(max_retries=2)
            assert patient.responses.create(model=MODEL, input="a").output_text == "You said: a"
            with pytest.raises(AuthenticationError):
                client.with_options(api_key="sk-other").responses.create(model=MODEL, input="b")
        code, printed = running.stop()
    assert code == 0
    assert "503 POST   /v1/responses  fault: server_error" in printed


def test_anthropic_is_played_too() -> None:
    """The profile decides which lines to export."""
    with _running("--profile", "anthropic") as running:
        assert set(running.exports) == {"ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"}
        url, key = running.exports["ANTHROPIC_BASE_URL"], running.exports["ANTHROPIC_API_KEY"]
        with Anthropic(base_url=url, api_key=key, max_retries=0) as client:
            said = client.messages.create(
                model="claude-sonnet-5-5",
                max_tokens=100,
                messages=[{"role": "user", "content": "Hi"}],
            )
        running.stop()
    assert [block.text for block in said.content if block.type == "text"] == ["You said: Hi"]


def test_a_script_that_runs_out_is_printed() -> None:
    """The script's own error is told apart from the client's."""
    with _running("--script", str(SCRIPTS / "hello.json")) as running:
        with _client(running) as client:
            for text in ("a", "b"):
                client.responses.create(model=MODEL, input=text)
            with pytest.raises(Exception, match="asked for step 3"):
                client.responses.create(model=MODEL, input="c")
        _, printed = running.stop()
    assert "The script failed: the tape has 2 steps and was asked for step 3" in printed


def test_each_request_is_printed_once_also_after_a_reset(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Numbers begin again after a reset, and nothing is lost or printed twice."""
    with Double("openai", friendly()) as double:
        watch = ExchangePrinter(double)
        watch.begin("sk-x")
        with OpenAI(base_url=double.openai_url, api_key="sk-x", max_retries=0) as client:
            client.responses.create(model=MODEL, input="one")
            watch.print_new(ended=True)
            watch.print_new(ended=True)
            double.reset()
            client.responses.create(model=MODEL, input="two")
            with pytest.raises(BadRequestError):
                client.responses.create(model=MODEL, input="three", previous_response_id="resp_x")
        assert not watch.end()
    printed = capsys.readouterr().out
    assert printed.count("200 POST   /v1/responses") == 2
    assert printed.count("400 POST   /v1/responses") == 1
    assert "2 requests, 1 answers" in printed


def test_a_request_that_was_never_answered_is_printed_at_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A reset before the headers leaves no status, but a line."""
    fault = Fault("reset_before_headers")
    with Double("openai", friendly(), faults=[fault]) as double:
        watch = ExchangePrinter(double)
        client = OpenAI(base_url=double.openai_url, api_key="sk-x", max_retries=0)
        with client, pytest.raises(APIConnectionError):
            client.responses.create(model=MODEL, input="one")
        watch.end()
    assert "--- POST   /v1/responses  fault: reset_before_headers" in capsys.readouterr().out


def test_the_command_starts_without_what_it_does_not_need() -> None:
    """Help must be quick: no client library, no price list, no server."""
    code = (
        "import sys, director.cli; "
        "heavy = ['openai', 'anthropic', 'genai_prices', 'h11', 'director.testing']; "
        "sys.exit(str([name for name in heavy if name in sys.modules] or '') or None)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert ran.returncode == 0
