"""handle: tries nodes, runs others if they fail, and some in any case."""

from __future__ import annotations

from director.workflow.config_fields import Field, Form
from director.workflow.types.named_nodes import check_named_nodes
from director.workflow.types.type_definition import NodeKind, make_producing_form
from director.workflow.values import Config, WorkflowError


def _rule(config: Config) -> None:
    if config.get("try") is not None and not config.get("catch") and not config.get("finally"):
        raise WorkflowError("Give 'catch', 'finally', or both: 'try' alone changes nothing.")


KIND = NodeKind(
    type="handle",
    says="tries nodes, runs others if they fail, and some in any case",
    forms={
        "": make_producing_form(
            Form(
                {
                    "try": Field(
                        check_named_nodes(), "the nodes to try", required=True, templates=False
                    ),
                    "catch": Field(
                        check_named_nodes(),
                        "run if one fails; {{lastError}} says why",
                        templates=False,
                    ),
                    "finally": Field(check_named_nodes(), "run in any case", templates=False),
                },
                rule=_rule,
            )
        )
    },
    effects={"": "idempotent"},
    line=lambda config: f"try {config.get('try')}",
    references=("try", "catch", "finally"),
)
