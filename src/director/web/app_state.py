"""The studio: all that the app works with, and what goes on in it: desks, turns, runs, events.

Everything that lasts is in the store. What is here belongs to this program: its browsers, the
turns that it takes now, the windows that listen. It is used on the loop that the app runs on;
only `reader`, `clean` and `settings` may be asked from any thread.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from threading import Lock

from director.agent import (
    AgentSession,
    TurnRunning,
    can_continue_turn,
    ensure_current_thread,
    is_turn_running,
    retry_turn,
    take_turn,
)
from director.agent.agent_session import Opens
from director.agent.permissions.pending_approvals import PendingApprovals
from director.agent.permissions.secret_leaks import guard_model_from_leaks
from director.agent.session_opening import open_desk
from director.agent.subagents.node_models import lend_node_models
from director.agent.turn import resume_turn
from director.agent.turn_lease import has_waiting_job, held
from director.browser import Session
from director.runs.resources import Resources
from director.secrets import VaultError
from director.services import branches, workflows
from director.services.cancellations import Cancellations
from director.services.compression import ProposalList
from director.services.context_meter import Meter, read_meter
from director.services.provider_keys import opens_with
from director.services.run_service import RunService
from director.services.workflow_reader import WorkflowReader
from director.services.workspace import Workspace
from director.settings import Settings, load_settings
from director.store import Store
from director.store.cached_store import CachedStore
from director.web.demo_player import KIND as REHEARSAL
from director.web.demo_player import Rehearsals
from director.web.event_hub import Hub
from director.web.guard.access import OwnNames
from director.web.page_cache import PageCache
from director.web.pictures import Pictures
from director.web.sessions import Sessions
from director.web.store_feed import Feed
from director.web.turn_runner import T, Turns
from director.workflow.values import Tab

READERS = 64  # workflows of which is remembered what was read; one more forgets the oldest


async def _show_in_windows(_: PendingApprovals) -> None:
    """Every window shows what is asked for, by the records: wait until it is answered there."""
    await asyncio.Event().wait()


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """What a message is to be answered with; empty: what the workflow or the deployment says."""

    model: str = ""
    profile: str = ""
    background: bool | None = None


class AppState:
    """The store, the supplies and the doors of one app, and what it does."""

    def __init__(
        self,
        store: Store,
        supplies: Resources,
        *,
        sessions: Sessions,
        names: OwnNames,
        opens: Opens | None = None,
    ) -> None:
        self.store = store
        self.cached = CachedStore(store)
        self.pages = PageCache(self.cached)
        self._refreshing = asyncio.Lock()
        self._next_refresh: asyncio.Task[None] | None = None
        self.supplies = supplies
        self.sessions = sessions
        self.names = names
        self.hub = Hub()
        self.turns = Turns(store, self.hub.tell, self.clean)
        self.pictures = Pictures(self._live)
        self.rehearsals = Rehearsals(store, supplies.vault)
        opener = opens or (lambda name, journal: opens_with(supplies.vault, name, journal))
        self._opens: Opens = lambda name, journal: guard_model_from_leaks(
            opener(name, journal), store, supplies.vault
        )
        lend_node_models(supplies, store, self._opens)
        self.proposals = ProposalList()
        self.workspace = self._make_workspace()
        self.runs = RunService(self.workspace)
        self.cancellations = Cancellations(self.workspace)
        self.run_pictures = Pictures(self.runs.session)
        self._feed: Feed | None = None
        self._desks: dict[str, AgentSession] = {}
        self._open: dict[str, AsyncExitStack] = {}
        self._readers: OrderedDict[str, WorkflowReader] = OrderedDict()
        self._choosing_reader = Lock()

    def _make_workspace(self) -> Workspace:
        supplies = self.supplies
        return Workspace(
            self.store,
            supplies.vault,
            settings=lambda: self.settings,
            open_model=self._opens,
            files=lambda workflow: supplies.files(workflow).list(),
            tabs=self.tabs,
            cached=self.cached,
            supplies=supplies,
        )

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        return load_settings({"store": self.store.url})

    def clean(self, text: str) -> str:
        """A text without anything that the vault holds."""
        try:
            return self.supplies.vault.net().clean(text)
        except VaultError:
            # Without the vault nobody knows what would have to be taken out.
            return "What happened cannot be told: the vault cannot be opened. See director doctor."

    def reader(self, workflow: str) -> WorkflowReader:
        """What reads a workflow as it is now, and remembers what it has read."""
        self.cached.refresh()
        files = self.supplies.files(workflow).list
        with self._choosing_reader:
            found = self._readers.pop(workflow, None)
            self._readers[workflow] = found or WorkflowReader(self.cached, workflow, files)
            while len(self._readers) > READERS:
                self._readers.popitem(last=False)
            return self._readers[workflow]

    async def refresh(self) -> None:
        """See what was written until now; all who ask while one looks wait for one more look."""
        # A look that has begun may have missed what was written since: it does for nobody new.
        if self._next_refresh is None or self._next_refresh.done():
            self._next_refresh = asyncio.create_task(self._refresh())
        await asyncio.shield(self._next_refresh)

    async def _refresh(self) -> None:
        async with self._refreshing:
            self._next_refresh = None
            await asyncio.to_thread(self.cached.refresh)

    def check_workflow(self, workflow: str) -> None:
        """`NotFound` if there is no such workflow, or if it was deleted."""
        workflows.check_workflow(self.workspace, workflow)

    async def open(self) -> None:
        """Begin to listen to the store."""
        self._feed = Feed(self.store, self.hub.tell)
        for workflow in self.store.ids("workflow"):
            known = self.store.get("conversation", workflow)
            if known and has_waiting_job(self.store, str(known.body["thread"])):
                # A model went on with it while no program ran.
                self.turns.resume(workflow, resume_turn(await self.desk(workflow)))

    async def close(self) -> None:
        """Stop what goes on and close what is open; everything that matters is in the store."""
        for workflow in list(self._desks):
            await self.leave(workflow)
        await self.cancellations.close()
        await self.runs.close()
        if self._feed is not None:
            await asyncio.to_thread(self._feed.close)
        self.hub.close()
        self.rehearsals.close()
        await self.supplies.close()

    async def desk(self, workflow: str) -> AgentSession:
        """The desk of a workflow, opened when it is first needed."""
        found = self._desks.get(workflow)
        if found is None:
            stack = AsyncExitStack()
            opening = open_desk(
                self.store,
                workflow,
                self.supplies,
                settings=self.settings,
                open_model=self._opens,
                progress=self.turns.telling(workflow),
            )
            found = await stack.enter_async_context(opening)
            if self.store.get(REHEARSAL, workflow) is None:
                # A rehearsal is a script, and goes on when the user says so.
                found.asks_user = _show_in_windows
            self._desks[workflow], self._open[workflow] = found, stack
        found.settings = self.settings
        return found

    async def leave(self, workflow: str) -> None:
        """Stop what goes on in a workflow, and close its desk."""
        await self.stop(workflow)
        self._desks.pop(workflow, None)
        stack = self._open.pop(workflow, None)
        if stack is not None:
            await stack.aclose()

    def is_busy(self, workflow: str) -> bool:
        """Whether something goes on in a workflow now, here or in another program."""
        return self.turns.is_on(workflow) or is_turn_running(
            self.store, ensure_current_thread(self.store, workflow)
        )

    async def say(self, workflow: str, text: str, wanted: AnswerOptions) -> int:
        """Begin a turn with what the user says; the entry that it was stored as."""
        desk = await self.desk(workflow)
        desk.background = wanted.background
        turn = take_turn(desk, text, model=wanted.model, profile=wanted.profile)
        return await self.turns.begin(workflow, turn)

    async def retry(self, workflow: str, text: str, wanted: AnswerOptions) -> int:
        """Take the last turn again, with another text if one is given."""
        desk = await self.desk(workflow)
        desk.background = wanted.background
        turn = retry_turn(desk, text, model=wanted.model, profile=wanted.profile)
        thread = ensure_current_thread(self.store, workflow)
        if not text and can_continue_turn(self.store, thread):
            # Nothing is said anew that could be waited for.
            self.turns.resume(workflow, turn)
            return self.store.head(thread)
        return await self.turns.begin(workflow, turn)

    async def branch(self, workflow: str, seq: int, text: str, wanted: AnswerOptions) -> int:
        """Say a message otherwise, in a conversation of its own; the entry it was stored as."""
        await self._go_back(workflow, lambda: branches.start_branch(self.workspace, workflow, seq))
        return await self.say(workflow, text, wanted)

    async def continue_conversation(self, workflow: str, thread: str) -> None:
        """Go on in an earlier conversation."""
        await self._go_back(
            workflow, lambda: branches.continue_conversation(self.workspace, workflow, thread)
        )

    async def _go_back(self, workflow: str, work: Callable[[], object]) -> None:
        if self.is_busy(workflow):
            raise TurnRunning("A turn of this workflow is running. Nothing was changed.")
        # The browser is opened again where it was; an open one would remember where it is.
        await self.leave(workflow)
        await asyncio.to_thread(work)

    async def alone(self, workflow: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do something in the live browser while no turn does, here or in another program."""
        return await self.turns.alone(workflow, self._holding(workflow, work))

    async def stop(self, workflow: str) -> bool:
        """Stop what goes on in a workflow here; whether there was something."""
        return await self.turns.stop(workflow)

    def writing(self, workflow: str) -> tuple[int, str]:
        """The entry that is being written now, and its text so far."""
        return self.turns.writing(workflow)

    async def tabs(self, workflow: str) -> tuple[Tab, ...]:
        """The tabs that are open in the live browser of a workflow."""
        desk = self._desks.get(workflow)
        return await desk.bench.tabs() if desk else ()

    async def close_browser(self, workflow: str) -> None:
        """Close the live browser of a workflow, which remembers where it was."""
        desk = self._desks.get(workflow)
        if desk is not None:
            await self.turns.alone(workflow, desk.bench.close())

    async def meter(self, workflow: str) -> Meter:
        """How large the next request of a workflow would be."""
        tabs = await self.tabs(workflow)
        reader = self.reader(workflow)
        return await asyncio.to_thread(
            read_meter, self.workspace, workflow, reader=reader, tabs=tabs
        )

    async def _holding(self, workflow: str, work: Callable[[], Awaitable[T]]) -> T:
        async with held(self.store, ensure_current_thread(self.store, workflow)) as hold:
            # It is no turn: how the last one ended is told as before.
            hold.ends = hold.before
            return await work()

    def _live(self, workflow: str) -> Session | None:
        desk = self._desks.get(workflow)
        return desk.bench.live if desk else None
