"""agent: lets a bounded sub-agent reach a goal."""

from __future__ import annotations

from director.workflow.config_fields import (
    Field,
    Form,
    check_text_field,
    make_whole_number_field_check,
)
from director.workflow.types.type_definition import NodeKind, make_producing_form

KIND = NodeKind(
    type="agent",
    says="lets a bounded sub-agent reach a goal",
    forms={
        "": make_producing_form(
            Form(
                {
                    "goal": Field(check_text_field, "what is to be reached", required=True),
                    "maxSteps": Field(
                        make_whole_number_field_check(1, 100),
                        "the most steps it may take",
                        default=10,
                    ),
                },
                {"instruction": "it is called 'goal'", "max_steps": "it is called 'maxSteps'"},
            )
        )
    },
    effects={"": "once"},
    line=lambda config: str(config.get("goal", "")),
)
