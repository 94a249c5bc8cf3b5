"""cognition: a model answers, and its answer is of a schema or the node fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from director.runs.schema import SchemaError, of_schema
from director.runs.values import RunError
from director.workflow.templates import defused
from director.workflow.values import Json

if TYPE_CHECKING:
    from director.runs.engine import Visit


async def execute(visit: Visit) -> Json:
    """The answer, checked and where possible repaired."""
    think = visit.engine.means.think
    if think is None:
        raise RunError(
            f"{visit.node.alias!r} is a cognition node and needs a model: "
            "hand one in as `think`, or leave the node out of the run."
        )
    schema = visit.config["schema"]
    if not isinstance(schema, Mapping):
        raise RunError(f"{visit.node.alias!r} has no schema.")
    try:
        answer = await think(str(visit.config["instruction"]), visit.config.get("input"), schema)
    except Exception as problem:
        raise visit.failed(f"The model did not answer: {problem}", kind="think") from problem
    try:
        return defused(of_schema(answer, schema))
    except SchemaError as problem:
        raise visit.failed(f"Schema validation failed: {problem}", kind="schema") from None
