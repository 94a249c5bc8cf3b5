"""iterate: runs its body for each record, or for each element of a list."""

from __future__ import annotations

from director.workflow.config_fields import (
    Field,
    Form,
    anything,
    choice,
    exactly_one_of,
    list_of,
    text,
    whole,
)
from director.workflow.expressions import check_name
from director.workflow.types.named_nodes import nodes
from director.workflow.types.type_definition import NodeKind, producing
from director.workflow.values import Config, WorkflowError

RESERVED = ("index", "total", "isFirst", "isLast", "current", "param")


def _rule(config: Config) -> None:
    exactly_one_of("records", "over")(config)
    over = config.get("over") is not None
    if over and not config.get("variable"):
        raise WorkflowError("'over' needs 'variable': the name of one element in the body.")
    for name in ("variable", "index"):
        value = config.get(name)
        if value is not None and not over:
            raise WorkflowError(f"{name!r} belongs to 'over'; a record is called current.")
        if isinstance(value, str):
            check_name(value)
            if value in RESERVED:
                raise WorkflowError(f"{name!r}: {value!r} has a meaning of its own here.")


KIND = NodeKind(
    type="iterate",
    says="runs its body for each record or element",
    forms={
        "": producing(
            Form(
                {
                    "records": Field(text, "which records: email_*, *, a list with commas, an id"),
                    "over": Field(
                        list_of(anything, least=0),
                        "a list, mostly a template such as {{find.items}}",
                    ),
                    "variable": Field(
                        text, "the element's name in the body, with over", templates=False
                    ),
                    "index": Field(
                        text, "its number's name; without it <variable>Index", templates=False
                    ),
                    "body": Field(nodes(), "the nodes to run", required=True, templates=False),
                    "limit": Field(whole(1), "at most so many"),
                    "on_error": Field(
                        choice("continue", "stop"),
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
