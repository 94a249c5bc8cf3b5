"""What routes ask for, by name: the studio, a workflow that is there, a conversation of it."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Path, Query, Request

from director.agent import ensure_current_thread
from director.services.errors import NotFound
from director.services.runs import check_run
from director.web.app_state import AppState


async def _studio(request: Request) -> AppState:
    found: AppState = request.app.state.studio
    # Before anything is read: what changes from now on is told to whoever is shown the answer.
    request.state.event = found.hub.newest
    await found.refresh()
    return found


CurrentApp: TypeAlias = Annotated[AppState, Depends(_studio)]


WorkflowId: TypeAlias = Annotated[str, Path(min_length=1, max_length=200)]


def _known(workflow: WorkflowId, studio: CurrentApp) -> str:
    studio.check_workflow(workflow)
    return workflow


ExistingWorkflowId: TypeAlias = Annotated[str, Depends(_known)]


def thread_of(studio: AppState, workflow: str, thread: str) -> str:
    """A conversation of a workflow, the current one if none is named; `NotThere` if it has none."""
    if thread and thread not in studio.cached.threads(workflow):
        raise NotFound(f"The workflow {workflow!r} has no conversation {thread!r}.")
    return thread or ensure_current_thread(studio.cached, workflow)


def _thread(
    workflow: ExistingWorkflowId,
    studio: CurrentApp,
    thread: Annotated[str, Query(max_length=200)] = "",
) -> str:
    return thread_of(studio, workflow, thread)


Thread: TypeAlias = Annotated[str, Depends(_thread)]


RunId: TypeAlias = Annotated[str, Path(min_length=1, max_length=200)]


def _run(run: RunId, studio: CurrentApp) -> str:
    return check_run(studio.workspace, run)


KnownRun: TypeAlias = Annotated[str, Depends(_run)]
