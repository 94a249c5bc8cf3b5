"""Whether a value is of a JSON Schema, and the smallest repairs that make it so.

jsonschema checks. It may check a subset: another keyword is refused, never ignored, since a schema
that is only half checked is no schema; so no reference is ever followed. Patterns are never matched
by Python's `re`. Repairs lose nothing: a number written as a text, a key in another case, one thing
where a list of it is wanted, and the other way round.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from director.distribution import install_line
from director.errors import DirectorError
from director.workflow.paths import is_list
from director.workflow.patterns import search_pattern_in_texts
from director.workflow.values import Config, Json

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator


class SchemaMismatch(DirectorError, ValueError):
    """A value is not of its schema, or the schema says what is not understood here."""

    kind = "SchemaError"  # as journals and handlers name it


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Mapping[str, Callable[[object], bool]] = {
    "object": lambda value: isinstance(value, Mapping),
    "array": is_list,
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: _is_number(value) and float(str(value)).is_integer(),
    "number": _is_number,
}


def _is_schema(value: object) -> bool:
    return isinstance(value, Mapping | bool)


# What is checked, in this order, and the form of it that is understood.
_KEYWORDS: Mapping[str, Callable[[Json], bool]] = {
    "type": lambda wanted: all(each in _TYPES for each in _list_values(wanted)),
    "properties": lambda wanted: (
        isinstance(wanted, Mapping) and all(map(_is_schema, wanted.values()))
    ),
    "additionalProperties": _is_schema,
    "required": is_list,
    "items": _is_schema,
    "enum": is_list,
    "const": lambda _: True,
    "anyOf": lambda wanted: is_list(wanted) and all(map(_is_schema, wanted)),
    **dict.fromkeys(("minimum", "maximum"), _is_number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _is_number),
    "pattern": lambda wanted: isinstance(wanted, str),
}
_SAYS = ("title", "description", "default", "examples", "format", "$schema", "$id", "$comment")


def fit_json_schema(value: Json, schema: Config) -> Json:
    """The value, repaired where that loses nothing; SchemaError if it is not of the schema.

    Its patterns may have to wait for a worker: never call it on the event loop.
    """
    repaired = _repair(value, schema)
    for error in _open_validator(schema).iter_errors(repaired):
        raise SchemaMismatch(_explain(error))
    return repaired


def _open_validator(schema: Config) -> Validator:
    try:
        return _make_validator()(schema)
    except ModuleNotFoundError as missing:
        raise SchemaMismatch(
            "Answers are checked by the package jsonschema, which is not installed. "
            f"This one was not used: {install_line('workflows')}."
        ) from missing


@lru_cache(1)
def _make_validator() -> type[Validator]:
    from jsonschema import Draft202012Validator, TypeChecker, ValidationError, validators

    def refuse(_: Validator, name: str, __: Json, ___: Config) -> Iterator[ValidationError]:
        yield ValidationError(f"the schema has {name}, which is not understood")

    def match(_: Validator, pattern: str, text: Json, __: Config) -> Iterator[ValidationError]:
        if isinstance(text, str) and not search_pattern_in_texts(pattern, [text])[0]:
            yield ValidationError(f"{text!r} does not match {pattern!r}")

    known = {name: Draft202012Validator.VALIDATORS[name] for name in _KEYWORDS}
    types = {name: lambda _, value, holds=holds: holds(value) for name, holds in _TYPES.items()}
    kind: type[Validator] = validators.create(
        meta_schema={},
        validators={**known, "pattern": match, "refused": refuse},
        type_checker=TypeChecker(types),
        applicable_validators=_list_checks,
    )
    return kind


def _list_checks(schema: Config) -> list[tuple[str, Json]]:
    """The keywords of a schema that are checked: only what is refused, if anything is."""
    for name, wanted in schema.items():
        if name in _KEYWORDS and not _KEYWORDS[name](wanted):
            return [("refused", f"{name!r} as {_short(wanted)}")]
        if name not in _KEYWORDS and name not in _SAYS:
            return [("refused", repr(name))]
    return [(name, schema[name]) for name in _KEYWORDS if name in schema]


def _explain(error: ValidationError) -> str:
    """Where and what is wrong; of alternatives, what is wrong with each."""
    where = "the answer" + "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path
    )
    each = {str(inner.relative_schema_path[0]): inner for inner in reversed(error.context or [])}
    inner = "".join(f" {_explain(each[place])}" for place in sorted(each))
    said = error.message if len(error.message) <= 300 else f"{error.message[:299]}…"
    return f"{where}: {said}.{inner}"


def _repair(value: Json, schema: Json) -> Json:
    """The value with every repair that the schema asks for; else it is as it was."""
    if not isinstance(schema, Mapping):
        return value
    value = _repair_type(value, schema)
    if isinstance(value, Mapping):
        value = _repair_object(value, schema)
    if is_list(value):
        value = [_repair(inner, schema.get("items")) for inner in value]
    allowed = [*_list_values(schema.get("enum", [])), schema.get("const")]
    words = [each for each in allowed if isinstance(each, str)]
    if isinstance(value, str) and value not in words:
        value = next((each for each in words if _fold(each) == _fold(value)), value)
    options = _list_values(schema.get("anyOf", []))
    repaired = (_repair(value, each) for each in options)
    return next((each for each in repaired if _open_validator(schema).is_valid(each)), value)


def _repair_object(value: Mapping[str, Json], schema: Config) -> Json:
    """With its keys as the schema writes them, and each of its values repaired."""
    properties = schema.get("properties")
    wanted = properties if isinstance(properties, Mapping) else {}
    missing = {_fold(name): name for name in wanted if name not in value}
    named = {
        key if key in wanted else missing.get(_fold(key), key): inner
        for key, inner in value.items()
    }
    extra = schema.get("additionalProperties")
    return {name: _repair(inner, wanted.get(name, extra)) for name, inner in named.items()}


def _repair_type(value: Json, schema: Config) -> Json:
    names = [str(name) for name in _list_values(schema.get("type", [])) if name in _TYPES]
    if any(_TYPES[name](value) for name in names):
        return value
    return next((read[0] for name in names if (read := _read_as(value, name))), value)


def _read_as(value: Json, name: str) -> tuple[Json] | None:
    """The value as another type, in a tuple, if it can be read as one."""
    if name == "array" and not is_list(value):
        return ([value],)
    if is_list(value) and len(value) == 1 and name != "array":
        return (value[0],) if _TYPES[name](value[0]) else None
    if name in ("number", "integer", "boolean") and isinstance(value, str):
        try:
            read = json.loads(value.strip().lower())
        except ValueError:
            return None
        return (read,) if _TYPES[name](read) else None
    if name == "string" and (_is_number(value) or isinstance(value, bool)):
        return (json.dumps(value),)
    return None


def _list_values(wanted: Json) -> Sequence[Json]:
    return wanted if is_list(wanted) else [wanted]


def _fold(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else f"{text[:79]}…"
