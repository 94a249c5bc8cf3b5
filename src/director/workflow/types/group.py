"""group: runs some nodes under one name."""

from __future__ import annotations

from director.workflow.config_fields import Field, Form, flag, object_of, text
from director.workflow.types.named_nodes import nodes
from director.workflow.types.type_definition import NodeKind, producing

_RIGHT = 'give "nodeRange": "first..last" and, for {{param.x}}, "params": {"x": value}'

KIND = NodeKind(
    type="group",
    says="runs some nodes under one name",
    forms={
        "": producing(
            Form(
                {
                    "nodeRange": Field(nodes(), "the nodes", required=True, templates=False),
                    "name": Field(text, "what it is called", templates=False),
                    "params": Field(object_of(), "what its nodes see as {{param.x}}"),
                    "continueOnError": Field(
                        flag, "a node that fails does not stop the others", default=False
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
