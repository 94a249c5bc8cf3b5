"""context: sets variables of the run, to values or to what a person answers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from director.workflow.config_fields import Field, Form, check_text_field, make_object_field_check
from director.workflow.types.iterate import RESERVED
from director.workflow.types.type_definition import NodeKind
from director.workflow.values import Config, Json, WorkflowError

_NAME = re.compile(r"[A-Za-z_]\w*(\.\w+)*")
_RIGHT = 'give "variables": {"name": value}'


def _rule(config: Config) -> None:
    for name in _names(config):
        check_variable(name)
    if not config.get("variables") and not config.get("ask"):
        raise WorkflowError("Give 'variables', 'ask', or both.")


def check_variable(name: Json) -> None:
    """A name that a variable can have, so that templates can reach it."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise WorkflowError(f"{name!r} cannot name a variable: use letters, digits, _ and dots.")
    if name.split(".")[0] in RESERVED:
        raise WorkflowError(f"{name!r} cannot name a variable: it has a meaning of its own.")


KIND = NodeKind(
    type="context",
    says="sets variables of the run",
    forms={
        "": Form(
            {
                "variables": Field(make_object_field_check(), "the variables and their values"),
                "ask": Field(
                    make_object_field_check(check_text_field),
                    "variables, and what to ask a person for each",
                ),
            },
            dict.fromkeys(("operation", "key", "value"), _RIGHT),
            _rule,
        )
    },
    effects={"": "idempotent"},
    line=lambda config: f"set {', '.join(_names(config))}",
)


def _names(config: Config) -> list[str]:
    given = (config.get("variables"), config.get("ask"))
    return [name for each in given if isinstance(each, Mapping) for name in each]
