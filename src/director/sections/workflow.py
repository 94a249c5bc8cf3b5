"""The workflow section: its metadata and its nodes with their latest status, never their results.

References between nodes are shown by alias, and each node says to which others it belongs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from director.context.values import Section
from director.sections.boundary import wrap_section
from director.sections.value_text import (
    write_compact_value,
    write_value_bullets,
    write_value_field,
    write_value_line,
)
from director.workflow.nearest import write_nearest_hint
from director.workflow.references import ChildNodes, alias_references, map_parents
from director.workflow.selection import resolve_selection
from director.workflow.sensitive import mask_sensitive
from director.workflow.types import KINDS, get_node_effect
from director.workflow.values import Input, Json, Node, Workflow, WorkflowError

RECENT = 10
PENDING = "pending"
_NUMBERS = re.compile(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?")


def render_workflow_section(
    workflow: Workflow, statuses: Mapping[str, str], *, range_: str = "all", type_: str = ""
) -> Section:
    """The workflow with all its nodes, or with those of a range and a type."""
    chosen = select_nodes(workflow, range_=range_, type_=type_)
    lines = [*_metadata(workflow), _render_count(len(chosen), len(workflow.nodes))]
    inside = map_parents(workflow)
    aliases = {node.id: node.alias for node in workflow.nodes}
    for position, node in enumerate(workflow.nodes, 1):
        if node.id in chosen:
            where = _belongs(inside.get(node.id, ()), aliases)
            status = statuses.get(node.id, PENDING)
            lines += _node(node, workflow.nodes, f"{position} {node.alias}", f"{status}{where}")
    return wrap_section("workflow", "\n".join(lines), "agent")


def select_nodes(workflow: Workflow, *, range_: str = "all", type_: str = "") -> frozenset[str]:
    """The ids of the nodes of a range (`1-10`, `all`, `recent`, or aliases) and of a type."""
    if type_ and type_ not in KINDS:
        raise WorkflowError(f"There is no node type {type_!r}.{write_nearest_hint(type_, KINDS)}")
    of_type = [node.id for node in workflow.nodes if not type_ or node.type == type_]
    wanted = range_.strip().casefold()
    if wanted in ("", "all"):
        return frozenset(of_type)
    if wanted == "recent":
        return frozenset(of_type[-RECENT:])
    if numbers := _NUMBERS.fullmatch(range_):
        first, last = int(numbers[1]), int(numbers[2] or numbers[1])
        ids = [node.id for node in workflow.nodes[max(0, first - 1) : last]]
    else:
        ids = list(resolve_selection(range_, workflow.nodes))
    return frozenset(ids).intersection(of_type)


def _metadata(workflow: Workflow) -> Iterator[str]:
    yield from write_value_field("id", workflow.id)
    yield from write_value_field("name", workflow.name)
    yield from write_value_field("description", workflow.description)
    yield from write_value_field("origins", ", ".join(sorted(workflow.origins)))
    yield from write_value_bullets("inputs", (_input(one) for one in workflow.inputs))
    yield from write_value_field("limits", workflow.limits)
    yield from write_value_bullets("notes", workflow.notes)


def _input(one: Input) -> str:
    kind = "" if one.type == "any" else f" {one.type}"
    marks = (f"{kind}, secret" if one.sensitive else kind) + (" (required)" if one.required else "")
    says = f": {one.description}" if one.description else ""
    default = (
        ""
        if one.default is None
        else f" = {write_compact_value(mask_sensitive(one.default, name=one.name))}"
    )
    return f"{one.name}{marks}{default}{says}"


def _render_count(shown: int, there: int) -> str:
    if not there:
        return "No nodes yet."
    count = str(there) if shown == there else f"{shown} of {there}"
    return f"nodes: {count} (position alias id type status)"


def _belongs(parts: Sequence[ChildNodes], aliases: Mapping[str, str]) -> str:
    names = [f"{aliases[part.owner]} ({write_value_line(part.name)})" for part in parts]
    return f" in {', '.join(names)}" if names else ""


def _node(node: Node, nodes: Sequence[Node], start: str, status: str) -> Iterator[str]:
    says = f": {write_value_line(node.description)}" if node.description else ""
    yield f"{start} {write_value_line(node.id)} {node.type} {status}{says}"
    yield f" {write_compact_value(alias_references(node, nodes))}"
    if node.effect != get_node_effect(node.type, node.config):
        yield f" effect: {node.effect}"
    checks: tuple[tuple[str, Json], ...] = (
        ("requires", list(node.requires)),
        ("ensures", list(node.ensures)),
        ("proof", node.proof),
        ("retry", None if node.retry is None else f"{node.retry:g} s"),
        ("checks", list(node.checks)),
    )
    for name, value in checks:
        yield from (f" {found}" for found in write_value_field(name, value))
