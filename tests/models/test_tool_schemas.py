"""A function is a tool: carried in three wire forms, called with what a model wrote."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.models.tool_schemas import (
    Tool,
    ToolArgumentError,
    ToolFormError,
    call_tool,
    read_anthropic_tool,
    read_chat_tool,
    read_responses_tool,
    read_tool_arguments,
    tool,
    write_anthropic_tool,
    write_chat_tool,
    write_responses_tool,
)
from tool_examples import Line, Point, configure, draw, search


@pytest.mark.parametrize("name", ["", "a b", "a.b", "é", "x" * 65])
def test_a_tool_has_a_name_that_the_wire_allows(name: str) -> None:
    """Providers refuse the others."""
    with pytest.raises(ToolFormError, match="is no name for a tool"):
        Tool(name, "", {})


def test_a_call_gives_the_function_its_values() -> None:
    """Enums and defaults are what the function expects."""
    made = tool(search)
    assert call_tool(made, '{"query": "x", "colour": "red"}') == "x 10 Colour.RED ."
    strict = '{"query": "x", "limit": null, "colour": null, "where": null}'
    assert call_tool(made, strict) == "x 10 None ."


def test_a_call_makes_dataclasses_tuples_and_typed_dicts() -> None:
    """Nested ones too; null stands for a default."""
    args = {
        "line": {"start": {"x": 1, "y": None}, "end": {"x": 2, "y": 3}, "tags": None},
        "at": [4, 5],
        "options": {"depth": 1, "mode": None},
    }
    line = Line(Point(1, 0), Point(2, 3), [])
    assert call_tool(tool(draw), json.dumps(args)) == (line, (4, 5), {"depth": 1})


def test_a_call_fills_open_objects_and_sets() -> None:
    """Their values are read by their type."""

    def f(a: dict[str, float], b: set[object] | None = None) -> object:
        return a, b

    assert call_tool(tool(f), '{"a": {"x": 1}, "b": [1, 1]}') == ({"x": 1.0}, {1})
    with pytest.raises(ToolArgumentError, match=re.escape("a.x: expected a number, got null")):
        call_tool(tool(f), '{"a": {"x": null}}')
    with pytest.raises(ToolArgumentError, match=re.escape("must be simple to be a set")):
        call_tool(tool(f), '{"a": {}, "b": [[1]]}')


def test_null_is_none_where_none_is_meant() -> None:
    """A default does not take the place of a value that the type has."""

    def f(a: int | None = 5) -> object:
        return a

    assert call_tool(tool(f), '{"a": null}') is None
    assert call_tool(tool(f), "{}") == 5


def test_no_arguments_may_be_an_empty_text() -> None:
    """Some providers send it for a tool without parameters."""

    def ping() -> str:
        """Ping."""
        return "pong"

    assert call_tool(tool(ping), "") == call_tool(tool(ping), "{}") == "pong"


def test_numbers_are_read_as_the_type_says() -> None:
    """A whole float is an integer, an integer is a float, and a boolean is neither."""

    def f(a: int, b: float, c: int | str = "", d: frozenset[int] = frozenset()) -> object:
        return a, b, c, d

    result = call_tool(tool(f), '{"a": 3.0, "b": 2, "c": "x", "d": [1, 1]}')
    assert result == (3, 2.0, "x", frozenset({1}))
    assert isinstance(result, tuple)
    assert [type(value) for value in result[:2]] == [int, float]
    with pytest.raises(ToolArgumentError, match="a: expected an integer, got true"):
        call_tool(tool(f), '{"a": true, "b": 1}')


def test_an_async_function_gives_its_awaitable() -> None:
    """The caller waits for it."""

    async def later(a: int) -> int:
        return a + 1

    async def main() -> object:
        waiting = call_tool(tool(later), '{"a": 1}')
        assert asyncio.iscoroutine(waiting)
        return await waiting

    assert asyncio.run(main()) == 2


@pytest.mark.parametrize(
    ("args", "advice"),
    [
        ("{", "not valid JSON"),
        ("[1]", "must be one JSON object, not a list [1]"),
        ('{"limit": NaN}', "NaN is not a JSON number"),
        ("[" * 100_000, "not valid JSON"),
        ("{}", "query: missing, expected a string"),
        ('{"query": null}', "query: missing, expected a string"),
        ('{"query": "x", "limit": "3"}', 'limit: expected an integer, got a string "3"'),
        ('{"query": "x", "lmit": 3}', "lmit: there is no such key; did you mean 'limit'?"),
        (
            '{"query": "x", "colour": "green"}',
            'colour: expected one of "red", "blue" or null, got a string "green"',
        ),
    ],
)
def test_wrong_arguments_are_answered_with_advice(args: str, advice: str) -> None:
    """What was wrong, what was expected, and the right form."""
    with pytest.raises(ToolArgumentError) as refused:
        call_tool(tool(search), args)
    said = str(refused.value)
    assert advice in said
    assert '"query": <a string>' in said
    assert '"limit": <an integer, may be left out>' in said


@pytest.mark.parametrize(
    ("args", "advice"),
    [
        ({"line": {"start": {"x": "1"}}, "at": [1, 2]}, "line.start.x: expected an integer"),
        ({"line": {"start": {"x": -1}}, "at": [1, 2]}, "line.start: x must not be negative"),
        ({"line": {"start": {"x": 1}, "end": {"x": 1, "z": 2}}, "at": [1, 2]}, "line.end.z:"),
        ({"line": {"start": {"x": 1}, "tags": [1]}, "at": [1, 2]}, "line.tags[0]: expected a str"),
        ({"line": {"start": {"x": 1}}, "at": [1]}, "at: expected a list of 2, got one of 1"),
        ({"line": {"start": {"x": 1}, "end": {"x": -1}}, "at": [1, 2]}, "line.end: x must not"),
        ({"line": 3, "at": [1, 2]}, "line: expected an object {"),
    ],
)
def test_advice_names_the_place(args: object, advice: str) -> None:
    """However deep it is."""
    with pytest.raises(ToolArgumentError, match=re.escape(advice)):
        call_tool(tool(draw), json.dumps(args))


def test_all_that_is_wrong_is_said_at_once() -> None:
    """A model that mends one thing at a time costs a turn for each."""
    with pytest.raises(ToolArgumentError) as refused:
        call_tool(tool(search), '{"limit": "3", "foo": 1}')
    assert str(refused.value).count("\n- ") == 3


def test_a_long_value_is_not_repeated_whole() -> None:
    """Advice is short."""
    with pytest.raises(ToolArgumentError) as refused:
        call_tool(tool(search), json.dumps({"query": "x", "limit": "y" * 10_000}))
    assert len(str(refused.value)) < 1_000


def test_arguments_of_a_tool_by_schema_are_looked_at_too() -> None:
    """A tool from elsewhere has no hints."""
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "b": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
            "c": {"enum": ["x", "y"]},
            "d": {"type": "object", "additionalProperties": {"type": "number"}},
        },
        "required": ["a"],
        "additionalProperties": False,
    }
    made = Tool("f", "", schema, run=lambda **kwargs: kwargs)
    assert read_tool_arguments(made, '{"a": 2.0}') == {"a": 2.0}
    good = {"a": 1, "b": ["s"], "c": "x", "d": {"k": 1.5}}
    assert call_tool(made, json.dumps(good)) == good
    bad = {"b": [1], "c": "z", "d": {"k": "1"}, "e": 0}
    with pytest.raises(ToolArgumentError) as refused:
        read_tool_arguments(made, json.dumps(bad))
    said = str(refused.value)
    for advice in (
        "- a: missing",
        "- b: a list [1] is none of the forms",
        '- c: expected one of "x", "y"',
        "- d.k: expected a number",
        "- e: there is no such key",
        '"required"',
    ):
        assert advice in said


def test_a_tool_without_a_function_cannot_be_run() -> None:
    """It was read from a request."""
    with pytest.raises(ToolFormError, match="has no function"):
        call_tool(Tool("f", "", {}), "{}")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["line", "at", "x", "start", "settings"]), inner, max_size=3
        )
    ),
    max_leaves=12,
)


@given(json_values, st.sampled_from([search, draw, configure]))
def test_any_arguments_are_taken_or_answered_with_advice(
    value: object, function: Callable[..., object]
) -> None:
    """A model can write anything; no other error comes of it."""
    with suppress(ToolArgumentError):
        call_tool(tool(function), json.dumps(value))


names = st.from_regex(r"[a-zA-Z0-9_-]{1,64}", fullmatch=True)
made_tools = st.builds(
    Tool,
    name=names,
    description=st.text(max_size=20),
    parameters=st.fixed_dictionaries(
        {
            "type": st.just("object"),
            "properties": st.dictionaries(names, st.just({"type": "string"}), max_size=3),
        }
    ),
    strict=st.booleans(),
)


@given(made_tools)
def test_a_tool_comes_back_from_every_form_as_it_went(made: Tool) -> None:
    """So it can be carried from any form to any other."""
    assert read_responses_tool(write_responses_tool(made)) == made
    assert read_chat_tool(write_chat_tool(made)) == made
    assert read_anthropic_tool(write_anthropic_tool(made)) == made
    assert write_chat_tool(
        read_anthropic_tool(write_anthropic_tool(read_responses_tool(write_responses_tool(made))))
    ) == write_chat_tool(made)


def test_the_three_forms_are_those_of_the_wire() -> None:
    """Flat, nested, and with its own word for the schema."""
    made = Tool("f", "does", {"type": "object"}, strict=True)
    flat = {"name": "f", "description": "does", "parameters": {"type": "object"}, "strict": True}
    assert write_responses_tool(made) == {"type": "function", **flat}
    assert write_chat_tool(made) == {"type": "function", "function": flat}
    assert write_anthropic_tool(made) == {
        "name": "f",
        "description": "does",
        "input_schema": {"type": "object"},
        "strict": True,
    }


def test_a_server_without_strictness_is_told_nothing_of_it() -> None:
    """Some refuse the word."""
    made = tool(search)
    assert "strict" not in write_responses_tool(made, strict_tools=False)
    assert "strict" not in json.dumps(write_chat_tool(made, strict_tools=False))
    assert "strict" not in write_anthropic_tool(made, strict_tools=False)


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        (read_responses_tool, {"type": "web_search"}),
        (read_responses_tool, {"type": "function", "function": {"name": "f"}}),
        (read_responses_tool, {"type": "function"}),
        (read_responses_tool, {"type": "function", "name": "f", "parameters": 3}),
        (read_chat_tool, {"type": "function", "name": "f"}),
        (read_chat_tool, {"type": "custom", "custom": {}}),
        (read_anthropic_tool, {"type": "memory_20250818", "name": "memory"}),
        (read_anthropic_tool, {"name": "f"}),
    ],
)
def test_what_is_no_tool_of_that_form_is_refused(
    reader: Callable[[Mapping[str, object]], Tool], said: Mapping[str, object]
) -> None:
    """Tools that a provider runs cannot be carried elsewhere."""
    with pytest.raises(ToolFormError):
        reader(said)


def test_a_tool_without_parameters_is_read_as_one_that_takes_none() -> None:
    """OpenAI lets the schema be left out."""
    read = read_responses_tool({"type": "function", "name": "f", "parameters": None})
    assert read.parameters == {"type": "object", "properties": {}}
