"""agent: lets a bounded sub-agent reach a goal."""

from __future__ import annotations

from director.workflow.config_fields import Field, Form, text, whole
from director.workflow.types.type_definition import NodeKind, producing

KIND = NodeKind(
    type="agent",
    says="lets a bounded sub-agent reach a goal",
    forms={
        "": producing(
            Form(
                {
                    "goal": Field(text, "what is to be reached", required=True),
                    "maxSteps": Field(whole(1, 100), "the most steps it may take", default=10),
                },
                {"instruction": "it is called 'goal'", "max_steps": "it is called 'maxSteps'"},
            )
        )
    },
    effects={"": "once"},
    line=lambda config: str(config.get("goal", "")),
)
