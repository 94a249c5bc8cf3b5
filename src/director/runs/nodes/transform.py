"""transform: computes a value with Python, in the sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from director.workflow.templates import SECRET, defuse_templates, stringify_template_value
from director.workflow.values import Json

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit


async def execute(visit: NodeVisit) -> Json:
    """What the code gives for its input."""
    given = visit.config.get("input")
    values: dict[str, Json] = dict(given) if isinstance(given, Mapping) else {"input": given}
    found = await visit.engine.sandbox.value(str(visit.config["code"]), values)
    return await asyncio.to_thread(_without_new_secrets, values, found)


def _without_new_secrets(values: dict[str, Json], found: Json) -> Json:
    # Code may hand on the name of a secret that it was given, but not make one up.
    given_names = set(SECRET.findall(stringify_template_value(values)))
    made_up = set(SECRET.findall(stringify_template_value(found))) - given_names
    return defuse_templates(found) if made_up else found
