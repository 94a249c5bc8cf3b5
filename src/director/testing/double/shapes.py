"""JSON from outside, read without trust: what is not of the shape that is wanted is empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def as_mapping(value: object) -> Mapping[str, object]:
    """A value as an object; an empty one when it is none."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: object) -> Sequence[object]:
    """A value as a list; an empty one when it is none."""
    return value if isinstance(value, list | tuple) else ()
