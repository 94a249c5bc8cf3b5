"""group: runs some nodes under one name; a failure inside is a failure of the group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from director.runs.values import NodeFailed, number_node_visits
from director.workflow.paths import is_list
from director.workflow.values import Json

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit


async def execute(visit: NodeVisit) -> Json:
    """Run them in the order of their list; stop at the first failure."""
    named = visit.config["nodeRange"]
    ids = [str(id_) for id_ in named] if is_list(named) else []
    params = visit.config.get("params")
    place = replace(
        visit.place.inside(visit.key), params=params if isinstance(params, Mapping) else {}
    )
    results: list[Json] = []
    errors: list[Json] = []
    for id_, nth in number_node_visits(ids):
        try:
            results.append(await visit.engine.visit_listed(id_, place, nth))
        except NodeFailed as failed:
            if not visit.config.get("continueOnError"):
                raise
            errors.append({"node": failed.alias, "error": str(failed)})
    told: dict[str, Json] = {
        "groupId": visit.config.get("name") or visit.node.alias,
        "nodeRange": [visit.engine.nodes[id_].alias for id_ in ids],
        "executed": len(results),
        "total": len(ids),
        "results": results,
        "success": not errors,
    }
    return {**told, "errors": errors} if errors else told
