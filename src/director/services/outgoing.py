"""The one place where secrets are redacted on the way out of a service: results and errors.

`redact_result` is on every use case; a test goes through all of them. What is of no known kind is
refused, not passed on. Lower layers redact what they store or send to a model; this is for what is
shown, however it came to be stored.
"""

from __future__ import annotations

import copy
import functools
import inspect
import types
from collections.abc import Callable, Hashable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import Field, fields, is_dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import (
    TYPE_CHECKING,
    Annotated,
    Concatenate,
    Final,
    Literal,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from director.errors import DirectorError
from director.secrets import Redactor
from director.secrets.redaction import MARKS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
P = ParamSpec("P")
_MARKER: Final = "an identifier that Director made"
# The name of a record in addresses and links, made by Director: redacted it would lead nowhere.
Identifier: TypeAlias = Annotated[str, _MARKER]
_PLAIN = (int, float, complex, Decimal, date, Enum, type(None))


class Redacts(Protocol):
    """What takes secrets out of a value; a `Workspace` does."""

    def redact(self, value: T, /) -> T:
        """The value without them."""


W = TypeVar("W", bound=Redacts)
Service: TypeAlias = Callable[Concatenate[W, P], T]


def redact_result(service: Service[W, P, T]) -> Service[W, P, T]:
    """A use case whose result and whose errors leave without secrets; for async ones too."""
    if inspect.iscoroutinefunction(service):

        @functools.wraps(service)
        async def call_later(workspace: W, /, *args: P.args, **named: P.kwargs) -> object:
            try:
                found = await service(workspace, *args, **named)
            except DirectorError as error:
                redact_error(error, workspace)
                raise
            return workspace.redact(found)

        _mark(call_later)
        return cast("Service[W, P, T]", call_later)

    @functools.wraps(service)
    def call(workspace: W, /, *args: P.args, **named: P.kwargs) -> T:
        try:
            found = service(workspace, *args, **named)
        except DirectorError as error:
            redact_error(error, workspace)
            raise
        return workspace.redact(found)

    _mark(call)
    return call


def is_redacted(service: object) -> bool:
    """Whether what a function returns passes through here."""
    return getattr(service, "redacts_result", False) is True


def redact_error(error: DirectorError, workspace: Redacts) -> None:
    """Take secrets out of the text of an error, in place."""
    error.args = tuple(
        workspace.redact(each) if isinstance(each, str) else each for each in error.args
    )
    if isinstance(error, ImportError):
        error.msg = workspace.redact(error.msg)
    for name in ("kept", "next_step"):
        if name in vars(error):
            setattr(error, name, workspace.redact(getattr(error, name)))


class MarkNotSaved(DirectorError):
    """What was shown redacted came back to be saved: the mark would stand for the value."""

    status = 422


def refuse_marks(value: object) -> None:
    """Refuse a text that holds the mark of a redaction, at any depth of what is to be saved."""
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    if isinstance(value, tuple | list):
        for each in value:
            refuse_marks(each)
    elif isinstance(value, str) and any(mark in value for mark in MARKS[:-1]):
        raise MarkNotSaved(
            f"{value[:200]!r} shows a value of the vault redacted; saved like this, the mark would "
            "stand in its place.",
            kept="Nothing was changed.",
            next_step="Write the reference {{secret:NAME}} there, or the text if it is no secret.",
        )


def redact_value(value: T, redactor: Redactor) -> T:
    """The value with a mark in place of every secret in it; itself if there is none.

    Values of closed sets (`Literal`) and `Identifier` fields stay: they are no text of anyone.
    """
    return cast("T", _redact(value, redactor)) if redactor.size else value


def _mark(service: Callable[..., object]) -> None:
    service.redacts_result = True  # type: ignore[attr-defined]


def _redact(value: object, redactor: Redactor) -> object:
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, str | bytes | PurePath):
        return _redact_text(value, redactor)
    if is_dataclass(value) and not isinstance(value, type):
        return _redact_fields(value, redactor)
    if isinstance(value, Mapping):
        return {_redact(key, redactor): _redact(each, redactor) for key, each in value.items()}
    if isinstance(value, tuple | list | AbstractSet):
        return _redact_items(value, redactor)
    raise TypeError(f"A service returned a {type(value).__name__}, which cannot be redacted.")


def _redact_text(value: str | bytes | PurePath, redactor: Redactor) -> object:
    if isinstance(value, bytes):
        return _redact_bytes(value, redactor)
    text = str(value)
    found = redactor.clean(text)
    return value if found == text else type(value)(found)


def _redact_bytes(value: bytes, redactor: Redactor) -> bytes:
    found = redactor.clean_bytes(value)
    try:
        text = found.decode()
    except UnicodeDecodeError:
        return found
    # A text is also redacted where a value was rewritten, as in other case or spaced out.
    return redactor.clean(text).encode()


def _redact_items(
    value: tuple[object, ...] | list[object] | AbstractSet[object], redactor: Redactor
) -> object:
    found = [_redact(each, redactor) for each in value]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return cast("Callable[..., object]", type(value))(*found)
    return tuple(found) if isinstance(value, tuple) else type(value)(found)  # type: ignore[call-arg]


def _redact_fields(value: DataclassInstance, redactor: Redactor) -> object:
    free = _find_free_fields(cast("Hashable", type(value)))
    before = {name: getattr(value, name) for name in free}
    after = {name: _redact(each, redactor) for name, each in before.items()}
    changed = {name: each for name, each in after.items() if each != before[name]}
    if not changed:
        return value
    made = copy.copy(value)
    for name, new in changed.items():
        object.__setattr__(made, name, new)
    return made


@functools.cache
def _find_free_fields(kind: Hashable) -> tuple[str, ...]:
    """The fields of a dataclass that may hold any text."""
    found = cast("type[DataclassInstance]", kind)
    return tuple(each.name for each in fields(found) if not _is_fixed(_read_hint(found, each)))


def _read_hint(kind: type, field: Field[object]) -> object:
    """What a field may hold; a hint that names what its module does not know may be anything."""
    alone = {"__annotations__": {field.name: field.type}, "__module__": kind.__module__}
    try:
        return get_type_hints(type(kind.__name__, (), alone), include_extras=True)[field.name]
    except NameError:
        return object


def _is_fixed(hint: object) -> bool:
    origin = get_origin(hint)
    if origin is Annotated:
        return _MARKER in get_args(hint)[1:]
    if origin is Union or origin is types.UnionType:
        return all(each is type(None) or _is_fixed(each) for each in get_args(hint))
    return origin is Literal
