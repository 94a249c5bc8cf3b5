"""Compression: look, have a summary proposed, edit it, apply it, undo it, read what was done.

A proposal stays on the server: the client names it, and may say other words for its summary,
which are checked like a model's. What it covers and how far it is trusted is never the client's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse, Response
from pydantic import Field

from director.agent import TurnRunning, ensure_current_thread
from director.services import compression
from director.services.compression_values import (
    CompressionAttempt,
    Looked,
    PastCompression,
    Proposed,
)
from director.web.app_state import AppState
from director.web.request_bodies import Body, Text
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId, Thread

router = APIRouter(prefix="/workflows/{workflow}/compression", tags=["compression"])
_Turns = Annotated[list[Annotated[int, Field(ge=1, le=2**53)]], Field(max_length=20_000)]
_Id = Annotated[str, Field(min_length=1, max_length=64)]


class CompressionSelection(Body):
    """Which turns, all if none are named; and who writes the summary."""

    turns: _Turns | None = None
    model: Annotated[str, Field(max_length=300)] = ""


class Edited(Body):
    """A proposal, and the words to put in the place of its summary's."""

    proposal: _Id
    text: Annotated[Text, Field(min_length=1)]


class Applied(Body):
    """The proposal that is to be applied, as it was last shown."""

    proposal: _Id


class Undone(Body):
    """The entry of a compression that is to be undone."""

    entry: Annotated[int, Field(ge=1, le=2**53)]


@dataclass(frozen=True, slots=True)
class History:
    """What was compressed, and what was tried."""

    done: list[PastCompression]
    tried: list[CompressionAttempt]


@router.post("/look")
async def preview_compression_route(
    workflow: ExistingWorkflowId, body: CompressionSelection, studio: CurrentApp
) -> Looked:
    """What a compression would do; no model is asked and nothing is changed."""
    thread = ensure_current_thread(studio.store, workflow)
    return await compression.preview_compression(
        studio.workspace, thread, body.turns, writer=body.model
    )


@router.post("/propose")
async def propose_compression_route(
    workflow: ExistingWorkflowId, body: CompressionSelection, studio: CurrentApp
) -> Proposed:
    """Have a summary written and checked; nothing is changed until it is applied."""
    return await compression.propose_compression(
        studio.workspace,
        _find_idle(workflow, studio),
        body.turns,
        proposals=studio.proposals,
        writer=body.model,
    )


@router.post("/edit")
async def edit_compression_route(
    workflow: ExistingWorkflowId, body: Edited, studio: CurrentApp
) -> Proposed:
    """The same compression with the user's words, verified like any other."""
    thread = ensure_current_thread(studio.store, workflow)
    return compression.rewrite_compression_proposal(
        studio.workspace, thread, body.proposal, text=body.text, proposals=studio.proposals
    )


@router.post("/apply")
async def apply_compression_route(
    workflow: ExistingWorkflowId, body: Applied, studio: CurrentApp
) -> PastCompression:
    """Put the summary in the place of what it covers; refused if the thread has grown since."""
    thread = _find_idle(workflow, studio)
    return compression.apply_compression_proposal(
        studio.workspace, thread, body.proposal, proposals=studio.proposals
    )


@router.post("/restore")
async def undo_compression_route(
    workflow: ExistingWorkflowId, body: Undone, thread: Thread, studio: CurrentApp
) -> list[PastCompression]:
    """Undo a compression: its messages are in view again, and what came since."""
    _find_idle(workflow, studio)
    return compression.restore_compression(studio.workspace, thread, body.entry)


@router.get("/history")
def list_compression_history_route(thread: Thread, studio: CurrentApp) -> History:
    """Every compression of the conversation, and every attempt."""
    workspace = studio.workspace
    done = compression.list_compressions(workspace, thread)
    return History(done, compression.list_compression_attempts_made(workspace, thread))


@router.get(
    "/export",
    response_class=Response,
    responses={200: {"content": {"text/markdown": {}, "application/json": {}}}},
)
def export_compression_route(
    thread: Thread,
    studio: CurrentApp,
    form: Annotated[Literal["markdown", "json"], Query()] = "markdown",
) -> Response:
    """All summaries of the conversation, to read elsewhere."""
    kind, ending = ("text/markdown", "md") if form == "markdown" else ("application/json", "json")
    text = compression.export_compressions(studio.workspace, thread, form)
    response = PlainTextResponse(text, media_type=kind)
    response.headers["content-disposition"] = f'attachment; filename="compressions.{ending}"'
    return response


def _find_idle(workflow: str, studio: AppState) -> str:
    """The current conversation of a workflow in which nothing goes on."""
    if studio.is_busy(workflow):
        raise TurnRunning("A turn of this workflow is running. Nothing was compressed.")
    return ensure_current_thread(studio.store, workflow)
