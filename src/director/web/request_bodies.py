"""What a client may send: strict bodies, in which whatever is unknown or unsound is refused.

History, trust and numbers of entries to be written are in none of them: only the server has those.
"""

from __future__ import annotations

import math
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

_DEEPEST = 60
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
Text: TypeAlias = Annotated[str, Field(max_length=1_000_000)]
Reason: TypeAlias = Annotated[str, Field(min_length=1, max_length=1_000)]
Json: TypeAlias = object


class Body(BaseModel):
    """The form of every body."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _sound(cls, value: object) -> object:
        _check(value, 0)
        return value


def _check(value: object, depth: int) -> None:
    """Refuse what could not be stored and read again as it was."""
    if depth > _DEEPEST:
        raise ValueError(f"nested more than {_DEEPEST} levels deep")
    if isinstance(value, str):
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise ValueError("half of a character in a text")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("a number that is none")
    elif isinstance(value, dict):
        for name, inner in value.items():
            _check(name, depth)
            _check(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _check(inner, depth + 1)
