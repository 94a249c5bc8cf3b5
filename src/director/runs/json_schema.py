"""Whether a value is of a JSON Schema, and the smallest repairs that make it so.

A subset: type, properties, required, additionalProperties, items, enum, const, minimum, maximum,
minLength, maxLength, minItems, maxItems, pattern, anyOf. Another keyword is refused, never
ignored: a schema that is only half checked is no schema. Repairs lose nothing: a number written as
a text, a key in another case, one thing where a list of it is wanted, and the other way round.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from director.errors import DirectorError
from director.workflow.paths import is_list, kind_of
from director.workflow.patterns import search_texts
from director.workflow.values import Config, Json


class SchemaMismatch(DirectorError, ValueError):
    """A value is not of its schema, or the schema says what is not understood here."""

    kind = "SchemaError"  # as journals and handlers name it


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Mapping[str, Callable[[Json], bool]] = {
    "object": lambda value: isinstance(value, Mapping),
    "array": is_list,
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: _number(value) and float(str(value)).is_integer(),
    "number": _number,
}
_SAYS = ("title", "description", "default", "examples", "format", "$schema", "$id", "$comment")


def of_schema(value: Json, schema: Config) -> Json:
    """The value, repaired where that loses nothing; SchemaError if it is not of the schema.

    Its patterns may have to wait for a worker: never call it on the event loop.
    """
    return _fit(value, schema, "the answer")


def _fit(value: Json, schema: Json, where: str) -> Json:
    if schema is True:
        return value
    if not isinstance(schema, Mapping):
        raise SchemaMismatch(f"The schema of {where} is {kind_of(schema)}, not an object.")
    unknown = [name for name in schema if name not in _KEYWORDS and name not in _SAYS]
    if unknown:
        raise SchemaMismatch(f"The schema of {where} has {unknown[0]!r}, which is not understood.")
    fitted = _fit_type(value, schema, where)
    for keyword, check in _KEYWORDS.items():
        if keyword in schema:
            fitted = check(fitted, schema[keyword], schema, where)
    return fitted


def _fit_type(value: Json, schema: Config, where: str) -> Json:
    wanted = schema.get("type")
    if wanted is None:
        return value
    names = [str(each) for each in wanted] if is_list(wanted) else [str(wanted)]
    for name in names:
        if name not in _TYPES:
            raise SchemaMismatch(
                f"The schema of {where} has the type {name!r}, which does not exist."
            )
        if _TYPES[name](value):
            return value
    for name in names:
        repaired = _repair(value, name)
        if repaired is not None:
            return repaired[0]
    raise SchemaMismatch(f"{where} is {kind_of(value)}, not {' or '.join(names)}: {_short(value)}")


def _repair(value: Json, name: str) -> tuple[Json] | None:
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
    if name == "string" and (_number(value) or isinstance(value, bool)):
        return (json.dumps(value),)
    return None


def _properties(value: Json, wanted: Json, schema: Config, where: str) -> Json:
    if not isinstance(value, Mapping) or not isinstance(wanted, Mapping):
        return value
    missing = {_fold_name(name): name for name in wanted if name not in value}
    named = {
        missing.get(_fold_name(key), key) if key not in wanted else key: inner
        for key, inner in value.items()
    }
    extra = schema.get("additionalProperties", True)
    fitted: dict[str, Json] = {}
    for name, inner in named.items():
        if name not in wanted and extra is False:
            raise SchemaMismatch(f"{where} has {name!r}, which the schema does not allow.")
        fitted[name] = _fit(inner, wanted.get(name, extra), f"{where}.{name}")
    return fitted


def _check_required(value: Json, wanted: Json, _: Config, where: str) -> Json:
    for name in wanted if is_list(wanted) else ():
        if isinstance(value, Mapping) and name not in value:
            raise SchemaMismatch(f"{where} has no {name!r}.")
    return value


def _items(value: Json, wanted: Json, _: Config, where: str) -> Json:
    if not is_list(value):
        return value
    return [_fit(inner, wanted, f"{where}[{place}]") for place, inner in enumerate(value)]


def _enum(value: Json, wanted: Json, _: Config, where: str) -> Json:
    allowed: Sequence[Json] = wanted if is_list(wanted) else [wanted]
    if any(_same(value, each) for each in allowed):
        return value
    for each in allowed:
        if (
            isinstance(value, str)
            and isinstance(each, str)
            and _fold_name(value) == _fold_name(each)
        ):
            return each
    raise SchemaMismatch(f"{where} is {_short(value)}, not one of {_short(list(allowed))}.")


def _any_of(value: Json, wanted: Json, _: Config, where: str) -> Json:
    said: list[str] = []
    for schema in wanted if is_list(wanted) else ():
        try:
            return _fit(value, schema, where)
        except SchemaMismatch as problem:
            said.append(str(problem))
    raise SchemaMismatch(f"{where} fits none of its schemas: {' '.join(said)}")


_Check: TypeAlias = Callable[[Json, Json, Config, str], Json]


def _make_bound_check(measure: Callable[[Json], float | None], *, least: bool, says: str) -> _Check:
    def check(value: Json, wanted: Json, _: Config, where: str) -> Json:
        size = measure(value)
        if size is not None and isinstance(wanted, int | float):
            outside = size < wanted if least else size > wanted
            if outside:
                raise SchemaMismatch(f"{where} {says} {wanted}: {_short(value)}.")
        return value

    return check


def _pattern(value: Json, wanted: Json, _: Config, where: str) -> Json:
    if isinstance(value, str) and not search_texts(str(wanted), [value])[0]:
        raise SchemaMismatch(f"{where} does not match {wanted!r}: {_short(value)}.")
    return value


def _as_it_is(value: Json, _: Json, __: Config, ___: str) -> Json:
    return value


def _size(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) and _number(value) else None


def _length(value: Json) -> float | None:
    return len(value) if isinstance(value, str) else None


def _many(value: Json) -> float | None:
    return len(value) if is_list(value) else None


_KEYWORDS: Mapping[str, _Check] = {
    "type": _as_it_is,
    "properties": _properties,
    "additionalProperties": _as_it_is,
    "required": _check_required,
    "items": _items,
    "enum": _enum,
    "const": _enum,
    "anyOf": _any_of,
    "minimum": _make_bound_check(_size, least=True, says="is less than"),
    "maximum": _make_bound_check(_size, least=False, says="is more than"),
    "minLength": _make_bound_check(_length, least=True, says="is shorter than"),
    "maxLength": _make_bound_check(_length, least=False, says="is longer than"),
    "minItems": _make_bound_check(_many, least=True, says="has fewer elements than"),
    "maxItems": _make_bound_check(_many, least=False, says="has more elements than"),
    "pattern": _pattern,
}


def _fold_name(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _same(one: Json, other: Json) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:79]}…"
