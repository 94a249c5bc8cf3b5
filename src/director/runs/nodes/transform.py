"""transform: computes a value with Python, in the sandbox."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from director.workflow.paths import is_list
from director.workflow.sensitive import mask_sensitive
from director.workflow.templates import SECRET, defuse_templates, stringify_template_value
from director.workflow.values import Json

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit

_MANY = 3
_SHOWN = 3
_LONGEST = 60


async def execute(visit: NodeVisit) -> Json:
    """What the code gives for its input."""
    given = visit.config.get("input")
    values: dict[str, Json] = dict(given) if isinstance(given, Mapping) else {"input": given}
    code = str(visit.config["code"])
    found = await visit.engine.sandbox.value(code, values)
    if note := describe_empty_result(code, values, found):
        visit.step = replace(visit.step, notes=(*visit.step.notes, note))
    return await asyncio.to_thread(_without_new_secrets, values, found)


def describe_empty_result(code: str, values: Mapping[str, Json], found: Json) -> str:
    """A sentence about code that keeps none of many rows, with what the fields hold that it names.

    None may be right; a condition that no row can fulfil looks the same.
    """
    given = [value for value in values.values() if is_list(value)]
    if found != [] or len(given) != 1 or len(given[0]) < _MANY:
        return ""
    rows = [row for row in given[0] if isinstance(row, Mapping)]
    said = [f"None of {len(given[0])} rows was kept."]
    for name in dict.fromkeys(name for row in rows for name in row):
        if re.search(rf"""(['"]){re.escape(name)}\1""", code):
            seen = list(
                dict.fromkeys(_show(mask_sensitive(row.get(name), name=name)) for row in rows)
            )
            more = ", …" if len(seen) > _SHOWN else ""
            said.append(f"{name!r} is {', '.join(seen[:_SHOWN])}{more}.")
    return " ".join(said)


def _show(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _without_new_secrets(values: dict[str, Json], found: Json) -> Json:
    # Code may hand on the name of a secret that it was given, but not make one up.
    given_names = set(SECRET.findall(stringify_template_value(values)))
    made_up = set(SECRET.findall(stringify_template_value(found))) - given_names
    return defuse_templates(found) if made_up else found
