"""`GET /events`: one stream for a browser, of all workflows."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, HTTPException, Query
from fastapi.responses import StreamingResponse

from director.web.route_dependencies import CurrentApp

# A browser opens one for all its windows.
MOST = 100
router = APIRouter(tags=["events"])


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def stream_events(
    studio: CurrentApp,
    last_event_id: Annotated[str, Header(max_length=64)] = "",
    after: Annotated[str, Query(max_length=64)] = "",
) -> StreamingResponse:
    """What changes, in every workflow, as it changes.

    Each event is JSON: {"workflow", "parts"} names what is no longer true, {"workflow", "text",
    "entry"} is text that is being written, {"workflow", "progress"} a call that begins or ends,
    {"reload": true} says that events were missed and everything is to be loaded again. `after` is
    the event that a page was made at; one that connects again says what it saw last in a header.
    """
    if studio.hub.listeners >= MOST:
        said = f"{MOST} windows or programs listen already. Close one of them, and try again."
        raise HTTPException(503, said)
    return StreamingResponse(
        studio.hub.stream(last_event_id or after),
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )
