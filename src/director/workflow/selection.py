"""Selections: which nodes are meant by `5`, `3-5`, `1-3,10`, `alias`, `a..b` or `all`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from director.workflow.nearest import write_nearest_hint
from director.workflow.values import Node, WorkflowError

_NUMBERS = re.compile(r"(\d{1,9})\s*-\s*(\d{1,9})")


def resolve_selection(text: str | int, nodes: Sequence[Node]) -> tuple[str, ...]:
    """The ids of the nodes that a selection names, each once, in the order of the workflow."""
    if not nodes:
        raise WorkflowError(f"Nothing can be selected with {text!r}: the workflow has no nodes.")
    if str(text).strip().casefold() == "all":
        return tuple(node.id for node in nodes)
    chosen: set[int] = set()
    for part in str(text).split(","):
        chosen.update(list_selection_places(part.strip(), nodes))
    return tuple(node.id for place, node in enumerate(nodes) if place in chosen)


def list_selection_places(part: str, nodes: Sequence[Node]) -> range:
    """The places, from 0, of one part of a selection: a node or a range."""
    ends = _NUMBERS.fullmatch(part)
    first, last = (ends[1], ends[2]) if ends else _ends(part)
    start, end = find_selection_place(first, nodes), find_selection_place(last, nodes)
    if start > end:
        raise WorkflowError(
            f"The range {part!r} runs backwards: {first!r} is node {start + 1}, "
            f"{last!r} is node {end + 1}. Write it the other way round."
        )
    return range(start, end + 1)


def _ends(part: str) -> tuple[str, str]:
    first, _, last = part.partition("..")
    return (first.strip(), last.strip()) if first and last else (part, part)


def find_selection_place(name: str | int, nodes: Sequence[Node]) -> int:
    """The place, from 0, of the node with this position, alias or id."""
    if isinstance(name, int) or (name.isdecimal() and len(name) < 10):
        return _at(int(name), nodes)
    for place, node in enumerate(nodes):
        if name in (node.alias, node.id):
            return place
    known = [node.alias for node in nodes]
    raise WorkflowError(f"There is no node {name!r}.{write_nearest_hint(name, known)}")


def _at(position: int, nodes: Sequence[Node]) -> int:
    if not 1 <= position <= len(nodes):
        have = f"has nodes 1 to {len(nodes)}" if nodes else "has no nodes"
        raise WorkflowError(f"There is no node {position}: the workflow {have}.")
    return position - 1
