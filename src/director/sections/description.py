"""The description section: what the workflow is to do, and what is not yet said about it."""

from __future__ import annotations

from collections.abc import Iterator

from director.context.values import Section
from director.sections.boundary import wrap_section
from director.sections.value_text import write_value_bullets, write_value_field
from director.workflow.description import PARTS, Description, list_missing_description_parts

NONE = "No description yet: agree with the user on what to build, then update_workflow_description."


def render_description_section(description: Description | None) -> Section:
    """The whole description."""
    text = NONE if description is None else "\n".join(_lines(description))
    return wrap_section("description", text, "agent")


def _lines(description: Description) -> Iterator[str]:
    for part in PARTS:
        value = getattr(description, part)
        yield from (
            write_value_field(part, value)
            if isinstance(value, str)
            else write_value_bullets(part, value)
        )
    yield from write_value_field(
        "not said yet", ", ".join(list_missing_description_parts(description))
    )
