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

from director.agent import TurnRunning
from director.agent.compression.compression_export import exported
from director.agent.compression.thread_compression import apply
from director.store.compression import restore
from director.web.reading.compression import (
    CompressionAttempt,
    Looked,
    PastCompression,
    Proposed,
    done,
    proposed,
    tried,
)
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
async def look(
    workflow: ExistingWorkflowId, body: CompressionSelection, studio: CurrentApp
) -> Looked:
    """What a compression would do; no model is asked and nothing is changed."""
    return await studio.summaries.look(workflow, body.turns, body.model)


@router.post("/propose")
async def propose(
    workflow: ExistingWorkflowId, body: CompressionSelection, studio: CurrentApp
) -> Proposed:
    """Have a summary written and checked; nothing is changed until it is applied."""
    _check_idle(studio.is_busy(workflow))
    return await studio.summaries.propose(workflow, body.turns, body.model)


@router.post("/edit")
async def edit(workflow: ExistingWorkflowId, body: Edited, studio: CurrentApp) -> Proposed:
    """The same compression with the user's words, verified like any other."""
    return proposed(body.proposal, studio.summaries.edit(workflow, body.proposal, body.text))


@router.post("/apply")
async def apply_it(
    workflow: ExistingWorkflowId, body: Applied, studio: CurrentApp
) -> PastCompression:
    """Put the summary in the place of what it covers; refused if the thread has grown since."""
    _check_idle(studio.is_busy(workflow))
    thread, made = studio.summaries.take(workflow, body.proposal)
    entry = apply(studio.store, thread, made)
    return next(one for one in done(studio.store, thread) if one.entry == entry.seq)


@router.post("/restore")
async def undo(
    workflow: ExistingWorkflowId, body: Undone, thread: Thread, studio: CurrentApp
) -> list[PastCompression]:
    """Undo a compression: its messages are in view again, and what came since."""
    _check_idle(studio.is_busy(workflow))
    restore(studio.store, thread, body.entry)
    return done(studio.store, thread)


@router.get("/history")
def history(thread: Thread, studio: CurrentApp) -> History:
    """Every compression of the conversation, and every attempt."""
    return History(done(studio.store, thread), tried(studio.store, thread))


@router.get(
    "/export",
    response_class=Response,
    responses={200: {"content": {"text/markdown": {}, "application/json": {}}}},
)
def export(
    thread: Thread,
    studio: CurrentApp,
    form: Annotated[Literal["markdown", "json"], Query()] = "markdown",
) -> Response:
    """All summaries of the conversation, to read elsewhere."""
    kind, ending = ("text/markdown", "md") if form == "markdown" else ("application/json", "json")
    response = PlainTextResponse(exported(studio.store, thread, form), media_type=kind)
    response.headers["content-disposition"] = f'attachment; filename="compressions.{ending}"'
    return response


def _check_idle(busy: bool) -> None:  # noqa: FBT001  one word says it
    if busy:
        raise TurnRunning("A turn of this workflow is running. Nothing was compressed.")
