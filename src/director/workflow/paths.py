"""Paths into JSON, such as `a.b[0].c`: reading their text, and following them.

A path is only followed, never evaluated: it can name a member or an element and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeGuard

from director.workflow.nearest import write_nearest_hint
from director.workflow.values import Json, WorkflowError

Step: TypeAlias = str | int
Path: TypeAlias = tuple[Step, ...]

_HEAD = re.compile(r"[^\W\d][\w-]*")
_STEP = re.compile(r"""\.([\w-]+)|\[(-?\d{1,9})\]|\["([^"]*)"\]|\['([^']*)'\]""")
_PLAIN = re.compile(r"[\w-]+")


class PathNotFound(WorkflowError):
    """A path leads nowhere: the message says how far it went and what is there."""

    kind = "NotThere"  # as journals and handlers name it


def read_path(text: str) -> Path | None:
    """The steps of a path, or None if the text is not one."""
    head = _HEAD.match(text)
    if head is None:
        return None
    steps: list[Step] = [head[0]]
    at = head.end()
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            return None
        name, index, double, single = step.groups()
        steps.append(int(index) if index is not None else name or double or single or "")
        at = step.end()
    return tuple(steps)


def write_path(path: Sequence[Step]) -> str:
    """A path as people write it."""
    return "".join(_write_step(step, first=place == 0) for place, step in enumerate(path))


def _write_step(step: Step, *, first: bool) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if not _PLAIN.fullmatch(step):
        return f'["{step}"]'
    return step if first else f".{step}"


def follow_path(value: Json, path: Sequence[Step], *, after: Sequence[Step] = ()) -> Json:
    """What a path leads to, starting from a value; `after` names the way to that value."""
    for place, step in enumerate(path):
        value = _one(value, step, [*after, *path[:place]])
    return value


def _one(value: Json, step: Step, way: Sequence[Step]) -> Json:
    here = write_path(way) or "the value"
    if isinstance(value, Mapping):
        if isinstance(step, str) and step in value:
            return value[step]
        raise PathNotFound(f"{here!r} has no {step!r}.{write_nearest_hint(str(step), value)}")
    if is_list(value):
        return _element(value, step, here)
    raise PathNotFound(f"{here!r} is {describe_kind(value)}, so it has no {step!r}.")


def _element(value: Sequence[Json], step: Step, here: str) -> Json:
    if not isinstance(step, int):
        raise PathNotFound(
            f"{here!r} is a list of {len(value)}, so it has no {step!r}: take one element "
            f"first, as in {here}[0]."
        )
    if -len(value) <= step < len(value):
        return value[step]
    raise PathNotFound(f"{here!r} has {len(value)} elements, so there is no [{step}].")


def is_list(value: object) -> TypeGuard[Sequence[Json]]:
    """Whether a JSON value is a list; a text is none."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def describe_kind(value: object) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    for types, words in _KINDS:
        if isinstance(value, types):
            return words
    return f"a {type(value).__name__}"


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a number"),
    (str, "a text"),
    (Mapping, "an object"),
    (Sequence, "a list"),
)
