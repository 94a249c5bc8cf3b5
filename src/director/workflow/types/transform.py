"""transform: computes a value with Python, in a sandbox."""

from __future__ import annotations

from collections.abc import Mapping

from director.workflow.config_fields import Field, Form, anything, text
from director.workflow.expressions import check_code, check_name
from director.workflow.types.type_definition import NodeKind, producing
from director.workflow.values import Config, Json

_RIGHT = 'give "input" and Python "code", such as [x for x in input if x["open"]]'


def input_names(given: Json) -> tuple[str, ...]:
    """The names under which code sees its input: those of an object, else `input`."""
    return tuple(given) if isinstance(given, Mapping) else ("input",)


def _rule(config: Config) -> None:
    names = input_names(config.get("input"))
    for name in names:
        check_name(name)
    code = config.get("code")
    if isinstance(code, str) and code.strip():
        check_code(code, names=names)


KIND = NodeKind(
    type="transform",
    says="computes a value with Python, in a sandbox",
    forms={
        "": producing(
            Form(
                {
                    "input": Field(
                        anything, "one value, seen as `input`, or an object of named values"
                    ),
                    "code": Field(
                        text,
                        "an expression, or statements whose last is one: the result",
                        required=True,
                        templates=False,
                    ),
                },
                dict.fromkeys(("function", "expression", "operation", "script"), _RIGHT),
                _rule,
            )
        )
    },
    effects={"": "idempotent"},
    line=lambda config: str(config.get("code", "")).strip().rpartition("\n")[2],
)
