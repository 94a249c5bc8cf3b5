"""cognition: asks a model for a value of a schema."""

from __future__ import annotations

from director.workflow.config_fields import Field, Form, anything, object_of, text
from director.workflow.types.type_definition import NodeKind, producing

KIND = NodeKind(
    type="cognition",
    says="asks a model for a value of a schema",
    forms={
        "": producing(
            Form(
                {
                    "instruction": Field(text, "what the model is to do", required=True),
                    "input": Field(anything, "what it is given, as data"),
                    "schema": Field(
                        object_of(),
                        "the JSON Schema of the answer",
                        required=True,
                        templates=False,
                    ),
                },
                {"prompt": "it is called 'instruction'"},
            )
        )
    },
    effects={"": "read"},
    line=lambda config: str(config.get("instruction", "")),
)
