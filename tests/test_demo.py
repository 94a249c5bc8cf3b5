"""The demonstration: what a stranger sees first."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from director.demo.__main__ import main
from director.demo.cost_replay import ReplayTotals, calls, replay, usual_budget
from director.demo.recording import BadRecordingError, Message, load_shipped, parse
from director.demo.screen import Screen, short


def run_of(pages: int) -> list[Message]:
    """A small run: one request, then a page after each call."""
    messages: list[Message] = [
        {"role": "system", "content": "You buy things. " * 20},
        {"role": "user", "content": "Buy the cheapest red mug."},
    ]
    for at in range(pages):
        called = {"id": f"c{at}", "type": "function"}
        called |= {"function": {"name": "look", "arguments": json.dumps({"page": at})}}
        rows = (f'- link "Mug {at}{n}" [ref=e{n}]: EUR {n * 7 % 90}.50' for n in range(60))
        messages += [
            {"role": "assistant", "content": f"Page {at}.", "tool_calls": [called]},
            {"role": "tool", "tool_call_id": f"c{at}", "content": "\n".join(rows)},
        ]
    return [*messages, {"role": "assistant", "content": "Bought it."}]


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    """The small run as a file."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run_of(8)))
    return path


def test_it_shows_every_call_the_cuts_and_a_measured_total(
    run_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Heading, one row a call, what was cut, and the last word."""
    assert main(["--run", str(run_file)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "Director replays run.json"
    rows = [line for line in shown if line.lstrip().split(" ")[0].isdigit() and "%" in line]
    assert len(rows) == 9
    assert any(line.startswith("What was cut") for line in shown)
    totals = ReplayTotals()
    messages = run_of(8)
    for step in replay(messages, usual_budget(messages)):
        totals = totals.plus(step)
    expected = f"sent {totals.fewer:.0%} fewer tokens, cost {totals.relative:.0%} of sending"
    assert any(line.startswith(expected) for line in shown)


def test_every_original_that_was_cut_can_be_read_back(
    run_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The demonstration compares what recall returns with the recording."""
    main(["--run", str(run_file)])
    assert "Nothing is lost" in capsys.readouterr().out


def test_no_line_is_wider_than_a_narrow_terminal(
    run_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty columns, as on a phone, are enough."""
    monkeypatch.setenv("COLUMNS", "60")
    main(["--run", str(run_file)])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60


def test_a_file_gets_no_colours(run_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Output that is not a terminal holds no escape sequence."""
    main(["--run", str(run_file)])
    assert "\x1b" not in capsys.readouterr().out


def test_text_of_a_page_cannot_move_the_cursor() -> None:
    """Control characters in a recording are not sent to the terminal."""
    assert Screen().one_line("a\x1b[2Jb\x07\r\nc", 40) == "a [2Jb c"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("no json", "line 1 of 'run.json' is not JSON"),
        ("[1]", "item 1 of 'run.json' is not a chat message"),
        ("{}", "neither a list of messages"),
        ('[{"role": "user", "content": "hi"}]', "no answer of an assistant"),
        ("", "no answer of an assistant"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_a_bad_file_is_refused_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, sentence: str
) -> None:
    """The exit code is 2 and the sentence says what is wrong."""
    path = tmp_path / "run.json"
    path.write_text(content)
    assert main(["--run", str(path)]) == 2
    assert sentence in capsys.readouterr().err


def test_a_missing_file_is_refused_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names the file."""
    assert main(["--run", str(tmp_path / "gone.json")]) == 2
    assert "gone.json': no such file" in capsys.readouterr().err


def test_bytes_that_are_no_text_are_refused() -> None:
    """Neither text nor gzip."""
    with pytest.raises(BadRecordingError, match="neither text"):
        parse(b"\xff\xfe\x00", "x")
    with pytest.raises(BadRecordingError, match="whole gzip"):
        parse(gzip.compress(b"[]" * 99)[:-9], "x")


def test_json_lines_and_gzip_hold_the_same_run() -> None:
    """The form of the file does not matter."""
    messages = run_of(2)
    lines = "\n".join(map(json.dumps, messages)).encode()
    whole = json.dumps({"messages": messages}).encode()
    runs = whole + b"\n" + whole
    assert parse(lines, "x") == parse(gzip.compress(whole), "x") == parse(runs, "x") == messages


def test_the_shipped_run_is_long_enough_to_show_something() -> None:
    """`./run --engine` without arguments has a run to replay."""
    assert len(calls(load_shipped())) >= 20


def test_a_call_sends_everything_said_before_it() -> None:
    """One model call for each answer of the assistant."""
    messages = run_of(2)
    assert [messages[end]["role"] for end in calls(messages)] == ["assistant"] * 3


def test_sending_everything_costs_the_same_when_nothing_is_cut() -> None:
    """With room enough and only small results, both costs are equal and nothing is rewritten."""
    messages: list[Message] = [{"role": "user", "content": "Hello. " * 900}]
    for at in range(4):
        messages += [
            {"role": "assistant", "content": f"Answer {at}."},
            {"role": "user", "content": "More."},
        ]
    steps = list(replay(messages, 10**9))
    assert [step.sent_cost for step in steps] == [step.raw_cost for step in steps]
    assert not any(step.rewrite for step in steps)
    assert steps[1].raw_cost < steps[1].raw / 2


@pytest.mark.parametrize(
    ("tokens", "text"), [(0, "0"), (999, "999"), (9_400, "9.4k"), (99_960, "100k"), (2e6, "2.0M")]
)
def test_numbers_take_five_characters_at_most(tokens: float, text: str) -> None:
    """So that the columns hold."""
    assert short(tokens) == text


def test_help_teaches_in_a_fresh_process() -> None:
    """`python -m director.demo --help` works as installed."""
    asked = [sys.executable, "-m", "director.demo", "--help"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert "examples:" in answer.stdout
    assert "--budget" in answer.stdout
