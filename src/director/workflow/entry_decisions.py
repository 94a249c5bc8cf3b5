"""Which nodes decide whether something is entered, and what they rest on: read off a workflow.

Pure functions over nodes. A decision is a route of which one branch types what another does not, or
a handle whose `catch` types it. It rests on the looks that its conditions name, also through
transforms and variables; what a model answers is not followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from director.workflow.expressions import name_expression_templates
from director.workflow.paths import is_list
from director.workflow.references import list_parts
from director.workflow.templates import Template, TemplateError, list_templates
from director.workflow.values import Json, Node

_TYPES = {"type": "text", "set": "value", "select": "label"}
_PASSES_ON = ("transform", "context")


@dataclass(frozen=True, slots=True)
class EntryDecision:
    """A node that decides whether something is entered.

    `typed` has the texts that each of its parts types, with their templates; `looks` are the nodes
    that it rests on and that look at a page, `passes` those that only pass values on.
    """

    node: str
    typed: Mapping[str, tuple[str, ...]]
    looks: frozenset[str]
    passes: frozenset[str] = frozenset()

    def list_left(self, taken: str) -> list[str]:
        """The texts that are not typed if one part is taken."""
        kept = self.typed.get(taken, ())
        every = [text for part in self.typed.values() for text in part if text not in kept]
        return [*dict.fromkeys(every)]


def list_entry_decisions(nodes: Mapping[str, Node]) -> dict[str, EntryDecision]:
    """The decisions of a workflow by the id of their node."""
    found = (_describe(node, nodes) for node in nodes.values())
    return {each.node: each for each in found if each and any(each.typed.values())}


def _describe(node: Node, nodes: Mapping[str, Node]) -> EntryDecision | None:
    if node.type not in ("route", "handle"):
        return None
    parts = {part.name: part.nodes for part in list_parts(node) if part.name != "finally"}
    typed = {name: tuple(_list_typed(ids, nodes)) for name, ids in parts.items()}
    if node.type == "handle":
        tried = _list_inside(parts.get("try", ()), nodes)
        looks = {each.id for each in tried if each.type == "browser_query"}
        return EntryDecision(node.id, typed, frozenset(looks)) if looks else None
    reached = _follow(list_decision_templates(node), nodes)
    looks = {each.id for each in reached if each.type == "browser_query"}
    passes = {each.id for each in reached} - looks
    return EntryDecision(node.id, typed, frozenset(looks), frozenset(passes))


def list_decision_templates(node: Node) -> list[Template]:
    """The templates of a node that what it gives depends on."""
    try:
        found = [*list_templates(node.config.get("input"))]
        if node.type == "context":
            found += list_templates(node.config.get("variables"))
        branches = node.config.get("branches") if node.type == "route" else None
        for branch in branches if is_list(branches) else ():
            told = branch.get("condition") if isinstance(branch, Mapping) else None
            if isinstance(told, str):
                found += name_expression_templates(told)[1].values()
    except TemplateError:
        return []
    return found


def _follow(templates: Iterable[Template], nodes: Mapping[str, Node]) -> list[Node]:
    """The nodes whose values templates name, also through those that only pass them on."""
    found: dict[str, Node] = {}
    left = [*templates]
    while left:
        named = left.pop()
        for node in nodes.values():
            if node.id in found or not named.path or not _gives(node, str(named.path[0])):
                continue
            if node.type == "browser_query" or node.type in _PASSES_ON:
                found[node.id] = node
            if node.type in _PASSES_ON:
                left += list_decision_templates(node)
    return [*found.values()]


def _gives(node: Node, name: str) -> bool:
    """Whether a node sets what a template of this beginning names."""
    variables = node.config.get("variables")
    is_set = node.type == "context" and isinstance(variables, Mapping) and name in variables
    return node.alias == name or is_set


def _list_typed(ids: Iterable[str], nodes: Mapping[str, Node]) -> Iterator[str]:
    for node in _list_inside(ids, nodes):
        field = _TYPES.get(str(node.config.get("action")))
        text: Json = node.config.get(field) if field and node.type == "browser_action" else None
        if isinstance(text, str) and text.strip() and "{{secret:" not in text:
            yield text


def _list_inside(ids: Iterable[str], nodes: Mapping[str, Node]) -> list[Node]:
    """Nodes and all that belongs to them."""
    found: dict[str, Node] = {}
    left = [*ids]
    while left:
        id_ = left.pop(0)
        if id_ in nodes and id_ not in found:
            found[id_] = nodes[id_]
            left += [inner for part in list_parts(nodes[id_]) for inner in part.nodes]
    return [*found.values()]
