"""The nodes of a workflow: add, change, move, delete; test one, run some in the live browser.

A change is made whole or refused. Who says which version they saw is refused if it is not the
newest any more.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Path, Query
from pydantic import Field

from director.services import nodes, workflows
from director.services.nodes import Nodes, NodesResult, NodeTarget
from director.services.workflows import RecordVersion
from director.web.api.plan_routes import Back
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


@router.get("/nodes")
def list_all_nodes(workflow: ExistingWorkflowId, studio: CurrentApp) -> Nodes:
    """The nodes as they nest, each with how it fared when it last ran."""
    statuses = studio.reader(workflow).state().statuses
    return nodes.list_nodes(studio.workspace, workflow, statuses=statuses)


@router.post("/nodes", status_code=201)
async def add_one_node(
    workflow: ExistingWorkflowId, body: NewNode, studio: CurrentApp
) -> NodesResult:
    """Add a node."""
    given = body.model_dump(exclude={"version"})
    session = await studio.desk(workflow)
    return await nodes.add_node(studio.workspace, session, given, seen=body.version)


@router.patch("/nodes/{node}")
async def change_one_node(
    workflow: ExistingWorkflowId, node: Which, body: ChangedNode, studio: CurrentApp
) -> NodesResult:
    """Change a node; its other fields stay as they are."""
    target = NodeTarget(await studio.desk(workflow), node, body.version)
    return await nodes.change_node(studio.workspace, target, changes=body.changes, merge=body.merge)


@router.delete("/nodes/{node}")
async def delete_some_nodes(
    workflow: ExistingWorkflowId,
    node: Which,
    studio: CurrentApp,
    *,
    version: Annotated[int | None, Query(ge=1, le=2**31)] = None,
    handle_dependencies: bool = False,
) -> NodesResult:
    """Delete a node, or several by a range; refused while others refer to it."""
    target = NodeTarget(await studio.desk(workflow), node, version)
    return await nodes.delete_node(
        studio.workspace, target, handle_dependencies=handle_dependencies
    )


@router.post("/nodes/{node}/move")
async def move_some_nodes(
    workflow: ExistingWorkflowId, node: Which, body: Moving, studio: CurrentApp
) -> NodesResult:
    """Move a node, or several by a range."""
    target = NodeTarget(await studio.desk(workflow), node, body.version)
    return await nodes.move_node(studio.workspace, target, to=body.to)


@router.post("/nodes/{node}/test")
async def test_one_node(
    workflow: ExistingWorkflowId, node: Which, body: Trying, studio: CurrentApp
) -> NodesResult:
    """Test one node in the workbench, where variables, records and the browser stay."""
    session = await studio.desk(workflow)
    return await studio.alone(
        workflow, lambda: nodes.try_node(studio.workspace, session, node, record=body.record)
    )


@router.post("/run")
async def run_some_nodes(
    workflow: ExistingWorkflowId, body: Selected, studio: CurrentApp
) -> NodesResult:
    """Run several nodes in the live browser, here and now."""
    session = await studio.desk(workflow)
    return await studio.alone(
        workflow, lambda: nodes.run_nodes(studio.workspace, session, body.model_dump())
    )


@router.get("/versions")
def list_node_versions(workflow: ExistingWorkflowId, studio: CurrentApp) -> list[RecordVersion]:
    """The versions of the workflow, the newest first, each with what it changed."""
    return workflows.list_workflow_versions(studio.workspace, "workflow", workflow)


@router.post("/versions/restore")
def restore_node_version(workflow: ExistingWorkflowId, body: Back, studio: CurrentApp) -> Nodes:
    """Put an older version of the workflow in the place of the newest; every version stays.

    What it may reach is not part of that: approvals stay as they are now.
    """
    workflows.restore_workflow_version(studio.workspace, workflow, body.version)
    return nodes.list_nodes(studio.workspace.fresh, workflow)
