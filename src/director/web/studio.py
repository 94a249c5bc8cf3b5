"""The studio: all that the app works with, and what goes on in it: desks, turns, events.

Everything that lasts is in the store. What is here belongs to this program: its browsers, the
turns that it takes now, the windows that listen. It is used on the loop that the app runs on.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass

from director.agent import (
    ContextTooLarge,
    Desk,
    TurnRunning,
    current_thread,
    retry_turn,
    running,
    take_turn,
)
from director.agent.hooking import equipped
from director.agent.progress import Progress
from director.agent.saved import Saved
from director.models import ModelError, NoKey, NoLibrary, UnknownModel
from director.runs import Means
from director.runs.supplies import Hiding, Supplies
from director.settings import Settings, load_settings
from director.store import Moved, Store, StoreError
from director.store.variables import workbench
from director.web.away import is_away
from director.web.feed import Feed
from director.web.guard.hosts import OwnNames
from director.web.hub import Hub
from director.web.sessions import Sessions
from director.workflow.nearest import hint
from director.workflow.values import WorkflowError

_LOG = logging.getLogger("director.web")
_LONGEST = 2_000
_LOOK = 0.01  # seconds between two looks whether a message is stored
# What a turn may end with; its words were written for the user.
FORESEEN = (
    ModelError,
    NoKey,
    NoLibrary,
    UnknownModel,
    ContextTooLarge,
    TurnRunning,
    StoreError,
    Moved,
    WorkflowError,
)


class NotThere(Exception):  # noqa: N818  it says what happened
    """What was asked for is not there; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a message is to be answered with; empty: what the workflow or the deployment says."""

    model: str = ""
    profile: str = ""


class Studio:
    """The store, the supplies and the doors of one app, and the turns that it takes."""

    def __init__(
        self, store: Store, supplies: Supplies, *, sessions: Sessions, names: OwnNames
    ) -> None:
        self.store = store
        self.supplies = supplies
        self.sessions = sessions
        self.names = names
        self.hub = Hub()
        self._feed: Feed | None = None
        self._desks: dict[str, Desk] = {}
        self._turns: dict[str, asyncio.Task[object]] = {}
        self._entries: dict[str, int] = {}
        self.failures: dict[str, str] = {}

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        return load_settings({"store": self.store.url})

    def clean(self, text: str) -> str:
        """A text without anything that the vault holds."""
        return self.supplies.vault.net().clean(text)

    def check_workflow(self, workflow: str) -> None:
        """`NotThere` if there is no such workflow, or if it was deleted."""
        if self.store.get("workflow", workflow) is None or is_away(self.store, workflow):
            near = hint(workflow, self.store.ids("workflow"))
            raise NotThere(f"There is no workflow {workflow!r}.{near}")

    async def open(self) -> None:
        """Begin to listen to the store."""
        self._feed = Feed(self.store, self.hub.tell)

    async def close(self) -> None:
        """Stop every turn and close what is open; everything that matters is in the store."""
        for workflow in list(self._turns):
            await self.stop(workflow)
        for desk in self._desks.values():
            await desk.close()
        self._desks.clear()
        if self._feed is not None:
            await asyncio.to_thread(self._feed.close)
        self.hub.close()
        await self.supplies.close()

    def desk(self, workflow: str) -> Desk:
        """The desk of a workflow, opened when it is first needed."""
        found = self._desks.get(workflow)
        if found is None:
            found = equipped(Desk(self.store, workflow, means=self._means(workflow)))
            found.progress = lambda what: self._happened(workflow, what)
            self._desks[workflow] = found
        found.settings = self.settings
        return found

    def is_busy(self, workflow: str) -> bool:
        """Whether a turn of this workflow is taken now, here or in another program."""
        return workflow in self._turns or running(self.store, current_thread(self.store, workflow))

    async def say(self, workflow: str, text: str, wanted: Wanted) -> int:
        """Begin a turn with what the user says; the entry that it was stored as."""
        desk = self.desk(workflow)
        turn = take_turn(desk, text, model=wanted.model, profile=wanted.profile)
        return await self._begun(workflow, turn)

    async def retry(self, workflow: str, text: str, wanted: Wanted) -> int:
        """Take the last turn again, with another text if one is given."""
        desk = self.desk(workflow)
        turn = retry_turn(desk, text, model=wanted.model, profile=wanted.profile)
        return await self._begun(workflow, turn)

    async def stop(self, workflow: str) -> bool:
        """Stop the turn of a workflow; whether there was one here."""
        task = self._turns.get(workflow)
        if task is None:
            return False
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task
        return True

    async def _begun(self, workflow: str, turn: Coroutine[object, object, object]) -> int:
        """Let a turn go on by itself as soon as what was said is stored, or say why it is not."""
        if workflow in self._turns:
            turn.close()
            raise TurnRunning(
                "A turn of this workflow is running. Nothing was stored. Wait until it has ended, "
                "or stop it."
            )
        thread = current_thread(self.store, workflow)
        before = self.store.head(thread)
        task = asyncio.create_task(turn)
        self._turns[workflow] = task
        self.failures.pop(workflow, None)
        task.add_done_callback(lambda _: self._ended(workflow, task))
        while not task.done() and self.store.head(thread) == before:
            await asyncio.wait({task}, timeout=_LOOK)
        if task.done() and self.store.head(thread) == before:
            task.result()
        return self.store.head(thread)

    def _ended(self, workflow: str, task: asyncio.Task[object]) -> None:
        self._turns.pop(workflow, None)
        self._entries.pop(workflow, None)
        problem = None if task.cancelled() else task.exception()
        if problem is None:
            return
        if not isinstance(problem, FORESEEN):
            _LOG.error("%s", self.clean("".join(traceback.format_exception(problem))))
        said = self.clean(str(problem) or type(problem).__name__)
        self.failures[workflow] = said
        self.hub.tell({"workflow": workflow, "progress": {"what": "failed", "text": said}})

    def _happened(self, workflow: str, what: Progress) -> None:
        """Tell the windows what a turn does."""
        if what.what == "asking":
            desk = self._desks[workflow]
            self._entries[workflow] = self.store.head(desk.thread) + 1
        told = {
            "what": what.what,
            "text": self.clean(what.text)[:_LONGEST],
            "tool": what.tool,
            "call": what.call,
            "failed": what.failed,
            "entry": self._entries.get(workflow, 0),
        }
        self.hub.tell({"workflow": workflow, "progress": told})

    def _means(self, workflow: str) -> Means:
        """What the bench of a workflow works with; a turn never waits for a person."""
        supplies = self.supplies
        now = Saved(self.store, workflow).workflow()
        return Means(
            secrets=supplies.vault,
            seal=supplies.seal,
            hide=Hiding(supplies.vault, now),
            logins=supplies.logins,
            downloads=supplies.folder(workbench(workflow)) / "downloads",
            patience=0.0,
            worker="workbench",
        )
