"""Which records the nodes of a workflow make, and loops over records that none of them makes."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping

from director.workflow.values import Node


def list_made_types(nodes: Iterable[Node]) -> list[str]:
    """The types of records that nodes make."""
    found: dict[str, None] = {}
    for node in nodes:
        wanted = node.config.get("create_records")
        kind = wanted.get("type") if isinstance(wanted, Mapping) else wanted
        if isinstance(kind, str):
            found[kind] = None
    return list(found)


def has_made_records(query: str, nodes: Iterable[Node]) -> bool:
    """Whether some node makes records that a query such as `email_*` could name."""
    parts = [part.strip() for part in query.split(",")]
    types = list_made_types(nodes)
    return "{{" in query or any(_names(part, kind) for part in parts for kind in types)


def _names(part: str, kind: str) -> bool:
    # A type may be a template, and records of a type may have any name behind it.
    named = part.startswith(f"{kind}_") or part == kind
    return "{{" in kind or named or fnmatch.fnmatchcase(f"{kind}_001", part)


def describe_missing_records(query: str, nodes: Iterable[Node]) -> str:
    """Why a loop over records would go through nothing, and what to write."""
    types = list_made_types(nodes)
    there = f"there are {', '.join(map(repr, types))}" if types else "no node makes any"
    return (
        f"No node of this workflow makes records {query!r}: {there}. Records are made by a node "
        'with "create_records"; for a list, such as an input, write "over": "{{name}}" and '
        '"variable".'
    )


def warn_of_made_record_loops(node: Node, nodes: Iterable[Node]) -> Iterator[str]:
    """What is to be said of a loop when it is saved; its records may be made by a later node."""
    query = node.config.get("records") if node.type == "iterate" else None
    if isinstance(query, str) and not has_made_records(query, nodes):
        yield describe_missing_records(query, nodes)
