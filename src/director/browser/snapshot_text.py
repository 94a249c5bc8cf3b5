"""What a model is shown of a snapshot: a header and the folded tree, or what changed in it.

Every element that can be acted on is there with its ref, unless the page has more than anybody can
read, which is said. Containers and plain text are shown without theirs: `find` and `expand` give
them. Nothing here looks at the page; all is made from the stored text.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from director.browser.snapshots import Snapshot
from director.context.shapes.snapshot_fit import clip, fit
from director.context.shapes.snapshot_items import items
from director.context.shapes.snapshot_nodes import nodes

MOST = 160_000
_EACH, _LONG = 5, 300
# Beyond this many lines on both sides a comparison takes longer than reading the page.
_COMPARED = 3_000


def render_snapshot_text(
    snapshot: Snapshot, previous: Snapshot | None = None, *, room: int | None = None
) -> str:
    """The header and the tree within about `room` characters, or the changes since `previous`.

    Changes are shown if both are of one document and they take less than half of the tree.
    """
    lines = _fold_snapshot(snapshot, room or MOST)
    tree = _limit_lines(lines, room or MOST)
    if previous is not None and previous.document == snapshot.document:
        changes = _changes(_fold_snapshot(previous, room or MOST), lines)
        if changes is not None and 2 * len(changes) < len(tree):
            return f"{render_snapshot_header(snapshot)}\n### Changes\n{changes}"
    return f"{render_snapshot_header(snapshot)}\n### Snapshot\n```yaml\n{tree}\n```"


def render_snapshot_header(snapshot: Snapshot) -> str:
    """Where it is, and what the browser reported; long lists say how many more there are."""
    happened = snapshot.happened
    return "\n".join(
        (
            "### Page",
            f"- Page URL: {snapshot.url}",
            *_list_lines("Page Title", (snapshot.title,) if snapshot.title else ()),
            *_list_lines("Still loading", happened.loading),
            *_list_lines("Note", snapshot.signs),
            *_list_lines("Dialog", happened.dialogs),
            *_list_lines("Console error", happened.errors),
            *_list_lines("Download", happened.downloads),
            *_list_lines("Blocked", happened.blocked),
        )
    )


def _list_lines(word: str, said: tuple[str, ...]) -> Iterator[str]:
    for each in said[:_EACH]:
        yield f"- {word}: {clip(' '.join(each.split()), _LONG)}"
    if len(said) > _EACH:
        yield f"- {word}: … {len(said) - _EACH} more"


def _fold_snapshot(snapshot: Snapshot, room: int) -> list[str]:
    found = items(nodes(snapshot.text.split("\n"), "aria"), "aria")
    return fit(found, "medium", room).split("\n")


def _limit_lines(lines: list[str], room: int) -> str:
    """The lines, cut where nobody would read on; what acts is cut last, by the engine's fitting."""
    most = max(room, MOST)
    size = 0
    for at, line in enumerate(lines):
        size += len(line) + 1
        if size > most:
            refs = sum(line.count("[ref=") for line in lines[at:])
            more = f"… {len(lines) - at:,} more lines with {refs:,} refs. Use find with a text."
            return "\n".join((*lines[:at], more))
    return "\n".join(lines)


def _changes(old: list[str], new: list[str]) -> str | None:
    """The lines that came and went, below what they stand in; None if too many to compare."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    if not before and not after:
        return "Nothing changed since the last snapshot; its refs still hold."
    if max(len(before), len(after)) > _COMPARED:
        return None
    out: list[str] = []
    told: set[int] = set()
    for kind, i, j, m, n in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            out += _around(new, start + m, told)
            out += [f"-{line}" for line in before[i:j]]
            out += [f"+{line}" for line in after[m:n]]
    return "\n".join(
        ("Changes since the last snapshot; all else is as it was and its refs still hold:", *out)
    )


def _around(lines: list[str], at: int, told: set[int]) -> list[str]:
    """The line before a change and what it stands in, those that were not told yet."""
    depth = _depth(lines[at]) if at < len(lines) else 0
    above = [at - 1] if at and _depth(lines[at - 1]) >= depth else []
    for index in range(at - 1, -1, -1):
        if depth == 0:
            break
        if _depth(lines[index]) < depth:
            depth = _depth(lines[index])
            above.append(index)
    fresh = [index for index in sorted(set(above)) if index not in told]
    told.update(fresh)
    return [f" {lines[index]}" for index in fresh]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
