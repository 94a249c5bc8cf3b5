"""cognition: asks a model for a value of a schema."""

from __future__ import annotations

from director.workflow.config_fields import (
    Field,
    Form,
    accept_any_field,
    check_text_field,
    make_object_field_check,
)
from director.workflow.types.type_definition import NodeKind, make_producing_form

KIND = NodeKind(
    type="cognition",
    says="asks a model for a value of a schema",
    forms={
        "": make_producing_form(
            Form(
                {
                    "instruction": Field(
                        check_text_field, "what the model is to do", required=True
                    ),
                    "input": Field(accept_any_field, "what it is given, as data"),
                    "schema": Field(
                        make_object_field_check(),
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
