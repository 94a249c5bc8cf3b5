"""Every request that was made, exactly as it left: by part, with tokens and price; compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from director.services import requests
from director.services.context_meter import Meter
from director.services.requests import Detail, Moment, RequestRow
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId, Thread

router = APIRouter(prefix="/workflows/{workflow}", tags=["requests"])
Number: TypeAlias = Annotated[int, Path(ge=1, le=2**31)]


@dataclass(frozen=True, slots=True)
class Difference:
    """How two requests differ, as lines of a unified difference."""

    lines: list[str]


@router.get("/meter")
async def measure_next_request(workflow: ExistingWorkflowId, studio: CurrentApp) -> Meter:
    """How large the next request would be, by part, against warning and limit."""
    return await studio.meter(workflow)


@router.get("/requests")
def list_requests(
    thread: Thread,
    studio: CurrentApp,
    before: Annotated[int | None, Query(ge=1, le=2**31)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[RequestRow]:
    """The requests of a conversation, the newest first."""
    return requests.list_requests(studio.workspace.fresh, thread, before=before, limit=limit)


@router.get("/requests/timeline")
def get_request_timeline(thread: Thread, studio: CurrentApp) -> list[Moment]:
    """How the size of the context went, with the compressions."""
    return requests.list_request_moments(studio.workspace.fresh, thread)


@router.get("/requests/{number}")
def get_request(thread: Thread, number: Number, studio: CurrentApp) -> Detail:
    """One request: its parts, what was cut and why, how each attempt ended."""
    return requests.read_request(studio.workspace.fresh, thread, number)


@router.get(
    "/requests/{number}/body",
    response_class=Response,
    responses={200: {"content": {"application/json": {}}}},
)
def get_request_body(
    thread: Thread,
    number: Number,
    studio: CurrentApp,
    attempt: Annotated[int, Query(ge=1, le=99)] = 1,
) -> Response:
    """The body of a request, byte for byte as it left."""
    sent = requests.read_request_body(studio.workspace.fresh, thread, number, attempt)
    return Response(sent, media_type="application/json")


@router.get("/requests/{number}/diff/{other}")
def compare_requests(
    thread: Thread, number: Number, other: Number, studio: CurrentApp
) -> Difference:
    """How two requests differ, line by line of their bodies."""
    return Difference(
        requests.compare_request_bodies(studio.workspace.fresh, thread, number, other)
    )
