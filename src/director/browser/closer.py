"""Looking closer at a stored snapshot: find a text, expand a part, read what it says.

Pure functions over the stored text, bounded, each saying how to get the rest. A ref that is not
there is an error that names the nearest ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import islice

from director.browser.errors import BrowserError
from director.browser.snapshots import Snapshot
from director.context.shapes.snapshot_items import compact
from director.context.shapes.snapshot_nodes import SnapshotNode, nodes
from director.workflow.patterns import PatternError, search_pattern_in_texts

ROOM = 20_000
_MATCHES = 20
_REF = re.compile(r"\[ref=(\w+)\]")
_ANCHOR = re.compile(r"[\^$]|\\[AZz]")
_LINE = 400  # characters of a line in which a pattern is looked for


def find_snapshot_lines(
    snapshot: Snapshot, text: str, *, regex: bool = False, most: int = _MATCHES
) -> str:
    """The lines that hold a text, or match a pattern, each below what it stands in.

    `^` and `$` are the ends of an element's line, and of its name, its text and its address. A
    pattern may have to wait for a worker: never call it with one on the event loop.
    """
    if not text.strip():
        raise BrowserError("There is nothing to find: give a text or a pattern.")
    tree = _tree(snapshot)
    holds = _match(text, tree) if regex else _contain(text, [_describe_node(node) for node in tree])
    found = [at for at, each in enumerate(holds) if each]
    if not found:
        return f"Nothing on the page matches {text!r}. Try a shorter text, or show the page."
    above = _parents(tree)
    kept: set[int] = set()
    for at in found[:most]:
        kept.add(at)
        kept.update(_chain(tree, above, at))
    shown = _clip_lines(compact([tree[at] for at in sorted(kept)]), ROOM, "Narrow what to find.")
    if len(found) > most:
        shown += f"\n… {len(found) - most:,} more matches. Narrow what to find."
    return shown


def expand_snapshot_ref(snapshot: Snapshot, ref: str, *, room: int = ROOM) -> str:
    """Everything under a ref with its refs, save what only repeats the label above it."""
    return _clip_lines(
        compact(_under(snapshot, ref)), room, "Expand a ref further down, or find a text."
    )


def read_snapshot_ref(snapshot: Snapshot, ref: str, *, room: int = ROOM) -> str:
    """The plain text under a ref, a line for each element that says something."""
    below = _under(snapshot, ref)
    leaf = [
        at + 1 == len(below) or below[at + 1].depth <= node.depth for at, node in enumerate(below)
    ]
    lines: list[str] = []
    for node, alone in zip(below, leaf, strict=True):
        said = node.text or (_name(node) if alone else "")
        if said and (not lines or lines[-1] != said):
            lines.append(said)
    text = "\n".join(lines) or _name(below[0])
    return _clip_lines(text, room, "Read a ref further down.") if text else "It says nothing."


def list_snapshot_refs(snapshot: Snapshot) -> tuple[str, ...]:
    """Every ref of a snapshot, in the order of the document."""
    return tuple(ref for node in _tree(snapshot) if (ref := get_node_ref(node)))


def get_node_ref(node: SnapshotNode) -> str:
    """The ref of a node, empty if it has none."""
    found = _REF.search(node.post)
    return found[1] if found else ""


def _tree(snapshot: Snapshot) -> list[SnapshotNode]:
    return nodes(snapshot.text.split("\n"), "aria")


def _name(node: SnapshotNode) -> str:
    try:
        return str(json.loads(f'"{node.name}"'))
    except ValueError:
        return node.name


def _describe_node(node: SnapshotNode) -> str:
    return f"{node.role} {_name(node)} {node.text} {node.url}"


def _parts(node: SnapshotNode) -> list[str]:
    """What a pattern with an end may mean: the line, also as it is printed, or a part of it."""
    name, says = _name(node), _describe_node(node).strip()
    printed = f'{node.role} "{node.name}"'
    found = (says, printed, f"- {printed}", name, node.text, f"{name} {node.text}", node.url)
    return [says, *dict.fromkeys(each for each in found if each and each != says)]


def _contain(text: str, lines: Sequence[str]) -> list[bool]:
    wanted = _plain(text)
    return [wanted in _plain(said) for said in lines]


def _plain(text: str) -> str:
    """A text as it is compared: a line of an outline is found as it is printed, quotes or not."""
    return " ".join(_REF.sub("", text).replace('"', "").lstrip("- ").split()).casefold()


def _match(pattern: str, tree: Sequence[SnapshotNode]) -> list[bool]:
    anchored = _ANCHOR.search(pattern) is not None
    parts = [_parts(node) if anchored else [_describe_node(node)] for node in tree]
    try:
        lines = [said[:_LINE] for each in parts for said in each]
        holds = iter(search_pattern_in_texts(pattern, lines, ignore_case=True))
        return [any(tuple(islice(holds, len(each)))) for each in parts]
    except PatternError as problem:
        raise BrowserError(
            f"The pattern {pattern[:80]!r} cannot be used: {problem} Find it as a plain text, or "
            "put a backslash before a sign that is meant as it stands."
        ) from None


def _parents(tree: Sequence[SnapshotNode]) -> list[int]:
    """For each node, the one it stands in, or -1."""
    parents: list[int] = []
    above: list[int] = []
    for at, node in enumerate(tree):
        while above and tree[above[-1]].depth >= node.depth:
            above.pop()
        parents.append(above[-1] if above else -1)
        above.append(at)
    return parents


def _chain(tree: Sequence[SnapshotNode], parents: Sequence[int], at: int) -> list[int]:
    """What a node stands in: whatever has a name or a meaning, and at least one ref."""
    chain: list[int] = []
    marked = tree[at].marked
    while (at := parents[at]) >= 0:
        node = tree[at]
        if node.name or node.role != "generic" or (node.marked and not marked):
            chain.append(at)
            marked = marked or node.marked
    return chain


def _under(snapshot: Snapshot, ref: str) -> list[SnapshotNode]:
    wanted = ref.removeprefix("aria-ref=").strip("[] ").removeprefix("ref=")
    tree = _tree(snapshot)
    for at, node in enumerate(tree):
        if get_node_ref(node) == wanted:
            end = at + 1
            while end < len(tree) and tree[end].depth > node.depth:
                end += 1
            return tree[at:end]
    raise BrowserError(_missing(wanted, [get_node_ref(node) for node in tree if node.marked]))


def _missing(ref: str, there: Sequence[str]) -> str:
    near = get_close_matches(ref, there, 3, 0.5) or list(there[:3])
    said = f" Near it: {', '.join(near)}." if near else ""
    return (
        f"There is no element {ref!r} in this snapshot.{said} A ref holds until its page is loaded "
        "anew: take a snapshot and use a ref from it."
    )


def _clip_lines(text: str, room: int, more: str) -> str:
    if len(text) <= room:
        return text
    cut = text[:room].rpartition("\n")[0] or text[:room]
    gone = text.count("\n") - cut.count("\n")
    return f"{cut}\n… {gone:,} more lines. {more}"
