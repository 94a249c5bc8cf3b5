"""transform: computes a value with Python, in a sandbox."""

from __future__ import annotations

from collections.abc import Mapping

from director.workflow.config_fields import Field, Form, accept_any_field, check_text_field
from director.workflow.expressions import check_expression_code, check_expression_name
from director.workflow.types.type_definition import NodeKind, make_producing_form
from director.workflow.values import Config, Json

_RIGHT = 'give "input" and Python "code", such as [x for x in input if x["open"]]'


def list_transform_inputs(given: Json) -> tuple[str, ...]:
    """The names under which code sees its input: those of an object, else `input`."""
    return tuple(given) if isinstance(given, Mapping) else ("input",)


def _rule(config: Config) -> None:
    names = list_transform_inputs(config.get("input"))
    for name in names:
        check_expression_name(name)
    code = config.get("code")
    if isinstance(code, str) and code.strip():
        check_expression_code(code, names=names)


KIND = NodeKind(
    type="transform",
    says="computes a value with Python, in a sandbox",
    forms={
        "": make_producing_form(
            Form(
                {
                    "input": Field(
                        accept_any_field, "one value, seen as `input`, or an object of named values"
                    ),
                    "code": Field(
                        check_text_field,
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
