"""group: runs some nodes under one name."""

from __future__ import annotations

from director.workflow.config_fields import (
    Field,
    Form,
    check_flag_field,
    check_text_field,
    make_object_field_check,
)
from director.workflow.types.named_nodes import check_named_nodes
from director.workflow.types.type_definition import NodeKind, make_producing_form

_RIGHT = 'give "nodeRange": "first..last" and, for {{param.x}}, "params": {"x": value}'

KIND = NodeKind(
    type="group",
    says="runs some nodes under one name",
    forms={
        "": make_producing_form(
            Form(
                {
                    "nodeRange": Field(
                        check_named_nodes(), "the nodes", required=True, templates=False
                    ),
                    "name": Field(check_text_field, "what it is called", templates=False),
                    "params": Field(make_object_field_check(), "what its nodes see as {{param.x}}"),
                    "continueOnError": Field(
                        check_flag_field,
                        "a node that fails does not stop the others",
                        default=False,
                    ),
                },
                dict.fromkeys(("groupId", "parameters", "nodes", "define_group"), _RIGHT),
            )
        )
    },
    effects={"": "idempotent"},
    line=lambda config: str(config.get("name") or f"nodes {config.get('nodeRange')}"),
    references=("nodeRange",),
)
