"""How snapshots of a page follow one another: which page, one line for it, what is no longer there.

Only labels are compared, never refs: a browser tool numbers the same button anew each time.
"""

from __future__ import annotations

import re
from functools import lru_cache

from director.context.shapes.snapshot import has_tree, recognise, render, tree_of
from director.context.shapes.snapshot_fit import clip
from director.context.shapes.snapshot_nodes import LATEST

_ADDRESS = re.compile(
    r"^[-*\s]*(?:(?:Page |Current |Page's )?(?:URL|address)(?: of the page)?)\s*[:=]\s*<?(\S+?)>?$",
    re.MULTILINE | re.IGNORECASE,
)
_TITLE = re.compile(r"^[-*\s]*(?:Page |Current )?Title\s*:\s*(.+)$", re.MULTILINE | re.IGNORECASE)
_ROOT = re.compile(r"RootWebArea [\"'](.*?)[\"'](?: .*?url=\"([^\"]*)\")?", re.IGNORECASE)
_GOTO = re.compile(r"page\.goto\(['\"]([^'\"]+)")
_MARKERS = re.compile(
    r" ?\[(?:ref|cursor|active|id)\b[^\]]*\]|^\*?\[[\w.-]+\]:? ?|uid=\S+ ?| focused\b"
)
_LIMIT = 2_000


def _address(text: str) -> str:
    found = _ADDRESS.search(text)
    if found:
        return found[1]
    root = _ROOT.search(text)
    if root and root[2]:
        return root[2]
    went = _GOTO.search(text)
    return went[1] if went else ""


def _title(text: str) -> str:
    found = _TITLE.search(text)
    if found:
        return found[1].strip()
    root = _ROOT.search(text)
    return root[1] if root else ""


def page_of(text: str) -> str | None:
    """The address of the page a snapshot shows, else its title; None if it is no snapshot."""
    if not recognise(text) or not has_tree(text):
        return None
    return _address(text) or _title(text) or None


def headline(text: str) -> str:
    """One line for a snapshot: its address, title and how many elements could be acted on."""
    acting = sum(node.acts for node in tree_of(text))
    parts = (_address(text), clip(_title(text), 120), f"{acting} interactive elements")
    return " · ".join(part for part in parts if part)


@lru_cache(maxsize=LATEST)
def _labels(text: str) -> dict[str, str]:
    """The lines of a snapshot by what they say, without the markers that change every time."""
    lines = (line.strip() for line in render(text, "medium", _LIMIT * 1_000).split("\n"))
    return {key: line for line in lines if (key := _MARKERS.sub("", line).strip())}


def difference(older: str, newer: str) -> str:
    """What the older snapshot showed that the newer does not, one line each, refs left out."""
    there = _labels(newer)
    gone = [clip(key, 200) for key in _labels(older) if key not in there]
    return "\n".join(gone)
