"""Emits as JSON: what is written is read back the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from director.models.script_engines.emits import FORMS, REASONS, encode_emit_json, parse_emit_json
from director.models.script_engines.load import load_script_engine_text
from director.models.script_engines.tape import Tape
from director.models.script_values import (
    Ask,
    Compact,
    Emit,
    Fail,
    Refuse,
    Say,
    ScriptError,
    Stop,
    Think,
    Wait,
)

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_ARGS = st.text() | _JSON.map(json.dumps) | st.just('{"a": 1, "a": 2}') | st.just("[" * 100_000)
_EMITS: st.SearchStrategy[Emit] = st.one_of(
    st.builds(Say, st.text()),
    st.builds(Think, st.text()),
    st.builds(Ask, st.text(), _ARGS, st.text()),
    st.builds(Refuse, st.text()),
    st.builds(Compact, st.text()),
    st.builds(Stop, st.sampled_from(REASONS)),
    st.builds(Wait, st.floats(0, 1e9)),
    st.builds(Fail, st.text(), st.text()),
)


@given(_EMITS)
@example(Ask("f", '{"a": NaN}'))
def test_an_emit_survives_json(emit: Emit) -> None:
    """Through JSON text and back, arguments included, well-formed or not."""
    assert parse_emit_json(json.loads(json.dumps(encode_emit_json(emit)))) == emit


@given(st.lists(st.lists(_EMITS, max_size=3), max_size=3))
def test_a_whole_tape_survives_a_script(steps: list[list[Emit]]) -> None:
    """A tape that is written as a script is read as the same tape."""
    brain = load_script_engine_text(
        json.dumps([[encode_emit_json(emit) for emit in step] for step in steps])
    )
    assert isinstance(brain, Tape)
    assert brain.steps == tuple(tuple(step) for step in steps)


@pytest.mark.parametrize("name", list(FORMS))
def test_the_forms_that_messages_show_are_right(name: str) -> None:
    """What an error message tells an author to write can be read."""
    form = json.loads(FORMS[name][0])
    assert encode_emit_json(parse_emit_json(form)) == form


def test_a_bare_text_is_said() -> None:
    """The shortest emit is a string."""
    assert parse_emit_json("Hello") == Say("Hello")


def test_arguments_may_be_an_object_or_raw_text() -> None:
    """An object is written as JSON; a text goes as it is, broken or not."""
    assert parse_emit_json({"call": "f", "args": {"ä": [1]}}) == Ask("f", '{"ä": [1]}')
    assert parse_emit_json({"call": "f", "args": '{"a'}) == Ask("f", '{"a')
    assert parse_emit_json({"call": "f"}) == Ask("f", "{}")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"say": 3}, "say: needs a text, not a number"),
        ({"say": "a", "think": "b"}, '"say", "think" at once'),
        ({"sai": "a"}, 'did you mean "say"'),
        ({}, 'an emit has one of "say"'),
        ([], "needs an object such as"),
        (None, "not null"),
        ({"call": "f", "arg": {}}, 'no key "arg" here \\(did you mean "args"'),
        ({"call": "f", "args": [1]}, "args: needs an object, or a text"),
        ({"stop": "length"}, 'no reason to stop "length"'),
        ({"wait": "2"}, "wait: needs a number, not a text"),
        ({"wait": True}, "wait: needs a number, not true or false"),
        ({"wait": -1}, "at least 0, not -1"),
        ({"fail": "x", "code": "y"}, 'no key "code"'),
    ],
)
def test_a_wrong_emit_is_named_with_its_right_form(value: object, message: str) -> None:
    """Each mistake tells what stands there and what should."""
    with pytest.raises(ScriptError, match=message):
        parse_emit_json(value)
