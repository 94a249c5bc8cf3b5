"""Whether a body is exactly what an SDK's types say: nothing missing, nothing more, all of its type.

The SDKs themselves are lenient and take almost anything; a double must not lean on that.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from pydantic import BaseModel
from typing_extensions import TypeAliasType

SIMPLE: dict[object, tuple[type, ...]] = {
    str: (str,),
    bool: (bool,),
    int: (int,),
    float: (int, float),
    bytes: (str,),
    datetime: (str,),
    None: (type(None),),
    type(None): (type(None),),
}


def problems(body: object, type_: object) -> list[str]:
    """What is wrong with a JSON value that is to be of a type, each with its place."""
    return list(_walk(body, type_, "$"))


def _walk(value: object, type_: object, place: str) -> Iterator[str]:
    type_ = _bare(type_)
    origin, inner = get_origin(type_), get_args(type_)
    if type_ is object or type_ is Any:
        return
    if origin in (Union, types.UnionType):
        yield from _union(value, inner, place)
    elif origin is Literal:
        if not any(value == each and type(value) is type(each) for each in inner):
            yield f"{place}: {value!r} is none of {inner}"
    elif type_ in SIMPLE:
        wrong = not isinstance(value, SIMPLE[type_])
        if wrong or (isinstance(value, bool) and type_ is not bool):
            yield f"{place}: {value!r} is not {type_}"
    else:
        yield from _composed(value, type_, place)


def _composed(value: object, type_: object, place: str) -> Iterator[str]:
    origin, inner = get_origin(type_) or type_, get_args(type_)
    if isinstance(type_, type) and issubclass(type_, BaseModel):
        yield from _object(value, _model_fields(type_), place)
    elif is_typeddict(type_):
        yield from _object(value, _dict_fields(type_), place)
    elif _is_dict(origin):
        yield from _dict(value, inner, place)
    elif _is_list(origin):
        yield from _list(value, inner, place)
    else:
        yield f"{place}: cannot check {type_}"


def _bare(type_: object) -> object:
    """A type without what only decorates it."""
    while True:
        if isinstance(type_, TypeAliasType):
            type_ = type_.__value__
        elif get_origin(type_) in (Annotated, Required, NotRequired):
            type_ = get_args(type_)[0]
        else:
            return type_


def _is_dict(type_: object) -> bool:
    return isinstance(type_, type) and issubclass(type_, Mapping)


def _is_list(type_: object) -> bool:
    return isinstance(type_, type) and type_ not in (str, bytes) and hasattr(type_, "__iter__")


def _union(value: object, members: tuple[object, ...], place: str) -> Iterator[str]:
    """The problems with the member that fits best, among those of the value's own `type`."""
    named = [member for member in members if _is_named(member, value)]
    best: list[str] | None = None
    for member in named or members:
        found = list(_walk(value, member, place))
        if not found:
            return
        if best is None or len(found) < len(best):
            best = found
    yield from best or [f"{place}: an empty union"]


def _is_named(member: object, value: object) -> bool:
    member = _bare(member)
    if not isinstance(value, Mapping) or not isinstance(member, type):
        return False
    hint = getattr(member, "__annotations__", {}).get("type")
    if issubclass(member, BaseModel) and "type" in member.model_fields:
        hint = member.model_fields["type"].annotation
    return value.get("type") in get_args(_bare(hint))


def _model_fields(model: type[BaseModel]) -> dict[str, tuple[object, bool]]:
    return {
        field.alias or name: (field.annotation, field.is_required())
        for name, field in model.model_fields.items()
    }


def _dict_fields(type_: object) -> dict[str, tuple[object, bool]]:
    hints = get_type_hints(type_, include_extras=True)
    total = bool(getattr(type_, "__total__", True))
    return {
        name: (
            hint,
            get_origin(hint) is Required or (total and get_origin(hint) is not NotRequired),
        )
        for name, hint in hints.items()
    }


def _object(value: object, fields: Mapping[str, tuple[object, bool]], place: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{place}: {value!r} is not an object"
        return
    for name, (type_, required) in fields.items():
        if name in value:
            yield from _walk(value[name], type_, f"{place}.{name}")
        elif required:
            yield f"{place}.{name}: is missing"
    for name in value:
        if name not in fields:
            yield f"{place}.{name}: is not known"


def _dict(value: object, inner: tuple[object, ...], place: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{place}: {value!r} is not an object"
    elif inner:
        for key, each in value.items():
            yield from _walk(each, inner[1], f"{place}.{key}")


def _list(value: object, inner: tuple[object, ...], place: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{place}: {value!r} is not an array"
    elif inner:
        for index, each in enumerate(value):
            yield from _walk(each, inner[0], f"{place}[{index}]")
