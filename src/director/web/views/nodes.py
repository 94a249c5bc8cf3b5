"""The workflow as a readable list of nodes that nest, each with how it fared when it last ran."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from director.agent.saved import Ran, Saved
from director.runs import Step, steps_of
from director.runs.telling import condition_text, evidence_text, node_text, seconds_text
from director.store import Store
from director.store.variables import workbench
from director.workflow.references import direct, nested, parts_of, with_aliases
from director.workflow.sensitive import masked
from director.workflow.values import Json, Node, Workflow

MARKS = {
    "success": ("good", "green"),
    "failed": ("bad", "failed"),
    "skipped": ("soft", "skipped"),
    "": ("soft", "not tested"),
}


@dataclass(frozen=True, slots=True)
class Tried:
    """The newest visit of a node: what was found, what went wrong, the picture of its page."""

    status: str
    took: str = ""
    error: str = ""
    evidence: tuple[tuple[bool, str], ...] = ()
    warnings: tuple[str, ...] = ()
    result: str = ""
    picture: str = ""
    at: float = 0.0
    visits: int = 1
    good: int = 1


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node in the outline; `part` names what it is of its owner, such as a body or a branch."""

    node: Node
    place: int
    depth: int
    line: str
    part: str = ""
    tried: Tried | None = None
    config: str = ""
    editable: bool = True
    conditions: tuple[tuple[str, str], ...] = ()
    inside: int = 0

    @property
    def mark(self) -> tuple[str, str]:
        """The colour and the word for how it stands."""
        if self.tried is None:
            return MARKS[""]
        colour, word = MARKS.get(self.tried.status, MARKS[""])
        many = f"{self.tried.good} / {self.tried.visits}" if self.tried.visits > 1 else word
        return colour, many


@dataclass(frozen=True, slots=True)
class WorkflowView:
    """A workflow with its nodes in the order in which they are read."""

    workflow: Workflow
    version: int
    nodes: tuple[NodeView, ...]
    green: int = 0


@dataclass(slots=True)
class _Outline:
    """Draws a workflow; each node once, under the first that it belongs to."""

    workflow: Workflow
    tried: Mapping[str, Tried]
    drawn: set[str] = field(default_factory=set)

    def nodes(self) -> Iterator[NodeView]:
        inside = nested(self.workflow)
        for node in self.workflow.nodes:
            if node.id not in inside:
                yield from self._node(node, 0, "")

    def _node(self, node: Node, depth: int, part: str) -> Iterator[NodeView]:
        if node.id in self.drawn:
            return
        self.drawn.add(node.id)
        parts = list(parts_of(node))
        yield NodeView(
            node,
            self._place(node.id),
            min(depth, 6),
            node_text(node, 120),
            part,
            self.tried.get(node.id),
            *self._config(node),
            tuple(_conditions(node)),
            sum(len(one.nodes) for one in parts),
        )
        known = {each.id: each for each in self.workflow.nodes}
        for one in parts:
            for id_ in direct(self.workflow, one.nodes):
                yield from self._node(known[id_], depth + 1, one.name)

    def _config(self, node: Node) -> tuple[str, bool]:
        """The config as JSON, and whether all of it is shown: what is hidden cannot be edited."""
        config = with_aliases(node, self.workflow.nodes)
        safe = masked(config)
        return json.dumps(safe, indent=2, ensure_ascii=False), safe == config

    def _place(self, id_: str) -> int:
        return next(at for at, node in enumerate(self.workflow.nodes, 1) if node.id == id_)


def workflow_view(store: Store, saved: Saved) -> WorkflowView:
    """The workflow as it is now; how a node fared is told only if it has not changed since."""
    workflow = saved.workflow()
    found = store.get("workflow", workflow.id)
    ran = saved.ran()
    tried = _tried(store, workflow.id, ran)
    nodes = tuple(_Outline(workflow, tried).nodes())
    green = sum(each.status == "success" for each in ran.values())
    return WorkflowView(workflow, found.version if found else 0, nodes, green)


def _conditions(node: Node) -> Iterator[tuple[str, str]]:
    for word, conditions in (("requires", node.requires), ("ensures", node.ensures)):
        for condition in conditions:
            yield word, condition_text(condition)


def _tried(store: Store, workflow: str, ran: Mapping[str, Ran]) -> dict[str, Tried]:
    """The step that each status comes from, and how many visits its run made of the node."""
    wanted = {each.position: id_ for id_, each in ran.items()}
    runs = [one.id for one in store.newest("run") if one.body.get("workflow") == workflow]
    found: dict[str, Tried] = {}
    for run in dict.fromkeys([workbench(workflow), *runs]):
        steps = steps_of(store, run)
        for step in steps:
            if wanted.get(step.position) == step.node:
                visits = [one for one in steps if one.node == step.node and one.type != "item"]
                found[step.node] = tried_of(step, visits)
    return found


def tried_of(step: Step, visits: list[Step] | None = None) -> Tried:
    """A step as a person reads it."""
    every = visits or [step]
    result = "" if step.result is None else _written(step.result)
    return Tried(
        step.status if step.state == "finished" else step.state,
        seconds_text(step.took) if step.took else "",
        step.error,
        tuple((bool(one.get("holds")), evidence_text(one)) for one in step.evidence),
        step.warnings,
        result,
        (step.screenshot or {}).get("$kept", ""),
        step.began,
        len(every),
        sum(one.state == "finished" and one.status == "success" for one in every),
    )


def _written(value: Json, longest: int = 8_000) -> str:
    told = json.dumps(masked(value), indent=2, ensure_ascii=False)
    return told if len(told) <= longest else f"{told[:longest]}\n… {len(told) - longest:,} more"
