"""Workflows as a terminal shows them: a table of all, and the outline of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from director.runs import Run, steps_of
from director.runs.run_journal import run_from
from director.runs.run_text import check_text, condition_text, doubts_text, node_text, time_text
from director.store import Store
from director.store.deleted_workflows import away
from director.workflow.display import render_value
from director.workflow.references import map_parents, parts_of
from director.workflow.values import Json, Node, Workflow

_STATES = {"success": "ok", "partial": "partial", "failed": "failed", "skipped": "skipped"}
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


def runs_of(store: Store, workflow: str = "") -> list[tuple[Run, float]]:
    """The runs there are, the newest last, with the time of what they did last."""
    found = [
        (run_from(each), each.at, each.position)
        for each in store.newest("run")
        if not each.id.startswith("workbench:")
    ]
    found.sort(key=lambda each: each[2])
    return [(run, at) for run, at, _ in found if not workflow or run.workflow == workflow]


def listing(store: Store) -> list[dict[str, Json]]:
    """The workflows that were not deleted, a row each."""
    last = {run.workflow: (run, at) for run, at in runs_of(store)}
    rows: list[dict[str, Json]] = []
    gone = away(store)
    for each in store.newest("workflow"):
        if each.id in gone:
            continue
        nodes = each.body.get("nodes")
        run, at = last.get(each.id, (None, 0.0))
        rows.append(
            {
                "id": each.id,
                "name": str(each.body.get("name", "")),
                "nodes": len(nodes) if isinstance(nodes, list | tuple) else 0,
                "version": each.version,
                "last run": time_text(at) if run else "never",
                "state": run.state if run else "",
            }
        )
    return rows


def outline(store: Store, workflow: Workflow) -> str:
    """A workflow with its nodes, those that belong to others under them."""
    last = runs_of(store, workflow.id)
    states = _states(store, last[-1][0]) if last else {}
    drawn = _Outline(workflow, states)
    version = store.get("workflow", workflow.id)
    number = version.version if version else 0
    about = f"{workflow.id}, version {number}, {len(workflow.nodes)} nodes"
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
    if last:
        run, at = last[-1]
        doubted = f", {doubts_text(len(run.doubts))}" if run.doubts else ""
        lines.append(f"last run {run.id}, {run.state}{doubted}, {time_text(at)}")
    return "\n".join([*lines, "", *drawn.lines()])


def _states(store: Store, run: Run) -> dict[str, str]:
    """How each node fared: failed if any of its visits did."""
    found: dict[str, str] = {}
    for step in steps_of(store, run.id):
        if step.type == "item":
            continue
        state = _STATES[step.status] if step.state == "finished" else step.state
        if found.get(step.node) not in ("failed", "partial") or state == "failed":
            found[step.node] = state
    return found


class _Outline:
    def __init__(self, workflow: Workflow, states: dict[str, str]) -> None:
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
        yield f"{head}  {node_text(node, _LINE):<{_LINE}}  {node.effect:<10}  {state}".rstrip()
        space = f"{indent}     {'':<{self._wide}}  "
        if node.retry is not None:
            yield f"{space}tried again for {node.retry:g} s while its site is away"
        if node.description:
            yield f"{space}“{' '.join(node.description.split())}”"
        for word, conditions in (("requires", node.requires), ("ensures", node.ensures)):
            for condition in conditions:
                yield f"{space}{word} {condition_text(condition)}"
        yield from (f"{space}check {check_text(check)}" for check in node.checks)
        for part in parts_of(node):
            yield f"{indent}     {part.name}:"
            for id_ in part.nodes:
                yield from self._node(self._nodes[id_], depth + 1)
