"""Rules: the first that fits is said, its holes filled from what was shown."""

from __future__ import annotations

import json

import pytest

from director.models.script_engines.matching import When
from director.models.script_engines.rules import Rule, Rules
from director.models.script_values import Ask, Say, ScriptError, Seen, Shown, Think, Wait

YES = (Say("yes"),)
CONTEXT = Seen(
    "responses",
    "gpt",
    instructions="Be kind. Version 7.",
    tools=("search", "click"),
    items=(
        Shown("user", "find shoes"),
        Shown("agent", "I look."),
        Shown("call", '{"q": "shoes"}', tool="search", call="c1"),
        Shown("result", 'found 3 "shoes"', tool="search", call="c1"),
    ),
)


@pytest.mark.parametrize(
    ("when", "fits"),
    [
        (When(), True),
        (When(turn=2), True),
        (When(turn=1), False),
        (When(last="result"), True),
        (When(last="user"), False),
        (When(tool="search"), True),
        (When(tool="click"), False),
        (When(text="found [0-9]"), True),
        (When(text="find"), False),
        (When(anywhere="find"), True),
        (When(anywhere="boots"), False),
        (When(offers="click"), True),
        (When(offers="type"), False),
        (When(instructions="kind"), True),
        (When(instructions="cruel"), False),
        (When(model="gpt"), True),
        (When(purpose="compact"), False),
        (When(turn=2, last="result", tool="search", text="3", anywhere="shoes"), True),
        (When(turn=2, last="result", tool="search", text="4", anywhere="shoes"), False),
    ],
)
def test_a_condition_asks_for_all_that_it_names(when: When, fits: bool) -> None:  # noqa: FBT001
    """Each part of a condition can decide by itself, and all must hold."""
    assert (when.match(CONTEXT) is not None) is fits


def test_the_first_rule_that_fits_is_said() -> None:
    """Order is precedence."""
    brain = Rules([Rule((Say("no"),), When(turn=1)), Rule(YES), Rule((Say("late"),))])
    assert brain(CONTEXT) == YES


def test_no_rule_that_fits_is_an_error_that_says_what_was_shown() -> None:
    """There is no silent default."""
    with pytest.raises(ScriptError, match=r"none of the 1 rules fits turn 2.*result of search"):
        Rules([Rule(YES, When(turn=1))])(CONTEXT)


def test_holes_are_filled_with_the_last_text_and_the_groups() -> None:
    """{last}, {0} and {1} stand for what was shown; other braces stay."""
    when = When(text="found ([0-9]+)", instructions="Version ([0-9]+)")
    brain = Rules([Rule((Say("{0}|{1}|{2}|{last}|{x}"), Think("{1}"), Wait(1)), when)])
    expected = (Say('found 3|3|7|found 3 "shoes"|{x}'), Think("3"), Wait(1))
    assert brain(CONTEXT) == expected


def test_what_fills_arguments_is_escaped_as_json() -> None:
    """A quote in a result cannot break the arguments of the next call."""
    (ask,) = Rules([Rule((Ask("echo", '{"text": "{last}", "x": {}}'),))])(CONTEXT)
    assert isinstance(ask, Ask)
    assert json.loads(ask.args) == {"text": 'found 3 "shoes"', "x": {}}


def test_a_hole_that_nothing_can_fill_is_refused_when_the_rule_is_made() -> None:
    """A group that the condition does not have is a mistake of the script."""
    with pytest.raises(ScriptError, match=r"nothing fills \{2\}"):
        Rule((Say("{2}"),), When(text="(a)"))


def test_a_pattern_that_is_none_is_refused() -> None:
    """A broken regular expression is named."""
    with pytest.raises(ScriptError, match="not a regular expression"):
        When(text="(")


def test_anywhere_finds_the_newest_match_first() -> None:
    """Of several matches in the context, the latest fills the hole."""
    items = (Shown("user", "key 1"), Shown("user", "key 2"), Shown("user", "go"))
    brain = Rules([Rule((Say("{1}"),), When(anywhere="key ([0-9])"))])
    assert brain(Seen("chat", "m", items=items)) == (Say("2"),)


def test_an_empty_context_can_match() -> None:
    """With nothing shown it is the first turn, and {last} is empty."""
    brain = Rules([Rule((Say("hello {last}"),), When(turn=1))])
    assert brain(Seen("chat", "m")) == (Say("hello "),)
