"""The conversations that there were: a list of them, and one to be read. Nothing is said here."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from director.agent import ensure_current_thread
from director.agent.saved_workflow import SavedState
from director.services.branches import list_message_versions
from director.services.conversations import list_conversations
from director.services.requests import count_requests
from director.web.app_state import AppState
from director.web.page_templates import answer_page_template, get_page_api
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId, Thread
from director.web.views.chat import make_chat_view

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/w/{workflow}/conversations")
def show_conversations_page(
    request: Request, workflow: ExistingWorkflowId, studio: CurrentApp
) -> HTMLResponse:
    """The conversations of a workflow, the newest first."""
    rows = list_conversations(studio.workspace, workflow)[::-1]
    return answer_page_template(
        request, "conversations.html", {**_around(studio, workflow), "rows": rows}
    )


@router.get("/w/{workflow}/conversation")
def show_conversation_page(
    request: Request, workflow: ExistingWorkflowId, thread: Thread, studio: CurrentApp
) -> Response:
    """An earlier conversation; the one of now is read where it goes on."""
    if thread == ensure_current_thread(studio.cached, workflow):
        return RedirectResponse(f"/w/{quote(workflow, safe='')}")
    found = make_chat_view(studio.workspace, thread)
    shown = {
        **_around(studio, workflow),
        "chat": found,
        "chunk": found.newest,
        "older": thread,
        "said_ways": list_message_versions(studio.workspace, workflow, thread),
        "requests": count_requests(studio.workspace, thread),
    }
    return answer_page_template(request, "conversation.html", shown)


def _around(studio: AppState, workflow: str) -> dict[str, object]:
    name = SavedState(studio.cached, workflow).workflow().name
    return {"workflow": workflow, "api": get_page_api(workflow), "name": name, "here": ""}
