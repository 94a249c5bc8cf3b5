"""The nodes of a workflow as an outline: loops as frames, branches side by side. Reads nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from director.web.views.nodes import NodeView

BRANCHING = ("route", "handle")


@dataclass(frozen=True, slots=True)
class OutlinePart:
    """A body or a branch of a node, by its name."""

    name: str
    items: tuple[OutlineItem, ...]


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """A node with what is inside of it."""

    view: NodeView
    parts: tuple[OutlinePart, ...]

    @property
    def branches(self) -> bool:
        """Whether only one of its parts is done."""
        return self.view.row.type in BRANCHING


def make_outline(views: Sequence[NodeView]) -> tuple[OutlineItem, ...]:
    """The nodes as they nest; a node whose owner is not among them stands at the top."""
    inside: dict[str, list[NodeView]] = {}
    known = {view.row.id for view in views}
    for view in views:
        owner = view.row.owner if view.row.owner in known else ""
        inside.setdefault(owner, []).append(view)
    return tuple(_item(view, inside) for view in inside.get("", ()))


def _item(view: NodeView, inside: dict[str, list[NodeView]]) -> OutlineItem:
    by_part: dict[str, list[NodeView]] = {name: [] for name in _branch_names(view)}
    for each in inside.get(view.row.id, ()):
        by_part.setdefault(each.row.part.partition(", also ")[0], []).append(each)
    parts = (
        OutlinePart(name, tuple(_item(each, inside) for each in listed))
        for name, listed in by_part.items()
    )
    return OutlineItem(view, tuple(parts))


def _branch_names(view: NodeView) -> Iterator[str]:
    """The branches of a route by its config, also those in which nothing is done."""
    branches = view.row.config.get("branches")
    if view.row.type != "route" or not isinstance(branches, list | tuple):
        return
    for branch in branches:
        if isinstance(branch, Mapping) and isinstance(branch.get("name"), str):
            yield branch["name"]
