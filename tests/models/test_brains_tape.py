"""The tape: steps in order, a known context its own again, and no silence at either end."""

from __future__ import annotations

import pytest

from director.models.script_engines.tape import Tape
from director.models.script_values import Say, ScriptError, Seen, Shown

ONE, TWO = Say("one"), Say("two")


def _seen(*texts: str, run: str = "") -> Seen:
    return Seen("chat", "m", items=tuple(Shown("user", text) for text in texts), run=run)


def test_each_new_context_gets_the_next_step() -> None:
    """Steps are played in order."""
    tape = Tape([[ONE], [TWO]])
    assert tape(_seen("a")) == (ONE,)
    assert tape(_seen("a", "b")) == (TWO,)
    tape.check()


def test_a_context_shown_again_gets_its_own_step_again() -> None:
    """A retry of a request costs no step, even after later ones."""
    tape = Tape([[ONE], [TWO]])
    first = tape(_seen("a"))
    tape(_seen("b"))
    assert tape(_seen("a")) == first
    assert tape.remaining == 0


def test_the_run_does_not_tell_contexts_apart_on_one_tape() -> None:
    """One tape serves all runs, whatever their names."""
    tape = Tape([[ONE], [TWO]])
    assert tape(_seen("a", run="x")) == tape(_seen("a", run="y"))
    assert tape.remaining == 1


def test_every_run_can_have_a_tape_of_its_own() -> None:
    """With per_run a second run starts at the first step, and all must play to the end."""
    tape = Tape([[ONE], [TWO]], per_run=True)
    assert tape(_seen("a", run="x")) == tape(_seen("b", run="y")) == (ONE,)
    assert tape(_seen("c", run="x")) == (TWO,)
    assert tape.remaining == 1


def test_an_overrun_names_the_step_and_what_was_shown() -> None:
    """Too short a tape says which step was asked for and why."""
    tape = Tape([[ONE]])
    tape(_seen("a"))
    with pytest.raises(ScriptError, match=r"has 1 steps and was asked for step 2.*user: 'b'"):
        tape(_seen("b"))


def test_an_underrun_is_an_error_when_checked() -> None:
    """Too long a tape says how many steps were left."""
    tape = Tape([[ONE], [TWO]])
    assert tape.remaining == 2
    with pytest.raises(ScriptError, match="2 of the tape's 2 steps were not played"):
        tape.check()


def test_an_overrun_with_nothing_or_much_shown_stays_readable() -> None:
    """The message neither fails on an empty context nor prints a whole page."""
    with pytest.raises(ScriptError, match="shown was nothing"):
        Tape([])(_seen())
    with pytest.raises(ScriptError) as caught:
        Tape([])(Seen("chat", "m", items=(Shown("result", "x" * 500, tool="look"),)))
    assert "result of look" in str(caught.value)
    assert len(str(caught.value)) < 200
