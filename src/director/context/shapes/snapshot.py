"""Page snapshots made smaller: what can be acted on stays, prose and markup give way.

A snapshot comes as the response of a browser tool or as a bare accessibility tree. No marker that
a next step may name (`[ref=e12]`, `[33]<button`, `[123]`, `uid=1_2`) is ever dropped or invented.
"""

from __future__ import annotations

import re
from functools import lru_cache

from director.context.shapes.snapshot_envelope import Part, around, parts
from director.context.shapes.snapshot_fit import Item, fit
from director.context.shapes.snapshot_items import compact, items
from director.context.shapes.snapshot_nodes import (
    LARGE,
    LATEST,
    Notation,
    SnapshotNode,
    find_notation,
    nodes,
)
from director.context.values import Level

_RESPONSE = re.compile(
    r"^### (?:Ran Playwright code|Page state|Page|Snapshot|Open tabs)$"
    r"|^- Page Snapshot:?|^\s*- generic (?:\[active\] )?\[ref=\w+\]:$",
    re.MULTILINE,
)
_SAMPLE = 12_000
# Two thirds of an aria snapshot are indentation, markers of containers and repeated labels, so a
# page says what it has to say in the rest; what was shrunk already is not measured again.
_SHARE = 29
_SMALL = 3_000


def recognise(text: str) -> bool:
    """Whether a text is a page snapshot or the response of a browser tool."""
    head = text[:_SAMPLE]
    if _RESPONSE.search(head):
        return True
    if "Call log:" in head and "\n" in head and "waiting for" in head:
        return True
    return _body(_lines(head)) is not None


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _body(lines: list[str]) -> tuple[int, Notation] | None:
    """Where a bare snapshot starts and how it speaks, None if there is none."""
    for start in _starts(lines):
        notation = find_notation(lines[start : start + 200])
        if notation is not None:
            return start, notation
    return None


def _starts(lines: list[str]) -> list[int]:
    """The places where a tree may begin: at the top, or after a few lines of preamble."""
    marked = re.compile(r"\s*(?:[-*] |\||\*?\[|uid=|[A-Za-z]+ [\"'])")
    first = next((at for at, line in enumerate(lines[:60]) if marked.match(line)), 0)
    return list(dict.fromkeys((first, 0, *_after_headers(lines))))


def _after_headers(lines: list[str]) -> list[int]:
    return [at + 1 for at, line in enumerate(lines[:40]) if line.rstrip().endswith((":", "===="))]


def _tree(lines: list[str], notation: Notation, level: Level, room: int) -> str:
    found = nodes(lines, notation)
    if level == "low":
        return compact(found)
    if notation == "aria" and not any(node.pre[:2] != "- " for node in found):
        room = min(room, max(sum(map(len, lines)) * _SHARE // 100, _SMALL))
    tree = "\n".join(lines)
    seen = list(_items(tree, notation)) if len(tree) <= LARGE else items(found, notation)
    smaller = fit(seen, level, room)
    # A page of many like texts may be told in less by counting them than by their literals.
    return min(smaller, fit(seen, "medium", room), key=len) if level == "high" else smaller


@lru_cache(maxsize=LATEST)
def _items(tree: str, notation: Notation) -> list[Item]:
    return items(nodes(tree.split("\n"), notation), notation)


def _parts(text: str) -> list[Part]:
    return _remember_parts(text) if len(text) <= LARGE else parts(_lines(text))


@lru_cache(maxsize=LATEST)
def _remember_parts(text: str) -> list[Part]:
    # Shared by all who read this page: none of them may change it.
    return parts(_lines(text))


def render(text: str, level: Level, room: int) -> str:
    """The snapshot at a level, near `room` characters and never longer than it was."""
    if level == "none":
        return text
    pieces = _parts(text)
    if len(pieces) == 1:
        smaller = _bare(pieces[0].lines, level, room)
    else:
        said = [around(piece.lines, level, room) if not piece.tree else [] for piece in pieces]
        trees = max(sum(piece.tree for piece in pieces), 1)
        spent = sum(len(line) + 1 for lines in said for line in lines)
        left = max(room - spent, room // 2) // trees
        out: list[str] = []
        for piece, lines in zip(pieces, said, strict=True):
            out.extend([_tree(piece.lines, "aria", level, left)] if piece.tree else lines)
        smaller = "\n".join(out)
    return smaller if len(smaller) < len(text) else text


def has_tree(text: str) -> bool:
    """Whether a text that was recognised holds a snapshot, and not an empty one."""
    pieces = _parts(text)
    fenced = [line for piece in pieces if piece.tree for line in piece.lines]
    found = None if fenced else _body(pieces[0].lines)
    tree = fenced if found is None else pieces[0].lines[found[0] :]
    return any(line.strip() for line in tree)


def tree_of(text: str) -> list[SnapshotNode]:
    """The nodes of the snapshot in a text, none if it holds no snapshot."""
    pieces = _parts(text)
    fenced = [line for piece in pieces if piece.tree for line in piece.lines]
    if fenced:
        return nodes(fenced, "aria")
    lines = pieces[0].lines
    found = _body(lines)
    return nodes(lines[found[0] :], found[1]) if found else []


def _bare(lines: list[str], level: Level, room: int) -> str:
    found = _body(lines)
    if found is None:
        return "\n".join(around(lines, level, room))
    start, notation = found
    head = around(lines[:start], level, room)
    tree = _tree(lines[start:], notation, level, max(room - sum(map(len, head)), room // 2))
    return "\n".join([*head, tree])
