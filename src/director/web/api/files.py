"""Files that runs of a workflow may upload: attach them, list them, remove them."""

from __future__ import annotations

import base64
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from director.runs import RunError
from director.runs.given_files import GivenFile, attach_given_file, remove_given_file
from director.web.app_state import AppState
from director.web.request_bodies import Body, Name
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId

router = APIRouter(prefix="/workflows/{workflow}/files", tags=["files"])


class Content(Body):
    """A file: its name, and its bytes as base64."""

    name: Name
    content: Annotated[str, Field(max_length=8_000_000)]


class Attached(Body):
    """The file to attach."""

    file: Content


@router.get("")
def list_attached_files(workflow: ExistingWorkflowId, studio: CurrentApp) -> list[GivenFile]:
    """The files that runs of this workflow may upload."""
    return list(studio.supplies.files(workflow).list())


@router.post("", status_code=201)
async def attach_file(
    workflow: ExistingWorkflowId, body: Attached, studio: CurrentApp
) -> GivenFile:
    """Attach a file; one of the same name is replaced."""
    try:
        content = base64.b64decode(body.file.content, validate=True)
    except ValueError as problem:
        raise RunError(f"The content is no base64: {problem}. Nothing was attached.") from None
    made = attach_given_file(workflow, body.file.name, content)
    _tell(studio, workflow)
    return made


@router.delete("/{name}")
async def remove_attached_file(
    workflow: ExistingWorkflowId,
    studio: CurrentApp,
    name: Annotated[str, Path(min_length=1, max_length=200)],
) -> list[GivenFile]:
    """Remove an attached file; those that are left."""
    remove_given_file(workflow, name)
    _tell(studio, workflow)
    return list(studio.supplies.files(workflow).list())


def _tell(studio: AppState, workflow: str) -> None:
    """Let every window show the files as they are now."""
    studio.hub.tell({"workflow": workflow, "parts": ["variables", "meter"]})
