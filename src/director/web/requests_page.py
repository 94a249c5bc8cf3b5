"""The inspector: what the model saw at each request, by part, and how two requests differ."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse

from director.agent import ensure_current_thread
from director.agent.saved_workflow import SavedState
from director.services.requests import count_requests, list_requests
from director.web.app_state import AppState
from director.web.page_templates import answer_page_template, get_page_api
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId, Thread
from director.web.views import requests

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
_Number = Annotated[int, Path(ge=1, le=2**31)]
_AT_ONCE = 50


@router.get("/w/{workflow}/requests")
def show_requests_page(
    request: Request,
    workflow: ExistingWorkflowId,
    thread: Thread,
    studio: CurrentApp,
    before: Annotated[int | None, Query(ge=1, le=2**31)] = None,
) -> HTMLResponse:
    """The requests of the conversation, some at a time, and the size over time."""
    rows = list_requests(studio.workspace, thread, before=before, limit=_AT_ONCE)
    shown = {**_around(studio, workflow, thread), "rows": rows, "before": before}
    return answer_page_template(request, "requests.html", shown)


@router.get("/w/{workflow}/requests/{number}")
def show_request_page(  # noqa: PLR0913, PLR0917  each is asked for by name
    request: Request,
    workflow: ExistingWorkflowId,
    thread: Thread,
    number: _Number,
    studio: CurrentApp,
    other: Annotated[int | None, Query(ge=1, le=2**31)] = None,
) -> HTMLResponse:
    """One request by part; with `other`, how it differs from that one."""
    found = requests.inspect_request_view(studio.workspace, thread, number)
    differs = (
        requests.compare_request_views(studio.workspace, thread, other, number) if other else []
    )
    shown = {
        **_around(studio, workflow, thread),
        "one": found,
        "other": other,
        "differs": differs,
        "trace": _trace(studio, thread, number),
        "api": get_page_api(workflow),
    }
    return answer_page_template(request, "request.html", shown)


def _trace(studio: AppState, thread: str, number: int) -> list[requests.TracedTurn]:
    """The requests around one, by the turn that they were made for, the oldest first."""
    around = number + _AT_ONCE // 2
    return requests.trace(studio.workspace, thread, before=around, limit=_AT_ONCE)


def _around(studio: AppState, workflow: str, thread: str) -> dict[str, object]:
    return {
        "workflow": workflow,
        "name": SavedState(studio.cached, workflow).workflow().name,
        "older": "" if thread == ensure_current_thread(studio.cached, workflow) else thread,
        "newest": count_requests(studio.workspace, thread),
        "time": requests.make_request_timeline(studio.workspace, thread),
        "here": "inspect",
    }
