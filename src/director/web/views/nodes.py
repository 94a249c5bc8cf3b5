"""The words for a workflow's nodes: how each stands, its config and its result as text.

Nodes are read in `director.services.nodes`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from director.services.doubts import DoubtRow
from director.services.nodes import NodeRow, Nodes, Tried

MARKS = {
    "success": ("ok", "Passed"),
    "partial": ("warn", "In part"),
    "failed": ("bad", "Failed"),
    "skipped": ("skp", "Skipped"),
    "": ("new", "Not tested"),
}
ROWS = 50  # nodes that are shown at first
_LONGEST = 8_000


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node in the outline; `tried` only if it was not changed since."""

    row: NodeRow
    config: str
    tried: Tried | None = None
    result: str = ""

    @property
    def mark(self) -> tuple[str, str]:
        """The colour and the word for how it stands."""
        if self.tried is None:
            return MARKS[""]
        colour, word = MARKS.get(self.tried.status, MARKS[""])
        many = f"{self.tried.good} / {self.tried.visits}" if self.tried.visits > 1 else word
        return colour, many

    @property
    def doubts(self) -> tuple[DoubtRow, ...]:
        """The doubts about it that nobody has dismissed."""
        found = self.tried.doubts if self.tried else ()
        return tuple(one for one in found if not one.dismissed)


@dataclass(frozen=True, slots=True)
class WorkflowView:
    """A workflow with its nodes in the order in which they are read."""

    flow: Nodes
    nodes: tuple[NodeView, ...]
    green: int


def workflow_view(flow: Nodes, statuses: Mapping[str, str]) -> WorkflowView:
    """The workflow as it is drawn; `statuses` has the nodes that ran since they were changed."""
    green = sum(status == "success" for status in statuses.values())
    return WorkflowView(flow, tuple(_view(row) for row in flow.nodes), green)


def _view(row: NodeRow) -> NodeView:
    config = json.dumps(row.config, indent=2, ensure_ascii=False)
    if row.tried is None or row.tried.stale:
        return NodeView(row, config)
    return NodeView(row, config, row.tried, write_node_result(row.tried.result))


def write_node_result(value: object) -> str:
    """A result as text, which is cut if it is very long."""
    told = "" if value is None else json.dumps(value, indent=2, ensure_ascii=False)
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST]}\n… {len(told) - _LONGEST:,} more"
