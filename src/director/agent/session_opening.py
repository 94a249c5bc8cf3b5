"""Opening a session: the one way for every program that lets a person talk with Director.

The session has the vault, the logins and the browser of its program. Leaving it closes its part
of the browser; all that matters is in the store.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from director.agent.agent_session import AgentSession, Opens, open_session_model
from director.agent.turn_events import TurnProgress
from director.runs.resources import Resources
from director.settings import Settings, load_settings
from director.store import Store, VersionConflict
from director.workflow.document import write_workflow_document
from director.workflow.values import Workflow, WorkflowError

_UNFIT = re.compile(r"[^a-z0-9]+")
_LONGEST = 40


def _nobody(_: TurnProgress) -> None:
    """Progress is not watched."""


@asynccontextmanager
async def open_session(  # noqa: PLR0913  what it is made of is handed in
    store: Store,
    workflow: str,
    supplies: Resources,
    *,
    settings: Settings | None = None,
    model: str = "",
    open_model: Opens = open_session_model,
    progress: Callable[[TurnProgress], None] = _nobody,
) -> AsyncIterator[AgentSession]:
    """The session of a workflow that is in the store, with all that turns and tests need.

    `model` is asked unless a message names another; the browser is opened when first needed.
    """
    if store.get("workflow", workflow) is None:
        raise WorkflowError(f"There is no workflow {workflow!r} in the store. Make one first.")
    desk = AgentSession(
        store,
        workflow,
        means=supplies.bench(workflow),
        settings=settings or load_settings(),
        model=model,
        open_model=open_model,
        progress=progress,
        browser=supplies.browser,
    )
    try:
        yield desk
    finally:
        await desk.close()


def create_workflow(store: Store, name: str) -> str:
    """Make an empty workflow; its id, which is its name in small letters, and free."""
    shown = " ".join(name.split()) or "New workflow"
    plain = unicodedata.normalize("NFKD", shown).encode("ascii", "ignore").decode().lower()
    stem = _UNFIT.sub("-", plain)[:_LONGEST].strip("-") or "workflow"
    number = 1
    while True:
        id_ = stem if number == 1 else f"{stem}-{number}"
        try:
            store.put(
                "workflow", id_, write_workflow_document(Workflow(id_, shown)), "created", expect=0
            )
        except VersionConflict:
            number += 1
        else:
            return id_


# A name of one release ago; it goes with the next.
open_desk = open_session
