"""route: goes down the first branch whose condition holds."""

from __future__ import annotations

from collections.abc import Mapping

from director.workflow.config_fields import (
    Field,
    Form,
    check_config_form,
    check_text_field,
    make_list_field_check,
    make_object_field_check,
)
from director.workflow.expressions import check_expression_condition, check_expression_name
from director.workflow.paths import is_list
from director.workflow.types.named_nodes import check_named_nodes
from director.workflow.types.type_definition import NodeKind, make_producing_form
from director.workflow.values import Config, Json, WorkflowError

_RIGHT = 'give "branches": [{"name", "condition", "branch"}], the last with condition True'


def _condition(value: Json) -> None:
    if not isinstance(value, bool):
        check_text_field(value)


_BRANCH = Form(
    {
        "name": Field(check_text_field, "the name of the branch", required=True),
        "condition": Field(
            _condition, "a Python expression, or true", required=True, templates=False
        ),
        "branch": Field(
            check_named_nodes(least=0), "the nodes to run", required=True, templates=False
        ),
    },
    {
        "path": _RIGHT,
        "operator": "write the condition in Python, such as {{find.count}} > 3",
        "value": "write the condition in Python, such as {{find.count}} > 3",
    },
)


def _rule(config: Config) -> None:
    given = config.get("input")
    names = tuple(given) if isinstance(given, Mapping) else ()
    for name in names:
        check_expression_name(name)
    branches = config.get("branches")
    seen: list[Json] = []
    for branch in branches if is_list(branches) else ():
        if not isinstance(branch, Mapping):
            continue
        label, condition = branch.get("name"), branch.get("condition")
        if label in seen:
            raise WorkflowError(f"Two branches are called {label!r}.")
        seen.append(label)
        if isinstance(condition, str) and condition.strip():
            check_expression_condition(condition, names=names)


KIND = NodeKind(
    type="route",
    says="goes down the first branch whose condition holds",
    forms={
        "": make_producing_form(
            Form(
                {
                    "input": Field(
                        make_object_field_check(), "named values that conditions can use"
                    ),
                    "branches": Field(
                        make_list_field_check(check_config_form(_BRANCH)),
                        "name, condition and nodes; the first that holds",
                        required=True,
                        templates=False,
                    ),
                },
                dict.fromkeys(("value", "paths", "conditions", "default"), _RIGHT),
                _rule,
            )
        )
    },
    effects={"": "idempotent"},
    line=lambda config: " / ".join(_names(config)),
    references=("branches",),
)


def _names(config: Config) -> list[str]:
    branches = config.get("branches")
    found = branches if is_list(branches) else ()
    return [str(branch.get("name")) for branch in found if isinstance(branch, Mapping)]
