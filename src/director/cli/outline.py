"""Workflows as a terminal shows them: a table of all, and the outline of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from director.runs.run_text import (
    write_check_text,
    write_condition_text,
    write_doubts_text,
    write_node_text,
    write_time_text,
)
from director.services.nodes import list_node_states
from director.services.runs import list_runs
from director.services.workflows import WorkflowRow, get_workflow, get_workflow_version
from director.services.workspace import Workspace
from director.workflow.display import render_value
from director.workflow.references import list_parts, map_parents
from director.workflow.values import Json, Node, Workflow

_LINE = 72


def columns(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under their names, each column as wide as it must be."""
    every = [list(names), *rows]
    widths = [max(len(row[at]) for row in every) for at in range(len(names))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in every
    )
    return "\n".join(line.rstrip() for line in lines)


def listing(found: Sequence[WorkflowRow]) -> list[dict[str, Json]]:
    """Workflows, a row each, by their ids."""
    return [
        {
            "id": row.id,
            "name": row.name,
            "nodes": row.nodes,
            "version": row.version,
            "last run": write_time_text(row.ran_at) if row.run else "never",
            "state": row.state,
        }
        for row in sorted(found, key=lambda row: row.id)
    ]


def outline(workspace: Workspace, id_: str) -> str:
    """A workflow with its nodes, those that belong to others under them."""
    workflow, version = get_workflow(workspace, id_), get_workflow_version(workspace, id_)
    last = list_runs(workspace, id_, limit=1)
    states = list_node_states(workspace, last[0].id) if last else {}
    drawn = _Outline(workflow, states)
    about = f"{workflow.id}, version {version}, {len(workflow.nodes)} nodes"
    lines = [f"{workflow.name}  ({about})"]
    if workflow.description:
        lines.append(workflow.description)
    lines.append("")
    lines.append(f"origins  {', '.join(workflow.origins) or 'none'}")
    for place, given in enumerate(workflow.inputs):
        how = "required" if given.required else f"= {render_value(given.name, given.default)}"
        lines.append(
            f"{'inputs' if place == 0 else '':<9}{given.name} ({how})  {given.description}"
        )
    for run in last:
        doubted = f", {write_doubts_text(run.doubts)}" if run.doubts else ""
        lines.append(f"last run {run.id}, {run.state}{doubted}, {write_time_text(run.at)}")
    return "\n".join([*lines, "", *drawn.lines()])


class _Outline:
    def __init__(self, workflow: Workflow, states: Mapping[str, str]) -> None:
        self._workflow = workflow
        self._states = states
        self._places = {node.id: place for place, node in enumerate(workflow.nodes, 1)}
        self._nodes = {node.id: node for node in workflow.nodes}
        self._wide = max((len(node.alias) for node in workflow.nodes), default=0)

    def lines(self) -> Iterator[str]:
        inside = map_parents(self._workflow)
        for node in self._workflow.nodes:
            if node.id not in inside:
                yield from self._node(node, 0)

    def _node(self, node: Node, depth: int) -> Iterator[str]:
        indent = "    " * depth
        state = self._states.get(node.id, "")
        head = f"{indent}{self._places[node.id]:>3}  {node.alias:<{self._wide}}"
        text = write_node_text(node, _LINE)
        yield f"{head}  {text:<{_LINE}}  {node.effect:<10}  {state}".rstrip()
        space = f"{indent}     {'':<{self._wide}}  "
        if node.retry is not None:
            yield f"{space}tried again for {node.retry:g} s while its site is away"
        if node.description:
            yield f"{space}“{' '.join(node.description.split())}”"
        for word, conditions in (("requires", node.requires), ("ensures", node.ensures)):
            for condition in conditions:
                yield f"{space}{word} {write_condition_text(condition)}"
        yield from (f"{space}check {write_check_text(check)}" for check in node.checks)
        for part in list_parts(node):
            yield f"{indent}     {part.name}:"
            for id_ in part.nodes:
                yield from self._node(self._nodes[id_], depth + 1)
