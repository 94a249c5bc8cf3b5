"""From the nodes of a snapshot to the lines that stand for them.

Every node that acts becomes a line of its own with its marker, label and state; prose around it is
merged; containers without a name disappear. Order is that of the document, always.
"""

from __future__ import annotations

import re
from itertools import accumulate

from director.context.shapes.snapshot_fit import Item, clip
from director.context.shapes.snapshot_nodes import (
    ACTING,
    ALERTS,
    CELLS,
    CONTAINERS,
    INLINE,
    POINTER,
    ROOTS,
    Notation,
    SnapshotNode,
    heading_level,
)

_WORD = re.compile(r"\w+")
_LABEL = 120
_INDEXED_NOISE = re.compile(r' (?:href|class|style|src|data-(?!test)[\w-]+)=(?:"[^"]*"|\S+)')
_INDEXED_LABEL = re.compile(r"\b(?:aria-label|title|placeholder|alt|name|value|id)=|>\s*\w")
_NOTICE = re.compile(
    r"\.\.\. .*\.\.\.$|\[(?:Start|End) of page\]|\|[A-Z]|… \d+ more like it$"
    r"|(?:- )?Page (?:URL|Title):"
)
_SPACES = re.compile(r"\s+")


def _ends(nodes: list[SnapshotNode]) -> list[int]:
    """For each node, where its subtree ends."""
    ends = [len(nodes)] * len(nodes)
    open_nodes: list[int] = []
    for index, node in enumerate(nodes):
        while open_nodes and nodes[open_nodes[-1]].depth >= node.depth:
            ends[open_nodes.pop()] = index
        open_nodes.append(index)
    return ends


def _render_text(node: SnapshotNode) -> str:
    text = node.text or node.name
    if node.role == "code" and text and "`" not in text and len(text) <= 80:
        return f"`{text}`"
    if node.role in ("img", "image") and node.name:
        return f'img "{node.name}"'
    return text


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def repeats(label: str, text: str) -> bool:
    """Whether a text says nothing that the label above it does not say."""
    said = _words(text)
    if not said:
        return not text.strip()
    return f" {' '.join(said)} " in f" {' '.join(_words(label))} "


def _speech(nodes: list[SnapshotNode]) -> str:
    parts = [said for node in nodes if (said := _render_text(node))]
    return _SPACES.sub(" ", " ".join(parts)).strip()


def _bare_words(nodes: list[SnapshotNode]) -> str:
    return " ".join(node.text or node.name for node in nodes)


class _Walk:
    """One pass over the nodes of a snapshot that collects items; never used twice."""

    def __init__(self, nodes: list[SnapshotNode], notation: Notation) -> None:
        self.nodes = nodes
        self.notation = notation
        self.ends = _ends(nodes)
        self.acting = [0, *accumulate(node.acts for node in nodes)]
        self.items: list[Item] = []
        self.prose: list[str] = []
        self.kept: list[int] = []

    def acts_below(self, index: int) -> bool:
        return self.acting[self.ends[index]] > self.acting[index + 1]

    def flush(self) -> None:
        if not self.prose:
            return
        text = _SPACES.sub(" ", " ".join(self.prose)).strip(" |")
        self.prose.clear()
        if _WORD.search(text) or len(text) > 3:
            notice = _NOTICE.match(text) is not None
            self.items.append(Item("keep" if notice else "text", len(self.kept), text))

    def run(self) -> list[Item]:
        index = 0
        while index < len(self.nodes):
            node = self.nodes[index]
            while self.kept and self.kept[-1] >= node.depth:
                self.flush()
                self.kept.pop()
            index = self.step(index, node)
        self.flush()
        return self.items

    def step(self, index: int, node: SnapshotNode) -> int:
        """Take one node, and all below it where it speaks for them; answer with the next."""
        if node.acts:
            self.flush()
            return self.act(index, node)
        if node.role in INLINE:
            if said := _render_text(node):
                self.prose.append(said)
            return index + 1
        if node.role in CELLS:
            return self.cell(index, node)
        self.flush()
        special = {"heading": self.heading, **dict.fromkeys(ALERTS, self.alert)}.get(node.role)
        return special(index, node) if special else self.block(index, node)

    def block(self, index: int, node: SnapshotNode) -> int:
        """A paragraph, a list item, a row or a container; only a named container shows itself."""
        role = node.role
        if node.name and (role in CONTAINERS or role in ROOTS):
            self.keep(node)
            if node.text:
                self.prose.append(node.text)
        elif (self.ends[index] == index + 1 or node.text) and (said := _render_text(node)):
            self.prose.append(said)
        return index + 1

    def keep(self, node: SnapshotNode) -> None:
        root = f" → {node.url}" if node.url and node.role in ROOTS else ""
        post = _strip_marker(node) + root
        self.items.append(Item("keep", len(self.kept), clip(node.name, 200), _bare(node), post))
        self.kept.append(node.depth)

    def act(self, index: int, node: SnapshotNode) -> int:
        below = self.acts_below(index)
        end = index + 1 if below else self.ends[index]
        said = "" if below else _speech(self.nodes[index + 1 : end])
        if said and repeats(f"{node.name} {node.text}", _bare_words(self.nodes[index + 1 : end])):
            said = ""
        tail = " ".join(part for part in (node.text, said) if part)
        body, rest = node.name, ""
        if self.notation == "indexed" and (said or node.text or _INDEXED_LABEL.search(body)):
            body = _INDEXED_NOISE.sub("", body)
        if said and len(tail) > LABEL_AND_VALUE:
            head = clip(tail, _LABEL).rstrip("…")
            tail, rest = head, tail[len(head) :].strip()
        joint = " " if self.notation == "indexed" else ": "
        self.items.append(
            Item("act", len(self.kept), body, _bare(node), node.post, joint + tail if tail else "",
                 "" if self.notation == "indexed" else node.url, node.marked)
        )  # fmt: skip
        if rest:
            self.items.append(Item("text", len(self.kept) + 1, rest))
        if below:
            self.kept.append(node.depth)
        return end

    def cell(self, index: int, node: SnapshotNode) -> int:
        if self.prose:
            self.prose.append("|")
        if self.acts_below(index):
            if node.text:
                self.prose.append(node.text)
            return index + 1
        end = self.ends[index]
        said = _speech(self.nodes[index + 1 : end]) or _render_text(node)
        if said:
            self.prose.append(said)
        return end

    def heading(self, index: int, node: SnapshotNode) -> int:
        end = self.ends[index]
        below = self.acts_below(index)
        said = node.name or node.text or ("" if below else _speech(self.nodes[index + 1 : end]))
        inner = (
            next((each for each in self.nodes[index + 1 : end] if each.acts), None)
            if below
            else None
        )
        if said and not (inner is not None and repeats(f"{inner.name} {inner.text}", said)):
            mark = "#" * heading_level(node) + " "
            self.items.append(Item("head", len(self.kept), clip(said, 200), mark))
        return index + 1 if below else end

    def alert(self, index: int, node: SnapshotNode) -> int:
        end = self.ends[index]
        if self.acts_below(index):
            self.keep(node)
            if node.text:
                self.prose.append(node.text)
            return index + 1
        said = _speech(self.nodes[index + 1 : end])
        whole = " ".join(part for part in (node.text, said) if part)
        whole = node.name if repeats(node.name, whole) else whole
        if whole:
            pre = f"{node.pre.rstrip(chr(34) + chr(39)).rstrip()}"
            self.items.append(Item("alert", len(self.kept), clip(whole, 600), f"{pre}: "))
        return end


LABEL_AND_VALUE = 200


def _bare(node: SnapshotNode) -> str:
    """The beginning of a line without its dash, where a name or marker still tells what it is."""
    told = node.name or "[ref=" in node.post
    return node.pre.removeprefix("- ") if told else node.pre


def _strip_marker(node: SnapshotNode) -> str:
    """What follows a name, without the marker of a node that nobody acts on."""
    if node.role in ("alertdialog", "dialog") or "[ref=" not in node.post:
        return node.post
    return re.sub(r" \[(?:ref|level)=[^\]]*\]", "", node.post)


def items(nodes: list[SnapshotNode], notation: Notation) -> list[Item]:
    """The items of a snapshot, in document order."""
    return _Walk(nodes, notation).run()


def compact(nodes: list[SnapshotNode]) -> str:
    """Every node on a line of its own, with less indentation and nothing said twice."""
    ends = _ends(nodes)
    acting = [0, *accumulate(node.acts for node in nodes)]
    lines: list[str] = []
    above: list[int] = []
    skip_to = 0
    for index, node in enumerate(nodes):
        if index < skip_to:
            continue
        while above and above[-1] >= node.depth:
            above.pop()
        end = ends[index]
        alone = node.acts and end > index + 1 and acting[end] == acting[index + 1]
        if alone and repeats(f"{node.name} {node.text}", _bare_words(nodes[index + 1 : end])):
            skip_to = end
        leaf = skip_to == end or end == index + 1
        lines.append(" " * len(above) + _compact_line(node, leaf=leaf))
        above.append(node.depth)
    return "\n".join(lines)


def _compact_line(node: SnapshotNode, *, leaf: bool) -> str:
    if node.role == "line":
        return node.text
    if node.pre.startswith("#"):
        return f"{node.pre} {node.name}"
    yaml = node.pre.startswith("- ")
    url = f" → {node.url}" if node.url else ""
    # Only the pointer tells that such a node can be clicked; for a link it is noise.
    pointer = POINTER if yaml and node.acts and node.role not in ACTING else ""
    text = (": " if yaml or "<" not in node.pre else " ") + _quote(node) if node.text else ""
    if yaml and not (leaf or text or url):
        text = ":"
    return f"{node.pre}{node.name}{node.post}{pointer}{url}{text}"


def _quote(node: SnapshotNode) -> str:
    text = node.text
    if text[0] not in "\"'" or not node.pre.startswith("- "):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
