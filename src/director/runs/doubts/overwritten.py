"""Values that each round of a loop kept under one name, so that only the last of them is left."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from director.runs.doubts.doubt import Doubt
from director.workflow.values import Json, Node

_KEEPS = ("create_records", "store_to_record")


def find_overwritten(
    nodes: Mapping[str, Node], visits: Mapping[str, Sequence[tuple[str, Json]]]
) -> Iterator[Doubt]:
    """Doubts about nodes that stored other values in each round, of which the last is used alone.

    `visits` are the keys and results of each node. What is used in its own round is used.
    """
    for id_, seen in visits.items():
        node, loop = nodes.get(id_), _find_loop(seen)
        loops = tuple({_loop_of(key) for key, _ in seen if "[" in key})
        if node is None or not loop or not node.config.get("store") or _names(node, node):
            continue
        users = [each for each in nodes.values() if each.id != id_ and _names(each, node)]
        after = [
            each.alias
            for each in users
            if any(not key.startswith(loops) for key, _ in visits.get(each.id, ()))
        ]
        if after or not (users or any(map(node.config.get, _KEEPS))):
            yield _doubt(node, sum(key.startswith(loop) for key, _ in seen), after)


def _doubt(node: Node, rounds: int, after: Sequence[str]) -> Doubt:
    said = f"{node.alias} kept {rounds} values under one name, and only the last is left"
    if after:
        said += (
            f" when {after[0]} uses it after the loop: make records of all of them and use "
            'those, such as {{get_all_records("field")}}.'
        )
    else:
        said += (
            ': write "store_to_record": true to keep each with its record (in a loop over '
            'records), or "create_records" to keep each as a record.'
        )
    return Doubt("rounds", node.id, node.alias, said, {"rounds": rounds, "used_by": [*after]})


def _find_loop(visits: Sequence[tuple[str, Json]]) -> str:
    """The beginning of the keys of a loop whose rounds gave other values; empty if none did."""
    loops: dict[str, set[str]] = {}
    for key, result in visits:
        if "[" in key:
            told = json.dumps(result, sort_keys=True, default=dict)
            loops.setdefault(_loop_of(key), set()).add(told)
    return next((loop for loop, told in loops.items() if len(told) > 1), "")


def _loop_of(key: str) -> str:
    """The beginning of the keys of all rounds of the innermost loop of a visit."""
    return key[: key.rindex("[") + 1]


def _names(node: Node, other: Node) -> bool:
    """Whether a node uses what another stores."""
    used = re.compile(r"\{\{\s*" + re.escape(other.alias) + r"\b")
    return used.search(json.dumps(asdict(node), default=dict)) is not None
