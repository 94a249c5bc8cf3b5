"""The rehearsal: begin one, and ask what the user says next; the rest is as with any model."""

from __future__ import annotations

from fastapi import APIRouter

from director.services.errors import NotFound
from director.services.workflows import WorkflowRow, get_workflow_row
from director.web.demo_player import NextLine
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId

router = APIRouter(tags=["rehearsal"])


@router.post("/rehearsal", status_code=201)
def begin_demo(studio: CurrentApp) -> WorkflowRow:
    """Serve the demo site, and make an empty workflow to rehearse with."""
    return get_workflow_row(studio.workspace, studio.rehearsals.begin())


@router.get("/workflows/{workflow}/rehearsal")
def get_next_demo_line(workflow: ExistingWorkflowId, studio: CurrentApp) -> NextLine:
    """What the user does next in the rehearsal: says a line, or compresses."""
    found = studio.rehearsals.next(workflow)
    if found is None:
        raise NotFound("This workflow is no rehearsal.")
    return found
