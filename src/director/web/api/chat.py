"""The conversation: say, stop, retry, begin anew; and what was said, a page at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from director.agent import TurnRunning, ensure_current_thread
from director.agent.conversation.message_size import measure_message
from director.services import conversations
from director.services.conversations import Conversation, ConversationEntry, Page, TurnNow
from director.web.app_state import AnswerOptions, AppState
from director.web.request_bodies import Body, Text
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId, Thread
from director.workflow.credential_patterns import find_passwords

router = APIRouter(prefix="/workflows/{workflow}", tags=["chat"])
_Model = Annotated[str, Field(max_length=300)]
_Profile = Annotated[str, Field(max_length=100)]


class NewMessage(Body):
    """What the user says, and with what it is to be answered."""

    text: Annotated[Text, Field(min_length=1)]
    model: _Model = ""
    profile: _Profile = ""
    background: bool | None = None


class MessageReplacement(Body):
    """What to say in the place of the last message; empty: the same."""

    text: Text = ""
    model: _Model = ""
    profile: _Profile = ""
    background: bool | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn that goes on by itself: its thread, and the last entry by now."""

    thread: str
    entry: int


@dataclass(frozen=True, slots=True)
class Now:
    """How it stands: the turn, what is being written, why the last one failed, if it did."""

    turn: TurnNow
    writing: str
    entry: int
    failure: str


@dataclass(frozen=True, slots=True)
class LooksSecret:
    """A place in a text, in characters, that looks like a password or a key."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Measured:
    """A message as it would be stored: its size, what fits, and what in it should be asked about.

    Values that the vault holds are references already.
    """

    text: str
    tokens: int
    room: int
    fits: bool
    says: str
    passwords: list[LooksSecret]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The turns that are not sent any more."""

    turns: tuple[int, ...]


@router.post("/say", status_code=202)
async def send_chat_message(
    workflow: ExistingWorkflowId, body: NewMessage, studio: CurrentApp
) -> Begun:
    """Say something; it is stored before this answers, and the turn goes on by itself.

    409 while another turn of this workflow runs: nothing is stored then.
    """
    entry = await studio.say(
        workflow, body.text, AnswerOptions(body.model, body.profile, body.background)
    )
    return Begun(ensure_current_thread(studio.store, workflow), entry)


@router.post("/measure")
async def measure_chat_message(
    workflow: ExistingWorkflowId, body: NewMessage, studio: CurrentApp
) -> Measured:
    """How large a message would be and whether it fits, and what in it looks like a password.

    Nothing is stored, and no model is asked.
    """
    desk = await studio.desk(workflow)
    text = desk.hide_all(body.text)
    size = await measure_message(desk, text, model=body.model, profile=body.profile)
    found = [LooksSecret(one.start, one.end, one.kind) for one in find_passwords(text)]
    return Measured(text, size.tokens, size.room, size.fits, str(size), found)


@router.post("/entries/{seq}/leave-out")
def leave_chat_turn_out(
    workflow: ExistingWorkflowId, studio: CurrentApp, seq: Annotated[int, Path(ge=1, le=2**53)]
) -> LeftOut:
    """Leave a turn out of all that is sent from now on; it stays in the store."""
    _check_idle(workflow, studio)
    return LeftOut(conversations.leave_turn_out_of_conversation(studio.workspace, workflow, seq))


@router.post("/retry", status_code=202)
async def retry_chat_turn(
    workflow: ExistingWorkflowId, body: MessageReplacement, studio: CurrentApp
) -> Begun:
    """Take the last turn back and say it again, or something else in its place."""
    entry = await studio.retry(
        workflow, body.text, AnswerOptions(body.model, body.profile, body.background)
    )
    return Begun(ensure_current_thread(studio.store, workflow), entry)


@router.post("/stop")
async def stop_chat_turn(workflow: ExistingWorkflowId, studio: CurrentApp) -> Now:
    """Stop what goes on; what was said and done until then is kept."""
    if not await studio.stop(workflow) and studio.is_busy(workflow):
        raise TurnRunning("The turn is taken by another program. Stop it there.")
    return _now(workflow, studio)


@router.get("/turn")
async def get_chat_turn(workflow: ExistingWorkflowId, studio: CurrentApp) -> Now:
    """Whether a turn runs, or how the last one ended."""
    return _now(workflow, studio)


@router.post("/conversations", status_code=201)
async def begin_chat(workflow: ExistingWorkflowId, studio: CurrentApp) -> Conversation:
    """Begin a new conversation; the older ones stay readable."""
    _check_idle(workflow, studio)
    return conversations.begin_conversation(studio.workspace, workflow)


@router.get("/conversations")
def list_chats(workflow: ExistingWorkflowId, studio: CurrentApp) -> list[Conversation]:
    """The conversations of a workflow, the oldest first."""
    return conversations.list_conversations(studio.workspace.fresh, workflow)


@router.get("/entries")
def list_chat_entries(
    thread: Thread,
    studio: CurrentApp,
    before: Annotated[int | None, Query(ge=1, le=2**53)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Page:
    """The last entries of a conversation, or those before one, the oldest first."""
    return conversations.read_conversation_page(
        studio.workspace.fresh, thread, before=before, limit=limit
    )


@router.get("/entries/{seq}")
def get_chat_entry(
    thread: Thread, studio: CurrentApp, seq: Annotated[int, Path(ge=1, le=2**53)]
) -> ConversationEntry:
    """One entry with all of its calls and results, however long."""
    return conversations.read_conversation_entry(studio.workspace.fresh, thread, seq)


def _check_idle(workflow: str, studio: AppState) -> None:
    if studio.is_busy(workflow):
        raise TurnRunning("A turn of this workflow is running. Nothing was changed.")


def _now(workflow: str, studio: AppState) -> Now:
    thread = ensure_current_thread(studio.store, workflow)
    entry, text = studio.writing(workflow)
    now = conversations.read_conversation_turn(studio.workspace.fresh, thread)
    return Now(now, studio.clean(text), entry, now.text if now.state == "failed" else "")
