"""The list of workflows in pages, of those that have the words that were looked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from director.services.workflows import WorkflowRow

_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class RowPage:
    """Some of the workflows: which page it is, of how many, and how many workflows there are."""

    rows: tuple[WorkflowRow, ...]
    number: int
    pages: int
    count: int


def page_rows(rows: Sequence[WorkflowRow], number: int, words: str = "") -> RowPage:
    """A page of these workflows, of those whose name or description has the words."""
    wanted = words.casefold().split()
    found = [
        row
        for row in rows
        if all(word in f"{row.name} {row.description}".casefold() for word in wanted)
    ]
    pages = max(1, -(-len(found) // _AT_ONCE))
    number = min(number, pages)
    shown = found[(number - 1) * _AT_ONCE : number * _AT_ONCE]
    return RowPage(tuple(shown), number, pages, len(found))
