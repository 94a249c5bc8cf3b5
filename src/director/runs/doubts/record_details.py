"""What was gathered about a record and is of another: a page that showed another item.

Told where the record itself says so: a field by which records differ is there under the same name,
agrees in nearly all of them and not in this one. Or where two have all of a page in common.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from director.runs.doubts.doubt import Doubt, is_same_text
from director.workflow.records import Record
from director.workflow.values import Json, Node

_SOME = 3  # records from which on agreement is no accident
_MANY = 5
_MOST = 0.8
_FIELDS = 3  # that are filled: two pages that have so much in common are one


def find_strange_details(nodes: Sequence[Node], records: Sequence[Record]) -> Iterator[Doubt]:
    """Doubts about nodes, each of which gathered something about records."""
    for node in nodes:
        name = str(node.config.get("as") or node.alias)
        known = [(each, _own(each), _row(each.vars.get(name))) for each in records]
        found = [(record, own, row) for record, own, row in known if row]
        yield from _find_other(node, found) or _find_same(node, found)


def _find_other(
    node: Node, found: Sequence[tuple[Record, dict[str, str], dict[str, str]]]
) -> list[Doubt]:
    for name in dict.fromkeys(field for _, own, _ in found for field in own):
        pairs = [(own[name], row[name]) for _, own, row in found if own.get(name) and row.get(name)]
        values = {own for own, _ in pairs}
        wrong = [(own, row) for own, row in pairs if not _agree(own, row)]
        is_sure = len(pairs) >= _SOME and len(pairs) - len(wrong) >= _MOST * len(pairs)
        if wrong and is_sure and len(values) == len(pairs):
            own, row = wrong[0]
            said = (
                f"{node.alias} read {row!r} in {name!r} for the record whose {name!r} is {own!r}: "
                "the page may be of another item."
            )
            evidence = {"field": name, "record": own, "read": row, "records": len(wrong)}
            return [Doubt("value", node.id, node.alias, said, evidence)]
    return []


def _find_same(
    node: Node, found: Sequence[tuple[Record, dict[str, str], dict[str, str]]]
) -> list[Doubt]:
    rows = [json.dumps(row, sort_keys=True) for _, _, row in found]
    twice = len(rows) - len({*rows})
    if not twice or len(rows) < _MANY or twice > (1 - _MOST) * len(rows):
        return []
    again = next(row for row in rows if rows.count(row) > 1)
    filled = [text for text in json.loads(again).values() if text]
    if len({*filled}) < _FIELDS:
        return []
    said = (
        f"{node.alias} read the same for {rows.count(again)} records, such as {filled[0]!r}, and "
        f"something else for each of the others: a page may be of another item."
    )
    evidence: dict[str, Json] = {"records": rows.count(again), "of": len(rows)}
    return [Doubt("repeated", node.id, node.alias, said, evidence)]


def _own(record: Record) -> dict[str, str]:
    """The fields of a record as texts, whichever node found them."""
    found: dict[str, str] = {}
    for name, value in record.fields.items():
        found |= _row(value) if isinstance(value, Mapping) else {name: _text(value)}
    return found


def _row(value: Json) -> dict[str, str]:
    """The fields of the one thing that a node read; none if it read several, or nothing."""
    if not isinstance(value, Mapping):
        return {}
    if isinstance(value.get("result"), Mapping):
        return _row(value["result"])
    items = value.get("items")
    if isinstance(items, Sequence) and not isinstance(items, str):
        return _row(items[0]) if len(items) == 1 else {}
    return {str(name): _text(each) for name, each in value.items()}


def _text(value: Json) -> str:
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return " ".join(str(value).split()) if plain else ""


def _agree(one: str, other: str) -> bool:
    """Whether they are the same, or one is a part of the other."""
    low, high = sorted((one.casefold(), other.casefold()), key=len)
    return is_same_text(one, other) or low.rstrip("…. ") in high
