"""A workflow as a list of nodes that nest, each with how it fared when it last ran."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

from director.runs import Step, steps_of
from director.runs.run_journal import run_from
from director.runs.run_text import check_text, condition_text, evidence_text, node_text
from director.store import Store
from director.store.run_variables import is_workbench, workbench
from director.web.reading.doubts import DoubtRow, doubt_rows
from director.workflow.document import parse_stored
from director.workflow.input_types import is_secret_input
from director.workflow.references import map_parents, parts_of, with_aliases
from director.workflow.retry import retry_seconds
from director.workflow.sensitive import mask_value
from director.workflow.values import Json, Node, Workflow

_RUNS = 5  # of the newest runs, besides the workbench


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """A condition, whether it held, and what was found."""

    holds: bool
    text: str


@dataclass(frozen=True, slots=True)
class Tried:
    """How a node ended when it last ran; `stale` if it was changed after that.

    A run may visit a node often: `visits` is how often, and `good` how often it was green.
    """

    run: str
    status: str
    at: float
    took: float
    error: str
    evidence: tuple[ConditionResult, ...]
    warnings: tuple[str, ...]
    result: object
    picture: str
    stale: bool
    visits: int
    good: int
    doubts: tuple[DoubtRow, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node in the list: `depth` says how far in, `part` of which branch or body, of `owner`.

    It has `inside` so many nodes of its own. What is hidden in a config cannot be edited.
    """

    id: str
    position: int
    alias: str
    type: str
    does: str
    description: str
    effect: str
    depth: int
    owner: str
    part: str
    inside: int
    config: Mapping[str, object]
    editable: bool
    requires: tuple[Mapping[str, object], ...]
    ensures: tuple[Mapping[str, object], ...]
    proof: Mapping[str, object] | None
    retry: float
    checks: tuple[Mapping[str, object], ...]
    conditions: tuple[str, ...]
    tried: Tried | None = None


@dataclass(frozen=True, slots=True)
class InputRow:
    """What a run is given; `sensitive` if its value goes into the vault."""

    name: str
    description: str
    default: object
    required: bool
    sensitive: bool
    type: str = "any"


@dataclass(frozen=True, slots=True)
class Nodes:
    """A version of a workflow."""

    workflow: str
    name: str
    description: str
    version: int
    origins: tuple[str, ...]
    inputs: tuple[InputRow, ...]
    nodes: tuple[NodeRow, ...]
    count: int


def nodes(
    store: Store, workflow: str, statuses: Mapping[str, str], *, most: int | None = None
) -> Nodes:
    """The nodes of a workflow, or the first of them; `statuses` has those that ran unchanged."""
    found = store.get("workflow", workflow)
    assert found is not None  # noqa: S101  whoever asks has looked
    now = parse_stored(cast("Json", found.body))
    rows = tuple(islice(_rows(now, _tried(store, workflow, statuses)), most))
    return Nodes(
        workflow,
        now.name,
        now.description,
        found.version,
        now.origins,
        list_inputs(now),
        rows,
        len(now.nodes),
    )


def list_inputs(workflow: Workflow) -> tuple[InputRow, ...]:
    """What a run of a workflow is given; the default of what is secret is hidden."""
    return tuple(
        InputRow(
            one.name,
            one.description,
            mask_value(one.default, name=one.name),
            one.required,
            is_secret_input(one),
            one.type,
        )
        for one in workflow.inputs
    )


def _tried(store: Store, workflow: str, statuses: Mapping[str, str]) -> dict[str, Tried]:
    """The newest finished step of each node: of the newest runs, and of all that tell a status."""
    newest = sorted(store.newest("run"), key=lambda one: -one.position)
    runs = {one.id: run_from(one) for one in newest}
    own = [id_ for id_, one in runs.items() if one.workflow == workflow]
    found: dict[str, Step] = {}
    told: dict[str, Tried] = {}
    for nth, run in enumerate(dict.fromkeys([workbench(workflow), *own])):
        if nth > _RUNS and statuses.keys() <= found.keys():
            break
        steps = [one for one in steps_of(store, run) if one.type != "item"]
        for step in steps:
            known = found.get(step.node)
            if step.state == "finished" and (known is None or known.position < step.position):
                found[step.node] = step
                visits = [one for one in steps if one.node == step.node]
                stale = step.node not in statuses
                doubts = doubt_rows(store, runs[run], steps) if run in runs else ()
                own_doubts = tuple(one for one in doubts if one.node == step.node)
                told[step.node] = _told(run, step, visits, stale=stale, doubts=own_doubts)
    return told


def _told(
    run: str,
    step: Step,
    visits: Sequence[Step],
    *,
    stale: bool,
    doubts: tuple[DoubtRow, ...],
) -> Tried:
    evidence = (
        ConditionResult(bool(one.get("holds")), evidence_text(one)) for one in step.evidence
    )
    return Tried(
        run,
        step.status if is_workbench(run) else _worst_of(visits),
        step.began,
        step.took,
        step.error,
        tuple(evidence),
        step.warnings,
        mask_value(step.result),
        step.screenshot["$kept"] if step.screenshot else "",
        stale,
        len(visits),
        sum(one.state == "finished" and one.status == "success" for one in visits),
        doubts,
    )


def _worst_of(visits: Sequence[Step]) -> str:
    """How a node fared in a run: as the worst of its visits."""
    found = {one.status for one in visits if one.state == "finished"}
    return next(each for each in ("failed", "partial", "success", "skipped") if each in found)


@dataclass(frozen=True, slots=True)
class _RowPlace:
    """Where a row stands; the fields mean what they mean in `NodeRow`."""

    position: int
    depth: int
    owner: str
    part: str


def _rows(workflow: Workflow, tried: Mapping[str, Tried]) -> Iterator[NodeRow]:
    places = {node.id: place for place, node in enumerate(workflow.nodes, 1)}
    known = {node.id: node for node in workflow.nodes}
    inside = map_parents(workflow)
    drawn: set[str] = set()

    def under(node: Node, depth: int, owner: str, part: str) -> Iterator[NodeRow]:
        if node.id in drawn:
            return
        drawn.add(node.id)
        others = [
            f"{known[one.owner].alias} ({one.name})"
            for one in inside.get(node.id, ())
            if (one.owner, one.name) != (owner, part)
        ]
        shown = f"{part}, also {', '.join(others)}" if others else part
        place = _RowPlace(places[node.id], depth, owner, shown)
        yield _row(node, workflow, place, tried.get(node.id))
        for each in parts_of(node):
            for id_ in each.nodes:
                yield from under(known[id_], depth + 1, node.id, each.name)

    for node in workflow.nodes:
        if node.id not in inside:
            yield from under(node, 0, "", "")


def _row(node: Node, workflow: Workflow, place: _RowPlace, tried: Tried | None) -> NodeRow:
    config = with_aliases(node, workflow.nodes)
    safe = mask_value(config)
    conditions = [f"requires {condition_text(one)}" for one in node.requires]
    conditions += [f"ensures {condition_text(one)}" for one in node.ensures]
    conditions += [f"check {check_text(one)}" for one in node.checks]
    return NodeRow(
        node.id,
        place.position,
        node.alias,
        node.type,
        node_text(node),
        node.description,
        node.effect,
        place.depth,
        place.owner,
        place.part,
        sum(len(each.nodes) for each in parts_of(node)),
        cast("Mapping[str, object]", safe),
        safe == config,
        node.requires,
        node.ensures,
        node.proof,
        retry_seconds(node),
        node.checks,
        tuple(conditions),
        tried,
    )
