"""Nodes: a workflow as a list of nodes that nest, each with how it fared; change and test them.

A change is made whole or refused, and what was seen as another version is not changed. The tools of
the agent do the work, so that a person and a model are held to the same rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, cast

from director.agent import AgentSession
from director.agent.saved_workflow import SavedState
from director.agent.tools import execution_tools, node_tools
from director.models import Result
from director.runs import Step, list_run_steps
from director.runs.run_journal import parse_run
from director.runs.run_text import write_check_text, write_condition_text, write_node_text
from director.services.doubts import (
    ConditionResult,
    DoubtRow,
    list_condition_results,
    list_doubts,
)
from director.services.errors import NotFound
from director.services.outgoing import Identifier, redact_result, refuse_marks
from director.services.workspace import Workspace
from director.store import Store, VersionConflict
from director.store.run_variables import get_draft_run_id, is_draft_run_id
from director.workflow.document import parse_stored_document
from director.workflow.input_types import is_secret_input
from director.workflow.references import alias_references, list_parts, map_parents
from director.workflow.retry import get_retry_seconds
from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Json, Node, Workflow

_STATES = {"success": "ok", "partial": "partial", "failed": "failed", "skipped": "skipped"}
_RUNS = 5  # of the newest runs, besides the draft run


@dataclass(frozen=True, slots=True)
class Tried:
    """How a node ended when it last ran; `stale` if it was changed after that.

    A run may visit a node often: `visits` is how often, and `good` how often it was green.
    """

    run: Identifier
    status: Identifier
    at: float
    took: float
    error: str
    evidence: tuple[ConditionResult, ...]
    warnings: tuple[str, ...]
    result: object
    picture: Identifier
    stale: bool
    visits: int
    good: int
    doubts: tuple[DoubtRow, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node in the list: `depth` says how far in, `part` of which branch or body, of `owner`.

    It has `inside` so many nodes of its own. What is hidden in a config cannot be edited.
    """

    id: Identifier
    position: int
    alias: str
    type: Identifier
    does: str
    description: str
    effect: Identifier
    depth: int
    owner: Identifier
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
    type: Identifier = "any"


@dataclass(frozen=True, slots=True)
class Nodes:
    """A version of a workflow."""

    workflow: Identifier
    name: str
    description: str
    version: int
    origins: tuple[str, ...]
    inputs: tuple[InputRow, ...]
    nodes: tuple[NodeRow, ...]
    count: int


@dataclass(frozen=True, slots=True)
class NodeTarget:
    """Which node of whose workflow is meant, and which version of the workflow was `seen`."""

    session: AgentSession
    node: str
    seen: int | None


@dataclass(frozen=True, slots=True)
class NodesResult:
    """What came of it, in words, and the nodes as they are now."""

    text: str
    failed: bool
    nodes: Nodes


@redact_result
def list_nodes(
    workspace: Workspace,
    workflow: str,
    *,
    statuses: Mapping[str, str] | None = None,
    most: int | None = None,
) -> Nodes:
    """The nodes of a workflow, or the first of them, each with how it fared when it last ran.

    `statuses` has those that ran unchanged, if it is known already.
    """
    return _read_nodes(workspace.reads, workflow, statuses, most)


@redact_result
def list_node_states(workspace: Workspace, run: str) -> dict[str, str]:
    """How each node fared in one run, by its id: failed or in part if any of its visits was."""
    found: dict[str, str] = {}
    for step in list_run_steps(workspace.reads, run):
        if step.type == "item":
            continue
        state = _STATES[step.status] if step.state == "finished" else step.state
        if found.get(step.node) not in ("failed", "partial") or state == "failed":
            found[step.node] = state
    return found


@redact_result
async def add_node(
    workspace: Workspace, session: AgentSession, draft: Mapping[str, Any], *, seen: int | None
) -> NodesResult:
    """Add a node, of the parts that the tool `create_node` takes."""
    refuse_marks(draft)
    _check_version(workspace, session.workflow, seen)
    return _get_result(workspace, session, await node_tools.create_node(session, **draft))


@redact_result
async def change_node(
    workspace: Workspace,
    target: NodeTarget,
    *,
    changes: dict[str, object],
    merge: Literal["update", "replace"],
) -> NodesResult:
    """Change a node; its other fields stay as they are."""
    refuse_marks(changes)
    session = _check_target(workspace, target)
    said = await node_tools.change_node(session, target.node, changes, merge)
    return _get_result(workspace, session, said)


@redact_result
async def delete_node(
    workspace: Workspace, target: NodeTarget, *, handle_dependencies: bool
) -> NodesResult:
    """Delete a node, or several by a range; refused while others refer to it."""
    session = _check_target(workspace, target)
    said = await node_tools.delete_node(session, target.node, handle_dependencies)
    return _get_result(workspace, session, said)


@redact_result
async def move_node(workspace: Workspace, target: NodeTarget, *, to: int | str) -> NodesResult:
    """Move a node, or several by a range."""
    session = _check_target(workspace, target)
    return _get_result(workspace, session, await node_tools.move_node(session, target.node, to))


@redact_result
async def try_node(
    workspace: Workspace, session: AgentSession, node: str, *, record: str = ""
) -> NodesResult:
    """Test one node in the draft run, where variables, records and the browser stay."""
    said = await execution_tools.test_single_node(session, node, record)
    return _get_result(workspace, session, said)


@redact_result
async def run_nodes(
    workspace: Workspace, session: AgentSession, options: Mapping[str, Any]
) -> NodesResult:
    """Run several nodes in the live browser, with what the tool `execute_nodes` takes."""
    said = await execution_tools.execute_nodes(session, **options)
    return _get_result(workspace, session, said)


def _check_target(workspace: Workspace, target: NodeTarget) -> AgentSession:
    _check_version(workspace, target.session.workflow, target.seen)
    return target.session


def _check_version(workspace: Workspace, workflow: str, seen: int | None) -> None:
    found = workspace.store.get("workflow", workflow)
    if seen is not None and found is not None and found.version != seen:
        raise VersionConflict(
            f"The workflow is version {found.version} by now, and you saw {seen}. "
            "Nothing was changed."
        )


def _get_result(workspace: Workspace, session: AgentSession, said: str | Result) -> NodesResult:
    text, failed = (said, False) if isinstance(said, str) else (said.text, said.failed)
    nodes = _read_nodes(workspace.store, session.workflow, session.saved.statuses())
    return NodesResult(text, failed, nodes)


def _read_nodes(
    store: Store, workflow: str, statuses: Mapping[str, str] | None, most: int | None = None
) -> Nodes:
    found = store.get("workflow", workflow)
    if found is None:
        raise NotFound(f"There is no workflow {workflow!r}.")
    now = parse_stored_document(cast("Json", found.body))
    known = SavedState(store, workflow).statuses() if statuses is None else statuses
    rows = tuple(islice(_list_rows(now, _list_tried(store, workflow, known)), most))
    return Nodes(
        workflow,
        now.name,
        now.description,
        found.version,
        now.origins,
        list_node_inputs(now),
        rows,
        len(now.nodes),
    )


def list_node_inputs(workflow: Workflow) -> tuple[InputRow, ...]:
    """What a run of a workflow is given; the default of what is secret is hidden."""
    return tuple(
        InputRow(
            one.name,
            one.description,
            mask_sensitive(one.default, name=one.name),
            one.required,
            is_secret_input(one),
            one.type,
        )
        for one in workflow.inputs
    )


def _list_tried(store: Store, workflow: str, statuses: Mapping[str, str]) -> dict[str, Tried]:
    """The newest finished step of each node: of the newest runs, and of all that tell a status."""
    newest = sorted(store.newest("run"), key=lambda one: -one.position)
    runs = {one.id: parse_run(one) for one in newest}
    own = [id_ for id_, one in runs.items() if one.workflow == workflow]
    found: dict[str, Step] = {}
    tried: dict[str, Tried] = {}
    for nth, run in enumerate(dict.fromkeys([get_draft_run_id(workflow), *own])):
        if nth > _RUNS and statuses.keys() <= found.keys():
            break
        steps = [one for one in list_run_steps(store, run) if one.type != "item"]
        for step in steps:
            known = found.get(step.node)
            if step.state == "finished" and (known is None or known.position < step.position):
                found[step.node] = step
                visits = [one for one in steps if one.node == step.node]
                stale = step.node not in statuses
                doubts = list_doubts(store, runs[run], steps) if run in runs else ()
                own_doubts = tuple(one for one in doubts if one.node == step.node)
                tried[step.node] = _make_tried(run, step, visits, stale=stale, doubts=own_doubts)
    return tried


def _make_tried(
    run: str,
    step: Step,
    visits: Sequence[Step],
    *,
    stale: bool,
    doubts: tuple[DoubtRow, ...],
) -> Tried:
    return Tried(
        run,
        step.status if is_draft_run_id(run) else _worst_of(visits),
        step.began,
        step.took,
        step.error,
        list_condition_results(step),
        step.warnings,
        mask_sensitive(step.result),
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


def _list_rows(workflow: Workflow, tried: Mapping[str, Tried]) -> Iterator[NodeRow]:
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
        yield _make_row(node, workflow, place, tried.get(node.id))
        for each in list_parts(node):
            for id_ in each.nodes:
                yield from under(known[id_], depth + 1, node.id, each.name)

    for node in workflow.nodes:
        if node.id not in inside:
            yield from under(node, 0, "", "")


def _make_row(node: Node, workflow: Workflow, place: _RowPlace, tried: Tried | None) -> NodeRow:
    config = alias_references(node, workflow.nodes)
    safe = mask_sensitive(config)
    conditions = [f"requires {write_condition_text(one)}" for one in node.requires]
    conditions += [f"ensures {write_condition_text(one)}" for one in node.ensures]
    conditions += [f"check {write_check_text(one)}" for one in node.checks]
    return NodeRow(
        node.id,
        place.position,
        node.alias,
        node.type,
        write_node_text(node),
        node.description,
        node.effect,
        place.depth,
        place.owner,
        place.part,
        sum(len(each.nodes) for each in list_parts(node)),
        cast("Mapping[str, object]", safe),
        safe == config,
        node.requires,
        node.ensures,
        node.proof,
        get_retry_seconds(node),
        node.checks,
        tuple(conditions),
        tried,
    )
