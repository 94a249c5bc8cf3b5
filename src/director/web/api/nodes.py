"""The nodes of a workflow: add, change, move, delete; test one, run some in the live browser.

A change is made whole or refused. Who says which version they saw is refused if it is not the
newest any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Path, Query
from pydantic import Field

from director.agent.tools import execution_tools, node_tools
from director.models import Result
from director.services.errors import NotFound
from director.store import VersionConflict
from director.web.api.plan import Back, PlanVersion, versions
from director.web.app_state import AppState
from director.web.reading.nodes import Nodes, nodes
from director.web.request_bodies import Body, Name, Text
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId

router = APIRouter(prefix="/workflows/{workflow}", tags=["nodes"])
Which: TypeAlias = Annotated[str, Path(min_length=1, max_length=200)]
_Seen = Annotated[int | None, Field(ge=1, le=2**31)]
_Conditions = Annotated[list[dict[str, object]], Field(max_length=50)]
_Effect = Literal["read", "idempotent", "once"]


class NewNode(Body):
    """A node that is to be."""

    type: Name
    alias: Name
    config: dict[str, object]
    description: Text = ""
    effect: _Effect | None = None
    requires: _Conditions | None = None
    ensures: _Conditions | None = None
    proof: dict[str, object] | None = None
    position: int | Name = "end"
    version: _Seen = None


class ChangedNode(Body):
    """What is to be changed of a node; `merge` says what becomes of the rest of its config."""

    changes: dict[str, object]
    merge: Literal["update", "replace"] = "update"
    version: _Seen = None


class Moving(Body):
    """Where a node is to go: the position or alias whose place it takes, or `end`."""

    to: int | Name
    version: _Seen = None


class Trying(Body):
    """A record to test with, if the node needs one."""

    record: Annotated[str, Field(max_length=200)] = ""


class Selected(Body):
    """Which nodes to run in the live browser, and how."""

    nodes: Name = "all"
    mode: Literal["flow", "isolated"] = "flow"
    keep_browser: bool = False
    inputs: dict[str, object] = Field(default_factory=dict)
    record: Annotated[str, Field(max_length=200)] = ""


@dataclass(frozen=True, slots=True)
class NodesResult:
    """What came of it, in words, and the nodes as they are now."""

    text: str
    failed: bool
    nodes: Nodes


@router.get("/nodes")
def all_of_them(workflow: ExistingWorkflowId, studio: CurrentApp) -> Nodes:
    """The nodes as they nest, each with how it fared when it last ran."""
    return nodes(studio.store, workflow, studio.reader(workflow).state().statuses)


@router.post("/nodes", status_code=201)
async def add(workflow: ExistingWorkflowId, body: NewNode, studio: CurrentApp) -> NodesResult:
    """Add a node."""
    desk = await studio.desk(workflow)
    _check_version(workflow, body.version, studio)
    given = body.model_dump(exclude={"version"})
    return _done(workflow, studio, await node_tools.create_node(desk, **given))


@router.patch("/nodes/{node}")
async def change(
    workflow: ExistingWorkflowId, node: Which, body: ChangedNode, studio: CurrentApp
) -> NodesResult:
    """Change a node; its other fields stay as they are."""
    desk = await studio.desk(workflow)
    _check_version(workflow, body.version, studio)
    said = await node_tools.change_node(desk, node, body.changes, body.merge)
    return _done(workflow, studio, said)


@router.delete("/nodes/{node}")
async def delete(
    workflow: ExistingWorkflowId,
    node: Which,
    studio: CurrentApp,
    *,
    version: Annotated[int | None, Query(ge=1, le=2**31)] = None,
    handle_dependencies: bool = False,
) -> NodesResult:
    """Delete a node, or several by a range; refused while others refer to it."""
    desk = await studio.desk(workflow)
    _check_version(workflow, version, studio)
    said = await node_tools.delete_node(desk, node, handle_dependencies)
    return _done(workflow, studio, said)


@router.post("/nodes/{node}/move")
async def move(
    workflow: ExistingWorkflowId, node: Which, body: Moving, studio: CurrentApp
) -> NodesResult:
    """Move a node, or several by a range."""
    desk = await studio.desk(workflow)
    _check_version(workflow, body.version, studio)
    return _done(workflow, studio, await node_tools.move_node(desk, node, body.to))


@router.post("/nodes/{node}/test")
async def test(
    workflow: ExistingWorkflowId, node: Which, body: Trying, studio: CurrentApp
) -> NodesResult:
    """Test one node in the workbench, where variables, records and the browser stay."""
    desk = await studio.desk(workflow)
    said = await studio.alone(
        workflow, lambda: execution_tools.test_single_node(desk, node, body.record)
    )
    return _done(workflow, studio, said)


@router.post("/run")
async def run(workflow: ExistingWorkflowId, body: Selected, studio: CurrentApp) -> NodesResult:
    """Run several nodes in the live browser, here and now."""
    desk = await studio.desk(workflow)
    said = await studio.alone(
        workflow,
        lambda: execution_tools.execute_nodes(
            desk,
            body.nodes,
            body.mode,
            body.inputs,
            body.record,
            keep_browser=body.keep_browser,
        ),
    )
    return _done(workflow, studio, said)


@router.get("/versions")
def all_versions(workflow: ExistingWorkflowId, studio: CurrentApp) -> list[PlanVersion]:
    """The versions of the workflow, the newest first, each with what it changed."""
    return versions(studio.store, "workflow", workflow)


@router.post("/versions/restore")
def back(workflow: ExistingWorkflowId, body: Back, studio: CurrentApp) -> Nodes:
    """Put an older version of the workflow in the place of the newest; every version stays.

    What it may reach is not part of that: approvals stay as they are now.
    """
    store = studio.store
    old, now = store.get("workflow", workflow, body.version), store.get("workflow", workflow)
    if old is None or now is None:
        raise NotFound(f"This workflow has no version {body.version}.")
    restored = {**old.body, "origins": now.body.get("origins", [])}
    reason = f"restored version {body.version}"
    store.put("workflow", workflow, restored, reason, expect=now.version)
    return all_of_them(workflow, studio)


def _check_version(workflow: str, seen: int | None, studio: AppState) -> None:
    found = studio.store.get("workflow", workflow)
    if seen is not None and found is not None and found.version != seen:
        raise VersionConflict(
            f"The workflow is version {found.version} by now, and you saw {seen}. "
            "Nothing was changed."
        )


def _done(workflow: str, studio: AppState, said: str | Result) -> NodesResult:
    text, failed = (said, False) if isinstance(said, str) else (said.text, said.failed)
    return NodesResult(studio.clean(text), failed, all_of_them(workflow, studio))
