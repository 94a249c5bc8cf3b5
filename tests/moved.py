"""The tests that docs/loop/moved.md names are behind `--all`: the page is what marks them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "loop" / "moved.md"
UNKNOWN = pytest.StashKey[list[str]]()  # what the page names in a file that has no such test
_ROW = re.compile(r"^\| (`tests/[^|]*) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


@cache
def list_moved() -> frozenset[str]:
    """The ids on the page: of one case, or of a test with all its cases."""
    rows = _ROW.findall(PAGE.read_text("utf-8")) if PAGE.exists() else []
    return frozenset(id_ for row in rows for id_ in re.findall(r"`(tests/[^`]+)`", row[0]))


def mark_moved(items: Iterable[pytest.Item]) -> list[str]:
    """Mark what is moved as slow; what the page names in these files and is not among them."""
    moved = list_moved()
    met: set[str] = set()
    files: dict[Path, str] = {}
    for item in items:
        if item.path not in files:
            inside = ROOT in item.path.parents
            files[item.path] = item.path.relative_to(ROOT).as_posix() if inside else ""
        file = files[item.path]
        whole = f"{file}::{item.nodeid.partition('::')[2]}"
        for id_ in {whole, whole.partition("[")[0]} & moved:
            met.add(id_)
            item.add_marker(pytest.mark.slow)
    return sorted(id_ for id_ in moved - met if id_.partition("::")[0] in files.values())
