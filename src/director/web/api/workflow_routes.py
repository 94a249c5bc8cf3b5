"""Workflows: list, make, rename, duplicate, delete and bring back, hand out and take in."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from pydantic import Field

from director.services import workflows
from director.services.workflows import WorkflowRow
from director.web.request_bodies import Body, Name, Text
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId

router = APIRouter(prefix="/workflows", tags=["workflows"])


class New(Body):
    """A workflow that is to be made."""

    name: Name = "New workflow"


class Changed(Body):
    """What is to be changed of a workflow; what is not said stays."""

    name: Name | None = None
    description: Text | None = None
    origins: Annotated[list[Name], Field(max_length=200)] | None = None


class ModelChoice(Body):
    """The model and the profile of a workflow; what is not said stays."""

    model: Annotated[str, Field(max_length=300)] = ""
    profile: Annotated[str, Field(max_length=100)] = ""


class WorkflowImport(Body):
    """A workflow's document, to be taken in under its own id or another.

    With `replace` it becomes the next version of the workflow that has its id.
    """

    document: dict[str, object]
    replace: bool = False
    as_: Annotated[str, Field(alias="as", max_length=200, pattern=r"^[A-Za-z0-9_.-]*$")] = ""


@router.get("")
def list_all_workflows(studio: CurrentApp, *, deleted: bool = False) -> list[WorkflowRow]:
    """The workflows, the one that was changed last first; or those that are deleted."""
    return workflows.list_workflows(studio.workspace, deleted=deleted)


@router.post("", status_code=201)
def make_workflow(body: New, studio: CurrentApp) -> WorkflowRow:
    """Make an empty workflow."""
    return workflows.make_workflow(studio.workspace, body.name)


@router.post("/import", status_code=201)
def import_workflow(body: WorkflowImport, studio: CurrentApp) -> WorkflowRow:
    """Take in a workflow's document; if its id is taken by another, it gets a new one.

    The origins that it names are asked for. Conversations are not taken in here: nobody but the
    server writes history.
    """
    document = workflows.parse_workflow_text(body.document, as_=body.as_)
    done = workflows.import_document(studio.workspace, document, replaces=body.replace)
    return workflows.get_workflow_row(studio.workspace, done.id)


@router.get("/{workflow}")
def get_one_workflow(workflow: ExistingWorkflowId, studio: CurrentApp) -> WorkflowRow:
    """One workflow."""
    return workflows.get_workflow_row(studio.workspace, workflow)


@router.patch("/{workflow}")
def change_workflow(workflow: ExistingWorkflowId, body: Changed, studio: CurrentApp) -> WorkflowRow:
    """Rename a workflow, describe it, or say which origins it may reach."""
    return workflows.change_workflow(
        studio.workspace,
        workflow,
        name=body.name,
        description=body.description,
        origins=body.origins,
    )


@router.put("/{workflow}/choice")
def choose_workflow_profile(
    workflow: ExistingWorkflowId, body: ModelChoice, studio: CurrentApp
) -> ModelChoice:
    """Choose the model and the profile that a workflow is built with from now on.

    The server of a model that is named anew is accepted; one that was stored before is not.
    """
    chosen = workflows.choose_model_of_workflow(
        studio.workspace, workflow, model=body.model, profile=body.profile
    )
    return ModelChoice(model=chosen.model, profile=chosen.profile)


@router.post("/{workflow}/duplicate", status_code=201)
def duplicate_workflow(workflow: ExistingWorkflowId, body: New, studio: CurrentApp) -> WorkflowRow:
    """Make a copy: nodes, inputs and origins, without conversations and runs."""
    return workflows.duplicate_workflow(studio.workspace, workflow, body.name)


@router.delete("/{workflow}")
async def delete_one_workflow(workflow: ExistingWorkflowId, studio: CurrentApp) -> WorkflowRow:
    """Delete a workflow; all of it stays in the store, and it can be brought back."""
    row = workflows.get_workflow_row(studio.workspace, workflow)
    await studio.leave(workflow)
    workflows.delete_workflow(studio.workspace, workflow)
    return row


@router.post("/{workflow}/restore")
def restore_workflow(workflow: str, studio: CurrentApp) -> WorkflowRow:
    """Bring a deleted workflow back."""
    return workflows.restore_workflow(studio.workspace, workflow)


@router.get(
    "/{workflow}/export",
    response_class=Response,
    responses={200: {"content": {"application/json": {}, "text/x-python": {}}}},
)
def export_one_workflow(
    workflow: ExistingWorkflowId,
    studio: CurrentApp,
    form: Annotated[Literal["document", "script", "archive"], Query()] = "document",
) -> Response:
    """A workflow as its document, as a Python script, or whole with its conversations and runs."""
    if form == "script":
        script = workflows.export_workflow_script(studio.workspace, workflow)
        return _file(PlainTextResponse(script, media_type="text/x-python"), workflow, "py")
    if form == "archive":
        lines = workflows.export_workflow_archive(studio.workspace, workflow)
        return _file(StreamingResponse(lines, media_type="application/x-ndjson"), workflow, "jsonl")
    text = workflows.export_workflow_document(studio.workspace, workflow)
    return _file(PlainTextResponse(text, media_type="application/json"), workflow, "json")


def _file(response: Response, workflow: str, ending: str) -> Response:
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in workflow)
    response.headers["content-disposition"] = f'attachment; filename="{plain}.{ending}"'
    return response
