"""From the JSON that a model wrote to the values that a function takes.

All that is wrong is said at once, with what was expected, so that the model can correct it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import get_args, get_origin, is_typeddict

from director.models.schemas import (
    LISTS,
    OBJECTS,
    SCALARS,
    Member,
    allows_none,
    is_record_schema,
    list_schema_choices,
    list_schema_members,
    list_union_schemas,
    split_schema_notes,
)
from director.workflow.bounds import check_bounds

_ARTICLES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
_SHOWN = 80


def parse_argument_object(text: str, problems: list[str]) -> dict[str, object]:
    """The JSON object that a text is; an empty text is an empty one."""
    try:
        value = json.loads(text, parse_constant=_no_constant) if text.strip() else {}
        check_bounds(value, what="The value")
    except (ValueError, RecursionError) as wrong:
        problems.append(f"they are not valid JSON ({wrong})")
        return {}
    if not isinstance(value, dict):
        problems.append(f"they must be one JSON object, not {describe_argument_value(value)}")
        return {}
    return value


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


def read_argument_members(
    members: Sequence[Member], given: Mapping[str, object], where: str, problems: list[str]
) -> dict[str, object]:
    """The values of the members that were given; null stands for a default unless it means None."""
    names = [member.name for member in members]
    for key in given:
        if key not in names:
            near = get_close_matches(key, names, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            problems.append(f"{_at(where, key)}: there is no such key{hint}")
    read: dict[str, object] = {}
    for member in members:
        place = _at(where, member.name)
        value = given.get(member.name)
        left_out = member.name not in given or (value is None and not allows_none(member.hint))
        if not left_out:
            read[member.name] = read_argument_value(member.hint, value, place, problems)
        elif member.required:
            problems.append(f"{place}: missing, expected {describe_argument_type(member.hint)}")
    return read


def read_argument_value(hint: object, value: object, where: str, problems: list[str]) -> object:
    """A JSON value as a value of a type."""
    hint, _ = split_schema_notes(hint)
    arms = list_union_schemas(hint)
    if len(arms) > 1:
        return _union(arms, value, where, problems)
    if is_record_schema(hint) and callable(hint) and isinstance(value, dict):
        return _record(hint, value, where, problems)
    origin = get_origin(hint) or hint
    if origin in (tuple, *LISTS) and isinstance(value, list):
        return _list(hint, origin, value, where, problems)
    if origin in OBJECTS and isinstance(value, dict):
        inner = (*get_args(hint), object, object)[1]
        return {
            key: read_argument_value(inner, one, _at(where, key), problems)
            for key, one in value.items()
        }
    found, scalar = _scalar(hint, value)
    if not found:
        problems.append(_mismatch(hint, value, where))
    return scalar


def _union(arms: tuple[object, ...], value: object, where: str, problems: list[str]) -> object:
    """By the arm that is exactly of the value's type, else by the first that fits.

    When none does, the one that was meant tells more than the list of all.
    """
    exact = [arm for arm in arms if arm is type(value)]
    told: list[list[str]] = []
    for arm in (*exact, *arms):
        trial: list[str] = []
        read = read_argument_value(arm, value, where, trial)
        if not trial:
            return read
        if trial != [_mismatch(arm, value, where)]:
            told.append(trial)
    if len(told) == 1:
        problems.extend(told[0])
    else:
        choices = " or ".join(describe_argument_type(arm) for arm in arms)
        problems.append(f"{where}: expected {choices}, got {describe_argument_value(value)}")
    return None


def _mismatch(hint: object, value: object, where: str) -> str:
    return f"{where}: expected {describe_argument_type(hint)}, got {describe_argument_value(value)}"


def _record(
    make: Callable[..., object], value: Mapping[str, object], where: str, problems: list[str]
) -> object:
    before = len(problems)
    read = read_argument_members(list_schema_members(make), value, where, problems)
    if len(problems) > before or is_typeddict(make):
        return read
    try:
        return make(**read)
    except (TypeError, ValueError) as refused:
        problems.append(f"{where}: {refused}")
        return None


def _list(
    hint: object, origin: object, value: list[object], where: str, problems: list[str]
) -> object:
    args = get_args(hint) or (object, ...)
    fixed = origin is tuple and args[-1] is not Ellipsis
    if fixed and len(args) != len(value):
        problems.append(f"{where}: expected a list of {len(args)}, got one of {len(value)}")
        return None
    inners = args if fixed else (args[0],) * len(value)
    read = [
        read_argument_value(inner, one, f"{where}[{at}]", problems)
        for at, (inner, one) in enumerate(zip(inners, value, strict=True))
    ]
    makers: Mapping[object, Callable[[list[object]], object]] = {
        tuple: tuple,
        set: set,
        frozenset: frozenset,
    }
    try:
        return makers.get(origin, list)(read)
    except TypeError:
        problems.append(f"{where}: its values must be simple to be a set")
        return None


def _scalar(hint: object, value: object) -> tuple[bool, object]:
    """Whether a value is one of a simple type, and that value."""
    if hint is object:
        return True, value
    choices = list_schema_choices(hint)
    if choices is None:
        return _plain(hint, value)
    for choice, meant in choices:
        if type(choice) is type(value) and choice == value:
            return True, meant
    return False, None


def _plain(hint: object, value: object) -> tuple[bool, object]:
    if hint is float and type(value) is int:
        return True, float(value)
    if hint is int and isinstance(value, float) and value.is_integer():
        return True, int(value)
    return hint in SCALARS and SCALARS[hint] == SCALARS.get(type(value)), value


def describe_argument_type(hint: object) -> str:
    """In words, what a type expects."""
    hint, _ = split_schema_notes(hint)
    arms = list_union_schemas(hint)
    if len(arms) > 1:
        return " or ".join(describe_argument_type(arm) for arm in arms)
    choices = list_schema_choices(hint)
    if choices is not None:
        return _one_of([choice for choice, _ in choices])
    if hint in SCALARS:
        return _ARTICLES[SCALARS[hint]]
    if is_record_schema(hint) and callable(hint):
        return f"an object {describe_argument_form(list_schema_members(hint))}"
    return _describe_container(hint)


def _describe_container(hint: object) -> str:
    if (get_origin(hint) or hint) not in (tuple, *LISTS):
        return "any value" if hint is object else "an object"
    inner = ", ".join(describe_argument_type(arg) for arg in get_args(hint) if arg is not Ellipsis)
    return f"a list of ({inner})" if inner else "a list"


def describe_argument_form(members: Sequence[Member]) -> str:
    """The right form of an object, with words for its values."""
    optional = {True: "", False: ", may be left out"}
    inner = ", ".join(
        f'"{member.name}": <{describe_argument_type(member.hint)}{optional[member.required]}>'
        for member in members
    )
    return "{" + inner + "}"


def _one_of(values: Sequence[object]) -> str:
    return "one of " + ", ".join(json.dumps(value, ensure_ascii=False) for value in values)


def describe_argument_value(value: object) -> str:
    """A value as a model may be shown it: what it is, and its start."""
    kind = _ARTICLES.get(SCALARS.get(type(value), ""), "")
    kind = kind or ("a list" if isinstance(value, list) else "an object")
    text = json.dumps(value, ensure_ascii=False, default=str)
    cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return cut if kind in ("null", "true or false") else f"{kind} {cut}"


def check_argument_value(
    schema: Mapping[str, object], value: object, where: str, problems: list[str]
) -> None:
    """Look at a value by a schema: its types, choices, keys and items; other words are ignored."""
    arms = schema.get("anyOf")
    if isinstance(arms, list):
        told: list[list[str]] = []
        for arm in arms:
            trial: list[str] = []
            check_argument_value(arm if isinstance(arm, Mapping) else {}, value, where, trial)
            told.append(trial)
        if told and all(told):
            problems.append(
                f"{where}: {describe_argument_value(value)} is none of the forms that are allowed"
            )
            return
    kinds = schema.get("type")
    allowed = [str(kind) for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind]
    if allowed and not any(_is_kind(value, kind) for kind in allowed):
        wanted = " or ".join(_ARTICLES.get(kind, kind) for kind in allowed)
        problems.append(f"{where}: expected {wanted}, got {describe_argument_value(value)}")
        return
    choices = schema.get("enum")
    if isinstance(choices, list) and value not in choices:
        problems.append(
            f"{where}: expected {_one_of(choices)}, got {describe_argument_value(value)}"
        )
    if isinstance(value, dict):
        _check_keys(schema, value, where, problems)
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, Mapping):
        for at, one in enumerate(value):
            check_argument_value(items, one, f"{where}[{at}]", problems)


def _check_keys(
    schema: Mapping[str, object], value: Mapping[str, object], where: str, problems: list[str]
) -> None:
    said, wanted = schema.get("properties"), schema.get("required")
    properties = said if isinstance(said, Mapping) else {}
    names = [str(key) for key in wanted] if isinstance(wanted, list) else []
    problems.extend(f"{_at(where, name)}: missing" for name in names if name not in value)
    others = schema.get("additionalProperties", True)
    for key, one in value.items():
        inner = properties.get(key, others)
        if isinstance(inner, Mapping):
            check_argument_value(inner, one, _at(where, key), problems)
        elif inner is False:
            problems.append(f"{_at(where, key)}: there is no such key")


def _is_kind(value: object, kind: str) -> bool:
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    containers = {"array": list, "object": dict}
    if kind in containers:
        return isinstance(value, containers[kind])
    return SCALARS.get(type(value)) == kind


def _at(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key
