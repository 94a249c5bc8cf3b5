"""Runs: start one with inputs, watch it, answer it, cancel it, go on with it, retry a part."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from typing import Annotated, Literal, cast

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from pydantic import Field

from director.services import runs
from director.services.runs import RunDetail, RunRow
from director.store import StoreAway
from director.web.app_state import AppState
from director.web.request_bodies import Body, Name, Text
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId, KnownRun, RunId
from director.workflow.values import Json

router = APIRouter(tags=["runs"])


class Start(Body):
    """What a run is given, which nodes it does, and how."""

    inputs: dict[str, object] = Field(default_factory=dict)
    selection: Name = "all"
    mode: Literal["flow", "isolated"] = "flow"


class RunAnswer(Body):
    """The answer to a question of a run."""

    question: Annotated[str, Field(min_length=1, max_length=500)]
    text: Annotated[Text, Field(min_length=1)]


class Cancel(Body):
    """Why a run is cancelled."""

    reason: Annotated[str, Field(max_length=1_000)] = "in the app"


@dataclass(frozen=True, slots=True)
class Later:
    """Said of what is done as soon as the store answers."""

    told: str = (
        "The store does not answer now. The run is cancelled as soon as it does, if the app keeps "
        "running until then."
    )


class RetryFrom(Body):
    """The node to go back to, by alias, id or position."""

    node: Name


@router.get("/runs")
def list_all_runs(
    studio: CurrentApp,
    workflow: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> list[RunRow]:
    """The runs, of one workflow or all, the newest first."""
    return runs.list_runs(studio.workspace, workflow, limit=limit)


@router.post("/workflows/{workflow}/runs", status_code=201)
async def start_run(workflow: ExistingWorkflowId, body: Start, studio: CurrentApp) -> RunDetail:
    """Start a run; it is in the store before anything is done, and goes on by itself.

    Sensitive inputs go into the vault, and the run holds references to them.
    """
    inputs = [cast("dict[str, Json]", body.inputs)]
    queued = runs.queue_runs(
        studio.workspace, workflow, inputs, selection=body.selection, mode=body.mode
    )
    return _start(studio, queued.runs[0])


@router.get("/runs/{run}")
def get_one_run(run: KnownRun, studio: CurrentApp) -> RunDetail:
    """A run with its steps, what it asks, and what it found."""
    return runs.get_run(studio.workspace, run)


@router.post("/runs/{run}/answer")
async def answer_run(run: KnownRun, body: RunAnswer, studio: CurrentApp) -> RunDetail:
    """Answer what a run asks; one that was put aside goes on."""
    go_on = studio.runs.start
    runs.answer_question(studio.workspace, run, body.question, text=body.text, go_on=go_on)
    return runs.get_run(studio.workspace, run)


@router.post("/runs/{run}/cancel", response_model=RunDetail, responses={202: {"model": Later}})
async def stop_run(run: RunId, body: Cancel, request: Request) -> RunDetail | JSONResponse:
    """Stop a run, wherever it is done; what it has finished stays, and it can be resumed.

    While the store does not answer, this is kept in mind and done as soon as it does (202).
    """
    studio: AppState = request.app.state.studio
    try:
        await asyncio.to_thread(runs.check_run, studio.workspace.fresh, run)
        await asyncio.to_thread(runs.cancel_run, studio.workspace, run, reason=body.reason)
        return await asyncio.to_thread(runs.get_run, studio.workspace.fresh, run)
    except StoreAway:
        if not studio.cancellations.keep(run, reason=body.reason):
            raise
    return JSONResponse(asdict(Later()), 202)


@router.post("/runs/{run}/resume")
async def resume_run(run: KnownRun, studio: CurrentApp) -> RunDetail:
    """Go on with a run that failed, was cancelled, or whose program was killed."""
    await asyncio.to_thread(runs.reopen_run, studio.workspace, run)
    return _start(studio, run)


@router.post("/runs/{run}/retry")
async def retry_run(run: KnownRun, body: RetryFrom, studio: CurrentApp) -> RunDetail:
    """Do a run again from a node on; what came before it stays done."""
    await asyncio.to_thread(runs.reopen_run, studio.workspace, run, node=body.node)
    return _start(studio, run)


def _start(studio: AppState, run: str) -> RunDetail:
    studio.runs.start(run)
    return runs.get_run(studio.workspace, run)
