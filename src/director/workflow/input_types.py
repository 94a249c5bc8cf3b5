"""Inputs: what a run is given, of which type, and whether it is a secret. Pure.

A value of another type is refused with the right form, never converted to something else. An
input of an earlier version has the type `any` and takes whatever it is given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from director.workflow.paths import describe_kind, is_list
from director.workflow.sensitive import is_sensitive, mask_sensitive
from director.workflow.templates import SECRET
from director.workflow.values import Input, Json, Workflow, WorkflowError


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_CHECKS: Mapping[str, Callable[[Json], bool]] = {
    "any": lambda _: True,
    "text": lambda value: isinstance(value, str),
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "list": is_list,
    "object": lambda value: isinstance(value, Mapping),
}
INPUT_TYPES = tuple(_CHECKS)
_EXAMPLE = 300  # characters of a default that is shown as an example
_WRITTEN = {
    "text": "a text",
    "number": "a number, such as 7 or 2.5",
    "boolean": "true or false",
    "list": 'a list, such as ["a", "b"] or [{"name": "a"}]',
    "object": 'an object, such as {"name": "a"}',
}


def check_input(one: Input) -> Iterator[str]:
    """What is wrong with an input besides its name."""
    if one.type not in _CHECKS:
        yield f"Input {one.name!r} has the type {one.type!r}: take one of {', '.join(INPUT_TYPES)}."
    elif one.default is not None:
        try:
            check_input_value(one, one.default)
        except WorkflowError as problem:
            yield str(problem)
    # By its name alone an input of an earlier version may have one: its run puts it away.
    if one.sensitive and one.default is not None and not _is_reference(one.default):
        yield (
            f"Input {one.name!r} is a secret, and its default is written out. Nothing was kept. "
            "Take the default out, or give its reference, {{secret:name}}."
        )


def check_input_value(one: Input, value: Json) -> None:
    """Refuse a value that is not of the type of its input."""
    if _is_reference(value) and one.type in ("any", "text"):
        return
    if not _CHECKS[one.type](value):
        raise WorkflowError(
            f"The input {one.name!r} takes {_form(one)}, not {describe_kind(value)} "
            f"({str(value)[:60]!r})."
        )


def _form(one: Input) -> str:
    """How a value of an input is written: as its own default is, if that shows it."""
    told = one.type in ("list", "object") and one.default and not is_secret_input(one)
    if told and _CHECKS[one.type](one.default):
        kind = _WRITTEN[one.type].partition(",")[0]
        first = one.default[:1] if is_list(one.default) else one.default
        text = json.dumps(mask_sensitive(first, name=one.name), ensure_ascii=False)
        if len(text) <= _EXAMPLE:
            return f"{kind}, such as {text}"
    return _WRITTEN[one.type]


def is_secret_input(one: Input) -> bool:
    """Whether the value of an input goes into the vault: it is said so, or its name says it."""
    return one.sensitive or is_sensitive(one.name)


def declare_workflow_input(workflow: Workflow, one: Input) -> Workflow:
    """The workflow with this input, in the place of an earlier one of its name."""
    kept = [one if each.name == one.name else each for each in workflow.inputs]
    known = any(each.name == one.name for each in workflow.inputs)
    return replace(workflow, inputs=tuple(kept if known else (*kept, one)))


def _is_reference(value: Json) -> bool:
    return isinstance(value, str) and SECRET.fullmatch(value.strip()) is not None
