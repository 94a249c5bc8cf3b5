"""iterate: runs its body for each record, or for each element of a list, one after another.

What is gone through is decided once, before it begins. Each item has a step of its own, so a run
that is resumed goes on with those that are not finished.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from director.runs.values import NodeFailed, Step, VisitScope
from director.workflow.made_records import describe_missing_records, has_made_records
from director.workflow.paths import is_list
from director.workflow.records import Record, Status, select_records
from director.workflow.values import Json

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit


async def plan(visit: NodeVisit) -> Json:
    """What to go through: ids of records, or elements."""
    items, limit = _list_all(visit), visit.config.get("limit")
    return items[:limit] if isinstance(limit, int) else items


def _list_all(visit: NodeVisit) -> list[Json]:
    """What there is to go through, whatever the limit."""
    config = visit.config
    if config.get("records") is not None:
        known = visit.engine.ledger.records.values()
        query = str(config["records"])
        items: list[Json] = [record.id for record in select_records(query, known)]
        nodes = visit.engine.nodes.values()
        if not items and not has_made_records(query, nodes):
            raise visit.make_failure(describe_missing_records(query, nodes), kind="records")
    else:
        over = config.get("over")
        items = list(over) if is_list(over) else []
    return items


async def execute(visit: NodeVisit) -> Json:
    """Run the body for each item."""
    items = visit.step.plan if is_list(visit.step.plan) else []
    limit = visit.config.get("limit")
    left = len(_list_all(visit)) - len(items) if isinstance(limit, int) else 0
    results: list[Json] = []
    errors: list[Json] = []
    first = ""
    for index, item in enumerate(items):
        name = item if visit.config.get("records") is not None else index
        try:
            results.append({"record_id": name, "results": await _one(visit, index, item, items)})
        except NodeFailed as failed:
            # An answer that is not of its schema would go on failing for every item.
            if visit.config.get("on_error") == "stop" or failed.kind == "schema":
                raise
            errors.append({"record_id": name, "error": str(failed)})
            first = first or str(failed)
    if items and not results:
        raise visit.make_failure(
            f"Every round failed, {len(errors)} in all. The first: {first}", kind="rounds"
        )
    found = Counter(
        record.type
        for record in visit.engine.ledger.records.values()
        if record.visit.startswith(f"{visit.key}[")
    )
    return {
        "processed": len(results),
        "total": len(items),
        "results": results,
        "errors": errors,
        "recordsFailed": len(errors),
        **({"left": left} if left > 0 else {}),
        **({"records": dict(found)} if found else {}),
    }


async def _one(visit: NodeVisit, index: int, item: Json, items: object) -> Json:
    engine = visit.engine
    total = len(items) if is_list(items) else 0
    by_record = visit.config.get("records") is not None
    key = f"{visit.key}[{item if by_record else index}]"
    known = engine.ledger.step(key)
    if known and known.state == "finished":
        if known.status == "failed":
            raise NodeFailed(
                known.error, key=known.key, alias=visit.node.alias, kind=known.error_kind
            )
        return known.result
    place = _place(visit, key, index, item=item, total=total)
    step = known
    if step is None or step.state != "begun":
        fresh = Step(key, visit.node.id, visit.node.alias, "item", "open", acted=True)
        step = engine.ledger.begin(fresh, _mark_record(visit, place, "processing", fresh))
    body = visit.config["body"]
    try:
        result: Json = await engine.run_all(
            [str(id_) for id_ in body] if is_list(body) else [], place
        )
    except NodeFailed as failed:
        told = replace(step, status="failed", error=str(failed), error_kind=failed.kind)
        engine.ledger.finish(told, records=_mark_record(visit, place, "failed", step, str(failed)))
        raise
    records = _mark_record(visit, place, "complete", step)
    engine.ledger.finish(replace(step, result=result), records=records)
    return result


def _place(visit: NodeVisit, key: str, index: int, *, item: Json, total: int) -> VisitScope:
    local: dict[str, Json] = {
        "index": index,
        "total": total,
        "isFirst": index == 0,
        "isLast": index == total - 1,
    }
    if visit.config.get("records") is not None:
        return replace(visit.place.inside(key, **local), record=str(item))
    variable = str(visit.config["variable"])
    counted = str(visit.config.get("index") or f"{variable}Index")
    return visit.place.inside(key, **local, **{variable: item, counted: index})


def _mark_record(
    visit: NodeVisit, place: VisitScope, status: Status, step: Step, error: str = ""
) -> list[Record]:
    if visit.config.get("records") is None:
        return []
    record = visit.engine.ledger.records[place.record]
    return [replace(record, status=status, error=error, retries=step.attempt - 1)]
