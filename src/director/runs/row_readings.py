"""What the steps of a run read of lists, as the values that doubts are found by."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from director.runs.doubts import RowReading
from director.runs.doubts.doubt import RowVisit, is_blank
from director.runs.observation import READS_ROWS
from director.runs.run_text import write_selector_text
from director.runs.values import Step
from director.workflow.paths import is_list
from director.workflow.values import Config, Json, Node

_LISTED = ("absent", "columns", "marked")
_NAMES_ONE = ("name", "label", "test_id", "text", "path", "nth")


def list_row_readings(nodes: Mapping[str, Node], steps: Iterable[Step]) -> list[RowReading]:
    """The nodes that read rows, each with its visits in the order in which they were made."""
    visits: dict[str, list[RowVisit]] = {}
    for step in sorted(steps, key=lambda each: each.began):
        if step.node in nodes and is_row_reading(step):
            visits.setdefault(step.node, []).append(make_visit(step))
    return [_reading(nodes[id_], found) for id_, found in visits.items()]


def is_row_reading_done(step: Step) -> bool:
    """Whether a step came to its end, at least in part."""
    done = step.state == "finished" and step.status in ("success", "partial")
    return done and step.type != "item"


def is_row_reading(step: Step) -> bool:
    """Whether a step reads or counts the rows of a list."""
    method = step.config.get("method")
    return step.type == "browser_query" and method in READS_ROWS


def _reading(node: Node, visits: Sequence[RowVisit]) -> RowReading:
    wanted, selector = node.config.get("create_records"), node.config.get("selector")
    key = str(wanted.get("key") or "") if isinstance(wanted, Mapping) else ""
    return RowReading(
        node.id,
        node.alias,
        tuple(visits),
        makes_records=wanted is not None,
        only_counts=node.config.get("method") == "count",
        key=key,
        checks=node.checks,
        is_one=isinstance(selector, Mapping) and any(selector.get(name) for name in _NAMES_ONE),
        merges=isinstance(wanted, Mapping) and bool(key or wanted.get("id_pattern")),
        kind=name_kind(node),
        limit=as_count(node.config.get("limit")),
    )


def name_kind(node: Node) -> str:
    """What tells nodes apart that do not read the same of a list into records of one type."""
    if node.config.get("create_records") is None:
        return node.id
    names = ("method", "selector", "fields", "create_records")
    return json.dumps([node.config.get(name) for name in names], sort_keys=True, default=dict)


def make_visit(step: Step) -> RowVisit:
    """What one step read, and what its page said."""
    seen = step.observed or {}
    items = _items(step)
    rows = tuple(row for row in items if not is_blank(row))
    limit, turns = step.config.get("limit"), step.config.get("method") == "extract_all"
    result = cast("Config", step.result if isinstance(step.result, Mapping) else {})
    return RowVisit(
        step.key,
        str(seen.get("url", "")),
        rows,
        counters=cast("tuple[Config, ...]", tuple(as_rows(seen.get("counters")))),
        **_describe_fields(seen),
        following=_find_following(step, seen),
        preceding=cast("Config | None", None if turns else seen.get("preceding")),
        pages=cast("Config | None", seen.get("pages")),
        of=as_count(seen.get("of")),
        own=as_count(seen.get("own")),
        skips=seen.get("skips") is True,
        matched=as_count(result.get("totalElements")),
        limited=isinstance(limit, int) and len(items) >= limit,
        words=str(seen.get("words", "")),
        made=(step.records or {}).get("made"),
        merged=(step.records or {}).get("merged", 0),
        trouble=str(seen.get("trouble") or ""),
        asks_login=seen.get("asks_login") is True,
        later=cast("Config", seen.get("later") or {}),
        distinct=max(0, as_count(seen.get("distinct")) - len(items) + len(rows)),
        empty=len(items) - len(rows),
        hidden=as_count(seen.get("hidden")),
        hidden_at=tuple(as_count(each) for each in as_rows(seen.get("hidden_at"))),
        is_touched=seen.get("touched") is True,
        drawn=as_count(seen.get("drawn")),
        parts=tuple(as_count(each) for each in as_rows(result.get("pages"))),
        unturned=_find_unturned(step, result),
        room=0 if turns else as_count(seen.get("room")),
    )


def _describe_fields(seen: Config) -> dict[str, Any]:
    """What the page says of the fields of the rows, by the names of a visit."""
    told = {name: seen.get(name) or {} for name in ("cut", "pictured", "covered", "headings")}
    listed = {name: tuple(map(str, as_rows(seen.get(name)))) for name in _LISTED}
    return {**told, **listed}


def _find_following(step: Step, seen: Config) -> Config | None:
    """What leads on; not a button that the step itself pressed until nothing came any more."""
    found = cast("Config | None", seen.get("following"))
    is_pressed = step.config.get("next") is not None and found and not found.get("href")
    return None if is_pressed else found


def _find_unturned(step: Step, result: Config) -> str:
    """What should have turned the pages of a list, if it never did."""
    is_left = step.config.get("next") is None or result.get("steps") != 0
    return "" if is_left else write_selector_text(step.config["next"])


def _items(step: Step) -> Sequence[Json]:
    """The rows that a step read; of one that only counts, a number for each."""
    result = step.result if isinstance(step.result, Mapping) else {}
    if step.config.get("method") == "count":
        return range(1, as_count(result.get("count")) + 1)
    return as_rows(result.get("items"))


def as_rows(value: Json) -> Sequence[Json]:
    """A list, or none."""
    return value if is_list(value) else ()


def as_count(value: Json) -> int:
    """A whole number, or 0."""
    return value if isinstance(value, int) else 0
