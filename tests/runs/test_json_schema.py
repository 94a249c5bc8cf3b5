"""An answer is of its schema, perhaps after a repair that loses nothing, or it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from director.runs.json_schema import SchemaMismatch, fit_json_schema

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
    ("3", {"anyOf": [{"type": "integer"}, {"type": "string"}]}, 3),
    ("x", {"type": "array", "anyOf": [{"type": "string"}, {"minItems": 1}]}, ["x"]),
    ("YES", {"const": "yes"}, "yes"),
    ({"A": "3"}, {"additionalProperties": {"type": "integer"}}, {"A": 3}),
]
REFUSED: list[tuple[Any, Any, str]] = [
    ({}, MAIL, "the answer: 'sender' is a required property"),
    ({"sender": "ada", "other": 1}, MAIL, "'other' was unexpected"),
    ({"sender": "ada", "count": -1}, MAIL, "the answer.count: -1 is less than the minimum of 0"),
    ({"sender": "ada", "count": "two"}, MAIL, "the answer.count: 'two' is not of type 'integer'"),
    ({"sender": "ada", "kind": "spam"}, MAIL, "the answer.kind: 'spam' is not one of"),
    ({"sender": "ada", "tags": ["a", "b", "c", "d"]}, MAIL, "the answer.tags: .* is too long"),
    ({"sender": "ada", "tags": ["a", {}]}, MAIL, r"the answer.tags\[1\]: {} is not of type"),
    ("three", {"type": "integer"}, "not of type 'integer'"),
    (1.5, {"type": "integer"}, "not of type 'integer'"),
    (True, {"enum": [1]}, "not one of"),
    ("abc", {"type": "string", "pattern": "^x"}, "does not match"),
    ("x", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "not of type 'integer'. .*'null'"),
    ("x", {"type": "text"}, "has 'type' as \"text\", which is not understood"),
    ("x", {"oneOf": []}, "'oneOf', which is not understood"),
    ("x", {"anyOf": [{"$ref": "https://example.org/x"}]}, "has '\\$ref', which is not understood"),
    ([1], {"items": [{"type": "integer"}]}, "has 'items' as .*, which is not understood"),
    ({"a": 1}, {"required": True}, "has 'required' as true, which is not understood"),
    ({"a": "x"}, {"additionalProperties": {"type": "integer"}}, "the answer.a: 'x' is not of type"),
    ({"a": 1}, {"type": "object", "additionalProperties": False}, "'a' was unexpected"),
]


@pytest.mark.parametrize(("value", "schema", "fitted"), REPAIRED)
def test_what_can_be_read_as_the_schema_is(value: Any, schema: Any, fitted: Any) -> None:
    """Nothing is lost by it."""
    assert fit_json_schema(value, schema) == fitted


@pytest.mark.parametrize(("value", "schema", "says"), REFUSED)
def test_what_is_not_of_the_schema_is_refused_with_the_place(
    value: Any, schema: Any, says: str
) -> None:
    """And so is a schema that is only half understood."""
    with pytest.raises(SchemaMismatch, match=says):
        fit_json_schema(value, schema)
