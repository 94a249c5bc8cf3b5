"""handle: tries nodes, runs others if they fail, and some in any case."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from director.runs.left_out import doubt_left_item
from director.runs.values import NodeFailed
from director.workflow.paths import is_list
from director.workflow.values import Json

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit


async def execute(visit: NodeVisit) -> Json:
    """The result of try, or of catch; `finally` runs in any case and masks no earlier error."""
    error: Json = None
    first: NodeFailed | None = None
    try:
        results = await _part(visit, "try")
    except NodeFailed as failed:
        error, first = _describe_failure(failed), failed
        results = []
        if visit.config.get("catch"):
            try:
                results = await _part(visit, "catch", lastError=error)
                first = None
            except NodeFailed as again:
                failed.add_note(f"Its catch failed too: {again}")
    try:
        await _part(visit, "finally", lastError=error)
    except NodeFailed as last:
        first = first or last
    if first is not None:
        raise first
    if error is None:
        visit.step = doubt_left_item(visit, "try")
    return {
        "success": True,
        "recovered": error is not None,
        "error": error,
        "result": results[-1]["result"] if results else None,
    }


async def _part(visit: NodeVisit, name: str, **local: Json) -> list[dict[str, Json]]:
    named = visit.config.get(name)
    ids = [str(id_) for id_ in named] if is_list(named) else []
    place = visit.place.inside(f"{visit.key}({name})", **local)
    return await visit.engine.run_all(ids, place)


def _describe_failure(failed: NodeFailed) -> Json:
    return {
        "message": str(failed),
        "node": failed.alias,
        "kind": failed.kind,
        "timestamp": datetime.now(UTC).isoformat(),
    }
