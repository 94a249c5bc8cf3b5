"""What an exported script doubts: counts, equal values, limits, promises held before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from director.runs.doubts.page_claims import read_claim
from director.runs.held_before import OF_THE_NODE
from director.runs.script_actions import conditions
from director.runs.script_names import Names
from director.workflow.doubt_checks import is_by_model
from director.workflow.values import Config, Node

_NUMBER = r"\d[\d.,'\u2019\u00a0\u202f]*"


def note_rows(node: Node) -> Iterator[str]:
    """The line that remembers what a node read, if it has a check that a script can make."""
    checks = [check for check in node.checks if not check.get("dismissed")]
    total = next((check for check in checks if check.get("kind") == "total"), {})
    counter = write_pattern(str(total.get("counter", "")))
    unique = [str(check["field"]) for check in checks if check.get("kind") == "unique"]
    if node.config.get("limit") is not None or (not counter and not unique):
        return
    more = f", counter={counter!r}" if counter else ""
    more += f", unique={unique!r}" if unique else ""
    more += f", spare={total['tolerance']!r}" if total.get("tolerance") else ""
    yield f"note_rows(page, {node.alias!r}, found{more})"


def tell_left(node: Node, items: str, limit: str) -> Iterator[str]:
    """The line that tells of a loop that leaves some, if its limit is a number and no input."""
    most = node.config.get("limit")
    if isinstance(most, int) and not any(check.get("dismissed") for check in _of_limit(node)):
        is_slice = items.endswith(f"[:{limit[2:]}]")
        whole = items.removesuffix(f"[:{limit[2:]}]") if is_slice else items.replace(limit, "")
        yield f"tell_left({node.alias!r}, {most}, len({whole}))"


def _of_limit(node: Node) -> list[Config]:
    return [
        check for check in node.checks if check.get("kind") == "limit" and not is_by_model(check)
    ]


def is_looked_at(node: Node) -> bool:
    """Whether what a node ensures could have held before it and then shows nothing of it."""
    kinds = {kind for each in node.ensures for kind in each}
    happens_once = node.type == "browser_action" and node.effect == "once" and not node.proof
    return happens_once and bool(kinds) and not kinds & {*OF_THE_NODE, "records"}


def look_before(node: Node, names: Names) -> Iterator[str]:
    """The line that looks whether what a node ensures holds already."""
    if is_looked_at(node):
        now = [{**each, "within": 0} for each in node.ensures]
        checks = [f"lambda: {each}" for each in conditions(now, names, since="0")]
        yield f"held = look_before(page, {', '.join(checks)})"


def write_pattern(counter: str) -> str:
    """A pattern for the phrase of a counter whose group `total` is the length of the list."""
    pieces = counter.split("#")
    places = range(len(pieces) - 1)
    numbers = [str(place + 1) for place in places]
    said = "".join(f"{piece}{number}" for piece, number in zip(pieces, numbers, strict=False))
    claim = read_claim(said + pieces[-1], "pager")
    if claim is None or claim.total is None or not 1 <= claim.total <= len(numbers):
        return ""
    found = re.escape(pieces[0])
    for place in places:
        group = f"(?P<total>{_NUMBER})" if place + 1 == claim.total else _NUMBER
        found += group + re.escape(pieces[place + 1])
    return found
