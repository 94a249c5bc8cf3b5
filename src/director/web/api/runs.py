"""Runs: start one with inputs, watch it, answer it, cancel it, go on with it, retry a part."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from director.runs import RunError, cancel, run_of
from director.runs.status import find_holder
from director.web.reading.runs import RunDetail, RunRow, detail, rows
from director.web.request_bodies import Body, Name, Text
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId, KnownRun

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


class RetryFrom(Body):
    """The node to go back to, by alias, id or position."""

    node: Name


@router.get("/runs")
def all_of_them(
    studio: CurrentApp,
    workflow: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> list[RunRow]:
    """The runs, of one workflow or all, the newest first."""
    return rows(studio.store, workflow, limit=limit)


@router.post("/workflows/{workflow}/runs", status_code=201)
async def start(workflow: ExistingWorkflowId, body: Start, studio: CurrentApp) -> RunDetail:
    """Start a run; it is in the store before anything is done, and goes on by itself.

    Sensitive inputs go into the vault, and the run holds references to them.
    """
    run = studio.runs.queue(workflow, body.inputs, selection=body.selection, mode=body.mode)
    studio.runs.go_on(run)
    return detail(studio.store, run)


@router.get("/runs/{run}")
def one(run: KnownRun, studio: CurrentApp) -> RunDetail:
    """A run with its steps, what it asks, and what it found."""
    return detail(studio.store, run)


@router.post("/runs/{run}/answer")
async def answer(run: KnownRun, body: RunAnswer, studio: CurrentApp) -> RunDetail:
    """Answer what a run asks; one that was put aside goes on."""
    if body.question.partition("/")[0] != run:
        raise RunError(f"The question {body.question!r} is none of this run's.")
    studio.runs.answer(run, body.question, body.text)
    return detail(studio.store, run)


@router.post("/runs/{run}/cancel")
def stop(run: KnownRun, body: Cancel, studio: CurrentApp) -> RunDetail:
    """Stop a run, wherever it is done; what it has finished stays, and it can be resumed."""
    cancel(studio.store, run, reason=body.reason)
    return detail(studio.store, run)


@router.post("/runs/{run}/resume")
async def resume(run: KnownRun, studio: CurrentApp) -> RunDetail:
    """Go on with a run that failed, was cancelled, or whose program was killed."""
    _check_idle(await asyncio.to_thread(find_holder, studio.store, run_of(studio.store, run)))
    studio.runs.resume(run)
    return detail(studio.store, run)


@router.post("/runs/{run}/retry")
async def retry(run: KnownRun, body: RetryFrom, studio: CurrentApp) -> RunDetail:
    """Do a run again from a node on; what came before it stays done."""
    _check_idle(await asyncio.to_thread(find_holder, studio.store, run_of(studio.store, run)))
    studio.runs.resume(run, node=body.node)
    return detail(studio.store, run)


def _check_idle(worker: str) -> None:
    if worker:
        raise RunError(f"The run is being done by {worker!r}. Nothing was changed.")
