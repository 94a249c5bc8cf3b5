"""The hints of a function are its schema, strict where that can be; its docstring is the words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.models.docstrings import parse_docstring as read_docstring
from director.models.schemas import SchemaError, make_type_schema
from director.models.tool_schemas import tool
from tool_examples import Options, Point, Shape, Tree, UserId, configure, draw, search


def schemas_within(schema: object) -> list[Mapping[str, object]]:
    """All schemas of objects inside a schema."""
    if isinstance(schema, list):
        return [one for each in schema for one in schemas_within(each)]
    if not isinstance(schema, dict):
        return []
    inner = [one for each in schema.values() for one in schemas_within(each)]
    return [schema, *inner] if "properties" in schema else inner


def test_a_function_becomes_a_tool_with_a_strict_schema() -> None:
    """All keys are required, no others allowed, and what has a default may be null."""
    made = tool(search)
    assert (made.name, made.description, made.strict) == (
        "search",
        "Search the files for a text.",
        True,
    )
    assert made.parameters == {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "what to look for, as a regular expression",
            },
            "limit": {
                "type": ["integer", "null"],
                "description": "how many to show (default 10)",
            },
            "colour": {
                "type": ["string", "null"],
                "enum": ["red", "blue", None],
                "description": "only of this colour",
            },
            "where": {
                "type": ["string", "null"],
                "description": 'the folder to look in (default ".")',
            },
        },
        "required": ["query", "limit", "colour", "where"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, {"type": "string"}),
        (None, {"type": "null"}),
        (bool, {"type": "boolean"}),
        (UserId, {"type": "string"}),
        (int | None, {"type": ["integer", "null"]}),
        (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (
            int | str | None,
            {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
        ),
        (Literal["a", 1], {"type": ["string", "integer"], "enum": ["a", 1]}),
        (Literal["a"] | None, {"type": ["string", "null"], "enum": ["a", None]}),
        (Shape, {"type": "string", "enum": ["DOT", "LINE"]}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (set[str], {"type": "array", "items": {"type": "string"}}),
        (tuple[float, ...], {"type": "array", "items": {"type": "number"}}),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
    ],
)
def test_types_have_strict_schemas(hint: object, schema: object) -> None:
    """Each as the wire wants it."""
    assert make_type_schema(hint) == (schema, True)


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (object, {}),
        (Any, {}),
        (dict, {"type": "object"}),
        (list, {"type": "array", "items": {}}),
        (tuple, {"type": "array", "items": {}}),
        (
            dict[str, bool],
            {"type": "object", "additionalProperties": {"type": "boolean"}},
        ),
        (
            tuple[int, int],
            {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
        ),
        (
            tuple[int, str],
            {
                "type": "array",
                "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                "minItems": 2,
                "maxItems": 2,
            },
        ),
    ],
)
def test_what_cannot_be_strict_says_so(hint: object, schema: object) -> None:
    """Open objects and lists of a fixed length are described, and not as strict."""
    assert make_type_schema(hint) == (schema, False)


def test_one_open_part_makes_the_whole_not_strict() -> None:
    """Then only what has no default is required."""
    made = tool(configure)
    assert not made.strict
    assert made.parameters["required"] == ["settings"]


@pytest.mark.parametrize("function", [search, draw, configure])
def test_every_object_of_every_schema_allows_no_other_keys(
    function: Callable[..., object],
) -> None:
    """A strict one requires all of its keys, nested ones too."""
    made = tool(function)
    for schema in schemas_within(dict(made.parameters)):
        assert schema["additionalProperties"] is False
        properties, required = schema["properties"], schema["required"]
        assert isinstance(properties, dict)
        assert isinstance(required, list)
        assert set(required) <= set(properties)
        if made.strict:
            assert required == list(properties)


def test_nested_objects_carry_their_descriptions() -> None:
    """From the docstring of their class."""
    schema, strict = make_type_schema(Point)
    assert strict
    assert schema["properties"] == {
        "x": {"type": "integer", "description": "how far right"},
        "y": {"type": ["integer", "null"], "description": "(default 0)"},
    }


def test_a_typed_dict_knows_what_may_be_left_out() -> None:
    """Such a key may be null in a strict schema."""
    schema, strict = make_type_schema(Options)
    assert strict
    assert schema["properties"] == {
        "depth": {"type": "integer"},
        "mode": {"type": ["string", "null"], "enum": ["fast", "slow", None]},
    }


def no_hint(a) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001, D103
    ...


def many(*args: int) -> None:  # noqa: D103
    ...


def named(**kwargs: int) -> None:  # noqa: D103
    ...


def first(a: int, /) -> None:  # noqa: D103
    ...


def numbered(a: dict[int, str]) -> None:  # noqa: D103
    ...


def endless(a: Tree) -> None:  # noqa: D103
    ...


def raw(a: bytes) -> None:  # noqa: D103
    ...


def unresolved(a: Nowhere) -> None:  # type: ignore[name-defined]  # noqa: F821, D103
    ...


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (no_hint, "no_hint(a): needs a type hint"),
        (many, "no *args"),
        (named, "no *args"),
        (first, "no *args"),
        (numbered, "the keys of a JSON object are strings"),
        (endless, "holds itself"),
        (raw, "cannot be described to a model"),
        (unresolved, "'Nowhere' is not defined"),
        (lambda: None, "has no name"),
    ],
)
def test_a_function_that_cannot_be_a_tool_is_refused(
    function: Callable[..., object], complaint: str
) -> None:
    """When it is made, not when it is called."""
    with pytest.raises(SchemaError, match=re.escape(complaint)):
        tool(function)


@pytest.mark.parametrize(
    "doc",
    [
        """Do it.

        Args:
            a (int, optional): the first
                of all: here
            *b: the rest
        """,
        """Do it.

        :param int a: the first
            of all: here
        :param b: the rest
        :returns: b: nothing
        """,
        """Do it.

        Parameters
        ----------
        a : int, optional
            the first
            of all: here
        *b
            the rest

        Returns
        -------
        c : int
            nothing
        """,
        """Do it.
        :param a: the first of all: here
        :param b: the rest
        """,
        """Do it.
        Arguments:
          a: the first of all: here

          b: the rest
        Raises:
          c: nothing
        """,
    ],
)
def test_docstrings_of_three_styles_say_the_same(doc: str) -> None:
    """The first paragraph, and a description of each parameter."""
    assert read_docstring(doc) == ("Do it.", {"a": "the first of all: here", "b": "the rest"})


def test_a_missing_docstring_says_nothing() -> None:
    """Neither does an empty one."""
    assert read_docstring(None) == read_docstring("") == ("", {})


@given(st.text(alphabet=st.sampled_from("ab:*-(), \n\tArgs:Parameters"), max_size=200))
def test_any_docstring_can_be_read(doc: str) -> None:
    """Nothing that somebody wrote is an error."""
    read_docstring(doc)
