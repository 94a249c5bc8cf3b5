"""The nodes of a page snapshot, read from the line formats that browser tools print.

Three notations: `aria` (`- link "Home" [ref=e7]:`), `indexed` (`[33]<button type=submit />`) and
`tree` (`[12] link 'Home'`, `uid=1_2 link "Home"`, `link "Home"`). A line that fits no grammar is
text. This module never drops a line: what may go is decided where items are made.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

Notation: TypeAlias = Literal["aria", "indexed", "tree"]
# Of so many pages what was read is kept, unless they are large.
LATEST, LARGE = 64, 40_000

ACTING = frozenset(
    "a alertdialog area audio button checkbox colorwell combobox date datetime details dialog "
    "disclosuretriangle draggable embed file fileupload iframe input inputtime link listbox "
    "menubutton menuitem menuitemcheckbox menuitemradio menulistoption menulistpopup option "
    "popupbutton radio radiobutton scrollbar searchbox searchfield select slider spinbutton "
    "summary switch tab textarea textbox textfield togglebutton treeitem video webview".split()
)
CONTAINERS = frozenset(
    "application article banner complementary contentinfo directory document feed figure form "
    "grid group list main menu menubar navigation note radiogroup region search section table "
    "tablist tabpanel toolbar tree treegrid labeltext fieldset".split()
)
BLOCKS = frozenset(
    "blockquote caption definition img image figcaption legend listitem paragraph term rowgroup "
    "separator generic rootwebarea webarea iframe".split()
)
INLINE = frozenset(
    "text statictext inlinetextbox code emphasis strong subscript superscript time mark insertion "
    "deletion label none presentation math abbr linebreak progressbar meter tooltip listmarker "
    "contentdeletion contentinsertion".split()
)
CELLS = frozenset("cell gridcell columnheader rowheader layouttablecell datacell".split())
ROWS = frozenset("row layouttablerow".split())
ALERTS = frozenset("alert status log timer marquee".split())
ROOTS = frozenset(("rootwebarea", "webarea"))
ROLES = ACTING | CONTAINERS | BLOCKS | INLINE | CELLS | ROWS | ALERTS | {"heading", "/url"}


class SnapshotNode(NamedTuple):
    """One line of a snapshot: `pre + name + post` is the line without its value and noise."""

    depth: int
    role: str
    name: str = ""
    pre: str = ""
    post: str = ""
    text: str = ""
    url: str = ""
    acts: bool = False
    marked: bool = False


ARIA_LINE = re.compile(
    r"([ \t]*)(- )?(<changed> )?('?)(/?[a-z][a-z-]*)"
    r'(?: ("(?:[^"\\]|\\.)*+"))?((?: \[[^\]]*\])*+)'
    r"'?(?: → (\S+?))?(:?)(?: (.*))?$"
)
INDEXED_LINE = re.compile(r"([ \t]*)((?:\|[^\[\]<>]*)?\*?\[\d+\]<)([A-Za-z][\w-]*)(.*)$")
_LEAD = r"([ \t]*)((?:[-*•] +)?(?:\*?\[[\w.-]+\]:? ?|uid=\S+ +)?)"
QUOTED_LINE = re.compile(
    _LEAD + r"""([A-Za-z]+):? (?:"((?:[^"\\]|\\.)*+)"|'(.*?)'(?=$|,? [\w-]{1,30}[:=]| \[))(.*)$"""
)
_TAGGED_LINE = re.compile(_LEAD + r"<([A-Za-z][\w-]*)([^<>]*)>(.*)$")
_BARE_LINE = re.compile(_LEAD + r"([A-Za-z]+)((?: [a-z]+(?:=\S+|: \S+)?| \[[^\]]*\])*+)$")
_HEADING_LINE = re.compile(r"([ \t]*)(#{1,6}) (.+)$")
_LEVEL = re.compile(r"level[=:] ?\"?(\d)")
_ABLE = re.compile(r" (?:focusable|disableable|expandable|selectable|multiline)\b")
_CLICKABLE = re.compile(r"clickable|onclick|focused: True| focused\b")
_MARK = re.compile(r"\[ref=|^\*?\[|uid=|\[id=")


POINTER = " [cursor=pointer]"


def width(indent: str) -> int:
    """How deep an indentation is; a tab counts as one step of two."""
    return len(indent) + indent.count("\t")


def unquote(value: str) -> str:
    """A YAML value without its quotes."""
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
        return value.replace('\\"', '"').replace("\\\\", "\\") if "\\" in value else value
    return value


def aria_node(line: str) -> SnapshotNode | None:
    """The node of a line of an aria snapshot, None if it is not one."""
    match = ARIA_LINE.match(line)
    if match is None:
        return None
    indent, dash, changed, key, role, name, marks, url, colon, text = match.groups()
    if (text and not colon) or not (dash or name or "[ref=" in marks):
        return None
    if not colon and not marks and not name and not url and role not in ROLES:
        return None
    pointer = POINTER in marks
    ref = "[ref=" in marks
    name = name or ""
    if len(name) > 1:
        quote, name = '"', name[1:-1].replace("''", "'") if key else name[1:-1]
    else:
        quote = ""
    gap = " " if quote else ""
    return SnapshotNode(
        width(indent),
        role,
        name,
        f"{dash or ''}{changed or ''}{role}{gap}{quote}",
        quote + (marks.replace(POINTER, "") if pointer else marks),
        unquote(text) if text else "",
        url or "",
        role in ACTING or (ref and (pointer or not dash)),
        ref,
    )


def parse_indexed_node(line: str) -> SnapshotNode | None:
    """The node of a line such as `[33]<button type=submit />`, None if it is not one."""
    match = INDEXED_LINE.match(line)
    if match is None:
        return None
    indent, lead, tag, rest = match.groups()
    head, _, tail = rest.partition("/> ")
    closer = "/>" if tail or rest.endswith("/> ") else ""
    depth = width(indent)
    return SnapshotNode(depth, tag.lower(), head, lead + tag, closer, tail, acts=True, marked=True)


def _url_of(rest: str) -> tuple[str, str]:
    found = re.search(r' url=(?:"([^"]*)"|(\S+))| → (\S+)', rest)
    if found is None:
        return rest, ""
    return rest[: found.start()] + rest[found.end() :], found[1] or found[2] or found[3] or ""


def tree_node(line: str) -> SnapshotNode | None:
    """The node of a line of an accessibility tree, None if it is not one."""
    match = QUOTED_LINE.match(line)
    if match is not None:
        indent, lead, role, double, single, rest = match.groups()
        quote = '"' if double is not None else "'"
        name = double if double is not None else single
    else:
        bare = _BARE_LINE.match(line)
        if bare is None:
            return _parse_tagged_node(line)
        indent, lead, role, rest = bare.groups()
        quote, name = "", ""
    key = role.lower()
    if key not in ROLES and (not lead or key != role):
        return None
    rest, url = _url_of(rest)
    rest, _, text = rest.partition(": ") if rest.startswith(": ") else (rest, "", "")
    pre = f"{lead}{role} {quote}" if quote else lead + role
    acts = key in ACTING or (bool(lead.strip()) and _CLICKABLE.search(rest) is not None)
    acts = acts and key not in ROOTS
    post = quote + _ABLE.sub("", rest).rstrip(": ")
    marked = _MARK.search(lead + rest) is not None
    return SnapshotNode(width(indent), key, name, pre, post, text, url, acts, marked)


def _parse_tagged_node(line: str) -> SnapshotNode | None:
    match = _TAGGED_LINE.match(line)
    if match is None or not match[2].strip("-*• "):
        return None
    indent, lead, tag, attributes, label = match.groups()
    head = f"{lead}<{tag}{attributes}>"
    gap = " " if label.startswith(" ") else ""
    return SnapshotNode(
        width(indent), tag.lower(), label.strip(), head + gap, acts=True, marked=True
    )


_GRAMMARS = {"aria": aria_node, "indexed": parse_indexed_node, "tree": tree_node}


def find_notation(lines: list[str]) -> Notation | None:
    """The notation of most of the first lines, None if too few are in any."""
    sample = [line for line in lines if line.strip()][:120]
    aria = indexed = tree = 0
    roles: set[str] = set()
    for line in sample:
        node = aria_node(line)
        if node is not None and (node.marked or node.pre[:2] == "- "):
            aria += node.role in ROLES or node.marked
            roles.add(node.role)
        elif INDEXED_LINE.match(line):
            indexed += 1
        else:
            found = tree_node(line)
            tree += found is not None and bool(found.name or found.marked)
    if indexed > 2 and indexed >= max(aria, tree):
        return "indexed"
    if aria > 2 and len(roles - {"text", "code", "list"}) > 1 and 2 * aria >= len(sample):
        return "aria"
    return "tree" if tree > 3 and 2 * tree >= len(sample) else None


def nodes(lines: list[str], notation: Notation) -> list[SnapshotNode]:
    """The nodes of a snapshot in document order; properties belong to the node above them."""
    tree = "\n".join(lines)
    return (
        list(_parse(tree, notation)) if len(tree) <= LARGE else _parse.__wrapped__(tree, notation)
    )


@lru_cache(maxsize=LATEST)
def _parse(tree: str, notation: Notation) -> list[SnapshotNode]:
    grammar = _GRAMMARS[notation]
    found: list[SnapshotNode] = []
    for line in tree.split("\n"):
        node = grammar(line)
        if node is None:
            node = _plain(line)
            if node is None:
                continue
        elif node.role[0] == "/":
            if found and node.depth > found[-1].depth:
                found[-1] = _with_property(found[-1], node)
                continue
            node = node._replace(role="text", text=f"{node.role[1:]}: {node.text}")
        found.append(node)
    return found


def _plain(line: str) -> SnapshotNode | None:
    text = line.strip()
    if not text:
        return None
    depth = width(line[: len(line) - len(line.lstrip())])
    heading = _HEADING_LINE.match(line)
    if heading is not None:
        return SnapshotNode(depth, "heading", heading[3].strip(), heading[2])
    return SnapshotNode(depth, "line", text=text)


def _with_property(node: SnapshotNode, given: SnapshotNode) -> SnapshotNode:
    if given.role == "/url":
        return node._replace(url=given.text)
    return node._replace(post=f"{node.post} [{given.role[1:]}={given.text}]")


def heading_level(node: SnapshotNode) -> int:
    """The level of a heading, 2 if it says none."""
    if node.pre.startswith("#"):
        return len(node.pre)
    level = _LEVEL.search(node.post)
    return int(level[1]) if level else 2
