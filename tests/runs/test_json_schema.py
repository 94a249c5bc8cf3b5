"""An answer is of its schema, perhaps after a repair that loses nothing, or it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from director.runs.json_schema import SchemaMismatch, of_schema

MAIL = {
    "type": "object",
    "properties": {
        "sender": {"type": "string"},
        "count": {"type": "integer", "minimum": 0},
        "kind": {"enum": ["bill", "letter"]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
    },
    "required": ["sender"],
    "additionalProperties": False,
}
REPAIRED: list[tuple[Any, Any, Any]] = [
    ({"sender": "ada", "count": 2}, MAIL, {"sender": "ada", "count": 2}),
    ({"Sender": "ada", "COUNT": "2"}, MAIL, {"sender": "ada", "count": 2}),
    ([{"sender": "ada"}], MAIL, {"sender": "ada"}),
    ({"sender": "ada", "tags": "one"}, MAIL, {"sender": "ada", "tags": ["one"]}),
    ({"sender": "ada", "kind": "Bill"}, MAIL, {"sender": "ada", "kind": "bill"}),
    ({"sender": 5}, MAIL, {"sender": "5"}),
    ("3", {"type": "integer"}, 3),
    ("3.5", {"type": "number"}, 3.5),
    ("true", {"type": "boolean"}, True),
    ({"a": 1}, {"type": "array", "items": {"type": "object"}}, [{"a": 1}]),
    (None, {"type": ["string", "null"]}, None),
    ("x", {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "x"),
]
REFUSED: list[tuple[Any, Any, str]] = [
    ({}, MAIL, "has no 'sender'"),
    ({"sender": "ada", "other": 1}, MAIL, "'other', which the schema does not allow"),
    ({"sender": "ada", "count": -1}, MAIL, "the answer.count is less than 0"),
    ({"sender": "ada", "count": "two"}, MAIL, "the answer.count is a text"),
    ({"sender": "ada", "kind": "spam"}, MAIL, "not one of"),
    ({"sender": "ada", "tags": ["a", "b", "c", "d"]}, MAIL, "more elements than 3"),
    ("three", {"type": "integer"}, "not integer"),
    (1.5, {"type": "integer"}, "not integer"),
    (True, {"enum": [1]}, "not one of"),
    ("abc", {"type": "string", "pattern": "^x"}, "does not match"),
    ("x", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "fits none"),
    ("x", {"type": "text"}, "which does not exist"),
    ("x", {"oneOf": []}, "'oneOf', which is not understood"),
]


@pytest.mark.parametrize(("value", "schema", "fitted"), REPAIRED)
def test_what_can_be_read_as_the_schema_is(value: Any, schema: Any, fitted: Any) -> None:
    """Nothing is lost by it."""
    assert of_schema(value, schema) == fitted


@pytest.mark.parametrize(("value", "schema", "says"), REFUSED)
def test_what_is_not_of_the_schema_is_refused_with_the_place(
    value: Any, schema: Any, says: str
) -> None:
    """And so is a schema that is only half understood."""
    with pytest.raises(SchemaMismatch, match=says):
        of_schema(value, schema)
