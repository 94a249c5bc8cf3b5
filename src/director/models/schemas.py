"""JSON schemas of Python types, strict wherever a strict one can say the same.

A strict schema allows no other keys and requires all; what has a default may be null. A type
that no schema can tell apart is refused, never shown to a model as something else.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import inspect
import json
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import (
    Annotated,
    Any,
    Literal,
    NewType,
    NotRequired,
    Protocol,
    Required,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from director.errors import DirectorError
from director.models import docstrings

Schema: TypeAlias = dict[str, object]

LISTS = (list, set, frozenset, collections.abc.Sequence, collections.abc.Iterable)
OBJECTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
SCALARS: Mapping[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    None: "null",
    type(None): "null",
}
_EMPTY = inspect.Parameter.empty
_ONE_BY_ONE = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class SchemaError(DirectorError, TypeError):
    """A type or a function that cannot be described to a model."""


class _Make(Protocol):
    def __call__(self, *, strict: bool) -> Schema: ...


class _NotStrict(Exception):
    """Found while a strict schema was tried."""


@dataclass(frozen=True, slots=True)
class Member:
    """A parameter of a function or a key of an object."""

    name: str
    hint: object
    required: bool
    default: object = None
    description: str = ""


def make_parameters_schema(function: Callable[..., object]) -> tuple[Schema, bool]:
    """The schema of a function's parameters, and whether it is strict."""
    return _either(partial(_object, list_schema_members(function), ()))


def make_type_schema(hint: object) -> tuple[Schema, bool]:
    """The schema of a type, and whether it is strict."""
    return _either(partial(_schema, hint, ()))


def _either(make: _Make) -> tuple[Schema, bool]:
    try:
        return make(strict=True), True
    except _NotStrict:
        return make(strict=False), False


def list_schema_members(owner: Callable[..., object]) -> tuple[Member, ...]:
    """The parameters of a function, or the keys of a dataclass or a TypedDict."""
    try:
        hints = get_type_hints(owner, include_extras=True)
    except NameError as unresolved:
        name = getattr(owner, "__name__", str(owner))
        raise SchemaError(f"{name}: {unresolved}; its types must be known in its module.") from None
    described = docstrings.parse_docstring(owner.__doc__)[1]
    if is_typeddict(owner):
        return tuple(_key(owner, name, hint, described) for name, hint in hints.items())
    if isinstance(owner, type) and dataclasses.is_dataclass(owner):
        return tuple(
            _field(one, hints[one.name], described) for one in dataclasses.fields(owner) if one.init
        )
    return tuple(
        _parameter(owner, one, hints, described)
        for one in inspect.signature(owner).parameters.values()
    )


def _parameter(
    owner: object, one: inspect.Parameter, hints: Mapping[str, object], described: Mapping[str, str]
) -> Member:
    where = f"{getattr(owner, '__name__', owner)}({one.name})"
    if one.kind not in _ONE_BY_ONE:
        raise SchemaError(f"{where}: a tool takes named parameters, no *args, **kwargs or '/'.")
    if one.name not in hints:
        raise SchemaError(f"{where}: needs a type hint.")
    required = one.default is _EMPTY
    default = None if required else one.default
    hint, said = split_schema_notes(hints[one.name])
    return Member(one.name, hint, required, default, said or described.get(one.name, ""))


def _field(one: dataclasses.Field[object], hint: object, described: Mapping[str, str]) -> Member:
    missing = dataclasses.MISSING
    required = one.default is missing and one.default_factory is missing
    default = None if one.default is missing else one.default
    hint, said = split_schema_notes(hint)
    return Member(one.name, hint, required, default, said or described.get(one.name, ""))


def _key(owner: object, name: str, hint: object, described: Mapping[str, str]) -> Member:
    wrapper = get_origin(hint)
    required = name in getattr(owner, "__required_keys__", ())
    if wrapper in (Required, NotRequired):
        required = wrapper is Required
        (hint,) = get_args(hint)
    hint, said = split_schema_notes(hint)
    return Member(name, hint, required, None, said or described.get(name, ""))


def split_schema_notes(hint: object) -> tuple[object, str]:
    """A type without what is annotated to it, and the description among that."""
    said = ""
    while get_origin(hint) is Annotated or isinstance(hint, NewType):
        if isinstance(hint, NewType):
            hint = hint.__supertype__
            continue
        hint, *notes = get_args(hint)
        said = said or next((note for note in notes if isinstance(note, str)), "")
    return object if hint is Any else hint, said


def list_union_schemas(hint: object) -> tuple[object, ...]:
    """The types that a union is of; one type is a union of itself."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def allows_none(hint: object) -> bool:
    """Whether null is a value of this type."""
    literal = get_origin(hint) is Literal and None in get_args(hint)
    return literal or any(arm in (None, type(None), object) for arm in list_union_schemas(hint))


def list_schema_choices(hint: object) -> list[tuple[object, object]] | None:
    """What a model may choose from, each with what it means; `None` for a type of no choices.

    A member of an enum is named by its value, or by its name where values are no JSON.
    """
    if get_origin(hint) is Literal:
        return [(one, one) for one in get_args(hint)]
    if not (isinstance(hint, type) and issubclass(hint, Enum)):
        return None
    plain = all(type(member.value) in SCALARS for member in hint)
    return [(member.value if plain else member.name, member) for member in hint]


def is_record_schema(hint: object) -> bool:
    """Whether a type is an object with known keys."""
    return is_typeddict(hint) or (isinstance(hint, type) and dataclasses.is_dataclass(hint))


def _schema(hint: object, within: tuple[object, ...], *, strict: bool) -> Schema:
    hint, said = split_schema_notes(hint)
    made = _bare(hint, within, strict=strict)
    return {**made, "description": said} if said else made


def _bare(hint: object, within: tuple[object, ...], *, strict: bool) -> Schema:
    choices = list_schema_choices(hint)
    if choices is not None:
        return _choice([choice for choice, _ in choices])
    if hint in SCALARS:
        return {"type": SCALARS[hint]}
    if len(list_union_schemas(hint)) > 1:
        return _union(list_union_schemas(hint), within, strict=strict)
    if is_record_schema(hint) and callable(hint):
        if hint in within:
            raise SchemaError(f"{hint!r} holds itself: a tool's types must end.")
        return _object(list_schema_members(hint), (*within, hint), strict=strict)
    return _holder(hint, within, strict=strict)


def _holder(hint: object, within: tuple[object, ...], *, strict: bool) -> Schema:
    """A list, a tuple or an open object."""
    origin, args = get_origin(hint) or hint, get_args(hint)
    if origin is tuple:
        return _tuple(args, within, strict=strict)
    if origin in LISTS and args:
        return {"type": "array", "items": _schema(args[0], within, strict=strict)}
    if hint is object or origin in (*LISTS, *OBJECTS):
        return _open(hint, within, strict=strict)
    raise SchemaError(
        f"{hint!r} cannot be described to a model: use str, int, float, bool, None, Literal, "
        "Enum, list, tuple, dict, unions, dataclasses and TypedDicts."
    )


def _open(hint: object, within: tuple[object, ...], *, strict: bool) -> Schema:
    """What a strict schema cannot say: keys or values that nobody knows beforehand."""
    if strict:
        raise _NotStrict
    if hint is object:
        return {}
    if hint in LISTS:
        return {"type": "array", "items": {}}
    args = get_args(hint)
    if not args:
        return {"type": "object"}
    if split_schema_notes(args[0])[0] is not str:
        raise SchemaError(f"{hint!r}: the keys of a JSON object are strings.")
    return {"type": "object", "additionalProperties": _schema(args[1], within, strict=False)}


def _tuple(args: tuple[object, ...], within: tuple[object, ...], *, strict: bool) -> Schema:
    if len(args) == 2 and args[1] is Ellipsis:
        return {"type": "array", "items": _schema(args[0], within, strict=strict)}
    if strict:
        raise _NotStrict
    if not args:
        return {"type": "array", "items": {}}
    firsts = [_schema(arg, within, strict=False) for arg in args]
    same = all(first == firsts[0] for first in firsts)
    items = firsts[0] if same else {"anyOf": firsts}
    return {"type": "array", "items": items, "minItems": len(args), "maxItems": len(args)}


def _object(members: Sequence[Member], within: tuple[object, ...], *, strict: bool) -> Schema:
    properties: Schema = {}
    for member in members:
        made = _schema(member.hint, within, strict=strict)
        if strict and not member.required:
            made = _nullable(made)
        said = _describe(member)
        properties[member.name] = {**made, "description": said} if said else made
    return {
        "type": "object",
        "properties": properties,
        "required": [member.name for member in members if strict or member.required],
        "additionalProperties": False,
    }


def _describe(member: Member) -> str:
    default = member.default.value if isinstance(member.default, Enum) else member.default
    if member.required or type(default) not in (str, int, float, bool):
        return member.description
    return f"{member.description} (default {json.dumps(default, ensure_ascii=False)})".strip()


def _union(arms: tuple[object, ...], within: tuple[object, ...], *, strict: bool) -> Schema:
    some = [arm for arm in arms if arm is not type(None)]
    schemas: list[Schema] = []
    for arm in some:
        made = _schema(arm, within, strict=strict)
        if made not in schemas:
            schemas.append(made)
    one: Schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    return one if len(some) == len(arms) else _nullable(one)


def _nullable(schema: Schema) -> Schema:
    """The same schema with null as one more value."""
    if not schema.keys() & {"anyOf", "enum", "type"}:
        return schema
    if isinstance(arms := schema.get("anyOf"), list):
        null = {"type": "null"}
        return {**schema, "anyOf": arms if null in arms else [*arms, null]}
    kinds = schema.get("type")
    listed = list(kinds) if isinstance(kinds, list) else [kinds]
    made = {**schema, "type": listed if "null" in listed else [*listed, "null"]}
    if isinstance(choices := schema.get("enum"), list) and None not in choices:
        made["enum"] = [*choices, None]
    return made


def _choice(values: Sequence[object]) -> Schema:
    kinds: list[str] = []
    for value in values:
        kind = SCALARS.get(type(value))
        if kind is None:
            raise SchemaError(f"{value!r}: a choice is among strings, numbers, booleans and null.")
        if kind not in kinds:
            kinds.append(kind)
    return {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": list(values)}
