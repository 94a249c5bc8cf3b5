"""Saying a message otherwise: what would go back, the branch itself, going on in an earlier one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from director.agent import ensure_current_thread
from director.services import branches
from director.services.branches import BranchPreview
from director.web.api.chat import Begun, NewMessage
from director.web.app_state import AnswerOptions
from director.web.request_bodies import Body
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId

router = APIRouter(prefix="/workflows/{workflow}", tags=["chat"])
_Seq = Annotated[int, Path(ge=1, le=2**53)]


class EarlierConversation(Body):
    """The conversation to go on in."""

    thread: Annotated[str, Field(min_length=1, max_length=200)]


@router.get("/entries/{seq}/branch")
def preview_branch(workflow: ExistingWorkflowId, seq: _Seq, studio: CurrentApp) -> BranchPreview:
    """What goes back if this message is said otherwise, and what stays as it is."""
    return branches.preview_branch(studio.workspace, workflow, seq)


@router.post("/entries/{seq}/branch", status_code=202)
async def begin_branch(
    workflow: ExistingWorkflowId, seq: _Seq, body: NewMessage, studio: CurrentApp
) -> Begun:
    """Say a message otherwise, in a conversation of its own, with all as it was before it.

    409 while a turn of this workflow runs: nothing is changed then.
    """
    options = AnswerOptions(body.model, body.profile, body.background)
    entry = await studio.branch(workflow, seq, body.text, options)
    return Begun(ensure_current_thread(studio.store, workflow), entry)


@router.post("/conversations/continue")
async def return_to_branch(
    workflow: ExistingWorkflowId, body: EarlierConversation, studio: CurrentApp
) -> Begun:
    """Go on in an earlier conversation, with all as it was when that one was left."""
    await studio.continue_conversation(workflow, body.thread)
    return Begun(body.thread, studio.store.head(body.thread))
