"""Workflows: list, make, rename, duplicate, delete and bring back, hand out and take in."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from typing import Annotated, Literal, cast

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from pydantic import Field

from director.agent.model_choice import choose
from director.agent.session_opening import new_workflow
from director.agent.workflow_imports import import_workflow
from director.browser import Origins
from director.models.names import parse
from director.models.servers import accept_server
from director.runs import save_workflow
from director.runs.playwright_script import script_of
from director.services.errors import NotFound
from director.store import Store, VersionConflict
from director.store.deleted_workflows import bring_back, is_away, put_away
from director.store.export import export_workflow
from director.web.reading.workflows import WorkflowRow, listed
from director.web.request_bodies import Body, Name, Text
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId
from director.workflow.document import from_json, to_json
from director.workflow.values import Json, Workflow

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
def all_of_them(studio: CurrentApp, *, deleted: bool = False) -> list[WorkflowRow]:
    """The workflows, the one that was changed last first; or those that are deleted."""
    return listed(studio.store, deleted=deleted)


@router.post("", status_code=201)
def make(body: New, studio: CurrentApp) -> WorkflowRow:
    """Make an empty workflow."""
    return row_of(studio.store, new_workflow(studio.store, body.name))


@router.post("/import", status_code=201)
def take_in(body: WorkflowImport, studio: CurrentApp) -> WorkflowRow:
    """Take in a workflow's document; if its id is taken by another, it gets a new one.

    The origins that it names are asked for. Conversations are not taken in here: nobody but the
    server writes history.
    """
    document = {**body.document, **({"id": body.as_} if body.as_ else {})}
    found = from_json(cast("Json", document), new_id=lambda: f"n_{uuid.uuid4().hex[:8]}")
    done = import_workflow(studio.store, found, replaces=body.replace)
    return row_of(studio.store, done.id)


@router.get("/{workflow}")
def one(workflow: ExistingWorkflowId, studio: CurrentApp) -> WorkflowRow:
    """One workflow."""
    return row_of(studio.store, workflow)


@router.patch("/{workflow}")
def change(workflow: ExistingWorkflowId, body: Changed, studio: CurrentApp) -> WorkflowRow:
    """Rename a workflow, describe it, or say which origins it may reach."""
    store = studio.store
    found = store.get("workflow", workflow)
    assert found is not None  # noqa: S101  it is known
    now = from_json(cast("Json", found.body))
    origins = now.origins
    if body.origins is not None:
        origins = tuple(map(str, Origins(body.origins)))
    after = replace(
        now,
        name=now.name if body.name is None else body.name,
        description=now.description if body.description is None else body.description,
        origins=origins,
    )
    if after != now:
        store.put("workflow", workflow, to_json(after), "changed by hand", expect=found.version)
    return row_of(store, workflow)


@router.put("/{workflow}/choice")
def choose_for(workflow: ExistingWorkflowId, body: ModelChoice, studio: CurrentApp) -> ModelChoice:
    """Choose the model and the profile that a workflow is built with from now on.

    The server of a model that is named anew is accepted; one that was stored before is not.
    """
    before = studio.store.get("choice", workflow)
    if body.model and (before is None or before.body.get("model") != body.model):
        parse(body.model)
        accept_server(body.model)
    choose(studio.store, workflow, profile=body.profile, model=body.model)
    found = studio.store.get("choice", workflow)
    chosen = found.body if found else {}
    return ModelChoice(
        model=str(chosen.get("model") or ""), profile=str(chosen.get("profile") or "")
    )


@router.post("/{workflow}/duplicate", status_code=201)
def duplicate(workflow: ExistingWorkflowId, body: New, studio: CurrentApp) -> WorkflowRow:
    """Make a copy: nodes, inputs and origins, without conversations and runs."""
    store = studio.store
    found = store.get("workflow", workflow)
    assert found is not None  # noqa: S101  it is known
    made = new_workflow(store, body.name)
    copy = replace(from_json(cast("Json", found.body)), id=made, name=_name(store, made))
    save_workflow(store, copy)
    return row_of(store, made)


@router.delete("/{workflow}")
async def delete(workflow: ExistingWorkflowId, studio: CurrentApp) -> WorkflowRow:
    """Delete a workflow; all of it stays in the store, and it can be brought back."""
    row = row_of(studio.store, workflow)
    await studio.leave(workflow)
    put_away(studio.store, workflow)
    return row


@router.post("/{workflow}/restore")
def undelete(workflow: str, studio: CurrentApp) -> WorkflowRow:
    """Bring a deleted workflow back."""
    if studio.store.get("workflow", workflow) is None:
        raise NotFound(f"There is no workflow {workflow!r}, deleted or not.")
    if is_away(studio.store, workflow):
        bring_back(studio.store, workflow)
    return row_of(studio.store, workflow)


@router.get(
    "/{workflow}/export",
    response_class=Response,
    responses={200: {"content": {"application/json": {}, "text/x-python": {}}}},
)
def hand_out(
    workflow: ExistingWorkflowId,
    studio: CurrentApp,
    form: Annotated[Literal["document", "script", "archive"], Query()] = "document",
) -> Response:
    """A workflow as its document, as a Python script, or whole with its conversations and runs."""
    found = studio.store.get("workflow", workflow)
    assert found is not None  # noqa: S101  it is known
    now = from_json(cast("Json", found.body))
    if form == "script":
        return _file(PlainTextResponse(script_of(now), media_type="text/x-python"), now, "py")
    if form == "archive":
        lines = export_workflow(studio.store, workflow)
        return _file(StreamingResponse(lines, media_type="application/x-ndjson"), now, "jsonl")
    text = json.dumps(to_json(now), ensure_ascii=False, indent=2) + "\n"
    return _file(PlainTextResponse(text, media_type="application/json"), now, "json")


def row_of(store: Store, workflow: str) -> WorkflowRow:
    """A workflow as it is in the list."""
    found = next((row for row in listed(store) if row.id == workflow), None)
    if found is None:
        raise VersionConflict(f"The workflow {workflow!r} was deleted meanwhile.")
    return found


def _name(store: Store, workflow: str) -> str:
    found = store.get("workflow", workflow)
    return str(found.body["name"]) if found else workflow


def _file(response: Response, workflow: Workflow, ending: str) -> Response:
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in workflow.id)
    response.headers["content-disposition"] = f'attachment; filename="{plain}.{ending}"'
    return response
