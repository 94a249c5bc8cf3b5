"""iterate: runs its body for each record, or for each element of a list."""

from __future__ import annotations

from director.workflow.config_fields import (
    Field,
    Form,
    accept_any_field,
    check_text_field,
    make_choice_field_check,
    make_list_field_check,
    make_whole_number_field_check,
    require_exactly_one_field,
)
from director.workflow.expressions import check_expression_name
from director.workflow.types.named_nodes import check_named_nodes
from director.workflow.types.type_definition import NodeKind, make_producing_form
from director.workflow.values import Config, WorkflowError

RESERVED = ("index", "total", "isFirst", "isLast", "current", "param")


def _rule(config: Config) -> None:
    require_exactly_one_field("records", "over")(config)
    over = config.get("over") is not None
    if over and not config.get("variable"):
        raise WorkflowError("'over' needs 'variable': the name of one element in the body.")
    for name in ("variable", "index"):
        value = config.get(name)
        if value is not None and not over:
            raise WorkflowError(f"{name!r} belongs to 'over'; a record is called current.")
        if isinstance(value, str):
            check_expression_name(value)
            if value in RESERVED:
                raise WorkflowError(f"{name!r}: {value!r} has a meaning of its own here.")


KIND = NodeKind(
    type="iterate",
    says="runs its body for each record or element",
    forms={
        "": make_producing_form(
            Form(
                {
                    "records": Field(
                        check_text_field, "which records: email_*, *, a list with commas, an id"
                    ),
                    "over": Field(
                        make_list_field_check(accept_any_field, least=0),
                        "a list, mostly a template such as {{find.items}}",
                    ),
                    "variable": Field(
                        check_text_field,
                        "the element's name in the body, with over",
                        templates=False,
                    ),
                    "index": Field(
                        check_text_field,
                        "its number's name; without it <variable>Index",
                        templates=False,
                    ),
                    "body": Field(
                        check_named_nodes(), "the nodes to run", required=True, templates=False
                    ),
                    "limit": Field(make_whole_number_field_check(1), "at most so many"),
                    "on_error": Field(
                        make_choice_field_check("continue", "stop"),
                        "what one that fails does",
                        default="continue",
                    ),
                },
                {
                    "continueOnError": 'write "on_error": "continue" or "stop"',
                    "items": "it is called 'over', or 'records'",
                    "nodes": "it is called 'body'",
                },
                _rule,
            )
        )
    },
    effects={"": "idempotent"},
    line=lambda config: f"each of {config.get('records') or config.get('over')}",
    references=("body",),
)
