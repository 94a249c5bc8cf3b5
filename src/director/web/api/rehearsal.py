"""The rehearsal: begin one, and ask what the user says next; the rest is as with any model."""

from __future__ import annotations

from fastapi import APIRouter

from director.web.api.workflows import row_of
from director.web.reading.workflows import Row
from director.web.rehearsing import Next
from director.web.studio import NotThere
from director.web.wants import Here, Known

router = APIRouter(tags=["rehearsal"])


@router.post("/rehearsal", status_code=201)
def begin(studio: Here) -> Row:
    """Serve the demo site, and make an empty workflow to rehearse with."""
    return row_of(studio.store, studio.rehearsals.begin())


@router.get("/workflows/{workflow}/rehearsal")
def next_line(workflow: Known, studio: Here) -> Next:
    """What the user does next in the rehearsal: says a line, or compresses."""
    found = studio.rehearsals.next(workflow)
    if found is None:
        raise NotThere("This workflow is no rehearsal.")
    return found
