"""cognition: a model answers, and its answer is of a schema or the node fails."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from director.runs.json_schema import SchemaMismatch, fit_json_schema
from director.runs.values import RunError
from director.workflow.bounds import ValueTooLarge, check_bounds
from director.workflow.patterns import PatternError
from director.workflow.templates import defuse_templates
from director.workflow.values import Config, Json

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit


async def execute(visit: NodeVisit) -> Json:
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
        raise visit.make_failure(f"The model did not answer: {problem}", kind="think") from problem
    try:
        return await asyncio.to_thread(_fit_answer, answer, schema)
    except (SchemaMismatch, ValueTooLarge, PatternError) as problem:
        raise visit.make_failure(f"Schema validation failed: {problem}", kind="schema") from None


def _fit_answer(answer: Json, schema: Config) -> Json:
    """The answer of the schema. Its patterns may take a while, so this is not for the loop."""
    check_bounds(answer, what="The answer")
    return defuse_templates(fit_json_schema(answer, schema))
