"""The adversary: each misbehaviour is what its name says, and a run always comes to an end."""

from __future__ import annotations

import json

import pytest

from director.models.script_engines.adversary import INJECTION, MENU, Adversary
from director.models.script_values import Ask, Emit, Say, ScriptError, Seen, Shown

TOOLS = ("search", "click")


def _turns(adversary: Adversary, count: int, run: str = "") -> list[list[Emit]]:
    """What it says to a context that grows by an item a turn."""
    contexts = [
        Seen("chat", "m", tools=TOOLS, items=(Shown("user", "go"),) * (turn + 1), run=run)
        for turn in range(count)
    ]
    return [list(adversary(seen)) for seen in contexts]


@pytest.mark.parametrize("name", list(MENU))
def test_every_misbehaviour_ends_with_a_normal_answer(name: str) -> None:
    """After its turns the adversary says its last word, and says it for good."""
    turns = _turns(Adversary([name]), 5)
    assert turns[0] != [Say("Done.")]
    assert turns[-1] == turns[-2] == [Say("Done.")]


def test_malformed_json_is_malformed() -> None:
    """The arguments cannot be parsed; the tool exists."""
    ((ask,), _) = _turns(Adversary(["malformed_json"]), 2)
    assert isinstance(ask, Ask)
    assert ask.tool in TOOLS
    with pytest.raises(json.JSONDecodeError):
        json.loads(ask.args)


def test_an_unknown_tool_is_not_offered() -> None:
    """The tool it calls is none of those it was given."""
    ((ask,), _) = _turns(Adversary(["unknown_tool"]), 2)
    assert isinstance(ask, Ask)
    assert ask.tool not in TOOLS


def test_a_repeated_call_is_the_same_three_times() -> None:
    """The same tool with the same arguments, turn after turn."""
    first, second, third, end = _turns(Adversary(["repeated_call"]), 4)
    assert first == second == third != end


def test_many_calls_are_twenty_at_once() -> None:
    """One turn holds twenty different calls."""
    (calls, _) = _turns(Adversary(["many_calls"]), 2)
    assert len(set(calls)) == 20


def test_oversized_output_has_the_size_that_was_asked_for() -> None:
    """The size of the answer can be set."""
    (said, _) = _turns(Adversary(["oversized"], size=50_001), 2)
    assert isinstance(said[0], Say)
    assert len(said[0].text) == 50_001


def test_a_call_after_the_final_answer_follows_it_in_one_turn() -> None:
    """It says that it is done, and calls on."""
    (said, _) = _turns(Adversary(["call_after_final"]), 2)
    assert isinstance(said[0], Say)
    assert "final" in said[0].text
    assert isinstance(said[1], Ask)


def test_injected_text_is_said() -> None:
    """The text tries to give orders."""
    (said, _) = _turns(Adversary(["injected"]), 2)
    assert said[0] == Say(INJECTION)


def test_every_run_is_misbehaved_to_alike_and_a_retry_gets_the_same() -> None:
    """Each run goes through the whole menu, and a context shown again changes nothing."""
    adversary = Adversary()
    first = _turns(adversary, 12, "x")
    assert _turns(adversary, 12, "y") == first
    assert _turns(adversary, 12, "x") == first
    assert first[-1] == [Say("Done.")]


def test_a_misbehaviour_that_is_not_on_the_menu_is_refused() -> None:
    """A misspelt name gets a suggestion."""
    with pytest.raises(ScriptError, match='did you mean "oversized"'):
        Adversary(["oversize"])


def test_without_tools_it_calls_one_anyway() -> None:
    """A call needs a name even when none is offered."""
    assert list(Adversary(["call_after_final"])(Seen("chat", "m")))[1] == Ask("do_it")
