"""The session: all that Director works with on one workflow, kept from turn to turn.

What belongs to a higher or a parallel part is handed in as a function. Nothing here decides.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from director.agent.browsing.browser_workspace import BrowserWorkspace, OpensBrowser
from director.agent.browsing.page_looks import TabLook
from director.agent.conversation.current_thread import StoreJournal
from director.agent.permissions.pending_approvals import PATIENCE, AsksUser
from director.agent.permissions.secret_leaks import (
    KnowsReferences,
    compute_leak_stamp,
    list_leak_references,
)
from director.agent.request_assembly import Walks
from director.agent.request_log.kept_requests import RequestRecord, keep_record
from director.agent.saved_workflow import SavedState
from director.agent.turn_events import TurnProgress
from director.agent.turn_limits import Spent
from director.context.values import Turn
from director.models import Journal, Model, list_accepted_servers, open_model
from director.models.windows import get_window_setting
from director.runs import RunDependencies
from director.secrets import SecretReferences
from director.settings import Settings, load_settings
from director.store import Store
from director.store.context_view import Once, ThreadLog
from director.workflow.values import Workflow

T = TypeVar("T")
Opens: TypeAlias = Callable[[str, Journal | None], Model]


def open_session_model(name: str, journal: Journal | None) -> Model:
    """The model of a name, with its key from the environment, at an accepted server only."""
    settings = load_settings()
    return open_model(
        name,
        journal=journal,
        accepted=list_accepted_servers(settings),
        window=get_window_setting(settings, name),
    )


@dataclass(slots=True)
class AgentSession:
    """One workflow with its store, its live browser, its models and its settings.

    `progress` is told what happens, as it does. `open_model` opens a model by its name and journal;
    `browser` the browser that is used when first needed, if `means` has none. `questions` are those
    that the calls of now have put to the user, `effects` the keys of what their runs stopped at.
    `stopped` are the runs, or the nodes of a test, that were: the same call goes on with one.
    `background` says of the next turn whether the provider works it out while nobody waits, None
    that the settings say so; a turn that `resumes` fetches such an answer.
    `hinted` are the hints that were given: none is given twice. `asks_user` puts what a call waits
    for to the user while it waits, at most `patience` seconds; without it the turn ends instead.
    `time_limit` is that of the turn of now, which stands still meanwhile.
    """

    store: Store
    workflow: str
    means: RunDependencies = field(default_factory=RunDependencies)
    settings: Settings = field(default_factory=load_settings)
    model: str = ""
    open_model: Opens = open_session_model
    progress: Callable[[TurnProgress], None] = lambda _: None
    browser: OpensBrowser | None = None
    thread: str = ""
    talks: str = ""
    spent: Spent = field(default_factory=Spent)
    background: bool | None = None
    resumes: bool = False
    looked: dict[str, TabLook] = field(default_factory=dict)
    questions: list[str] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)
    stopped: dict[str, str] = field(default_factory=dict)
    hinted: set[str] = field(default_factory=set)
    asks_user: AsksUser | None = None
    patience: float = PATIENCE
    time_limit: asyncio.Timeout | None = None
    bench: BrowserWorkspace = field(init=False)
    saved: SavedState = field(init=False)
    log: ThreadLog = field(init=False)
    marked: Once[Turn] = field(default_factory=Once)
    walks: Walks = field(default_factory=Walks)
    _models: dict[str, Model] = field(default_factory=dict)
    _leaks: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        self.saved = SavedState(self.store, self.workflow)
        self.log = ThreadLog(self.store)
        self.bench = BrowserWorkspace(self.store, self.workflow, self.means, browser=self.browser)

    def now(self) -> Workflow:
        """The workflow as it is now."""
        return self.saved.workflow()

    def talking(self, name: str) -> Model:
        """The model of this name, which writes what it says into the thread."""
        if name not in self._models:
            journal = StoreJournal(self.store, self.hide_said)
            self._models[name] = self.open(name, journal)
        return self._models[name]

    async def forget_model(self, name: str) -> None:
        """Close a model; it is opened anew, with the settings of then, when next needed."""
        known = self._models.pop(name, None)
        if known is not None:
            await known.close()

    def open(self, name: str, journal: Journal | None) -> Model:
        """A model of this name, which is never sent the value of a secret that was said before."""
        model = self.open_model(name, journal)
        model.hide = self.hide_said
        return model

    def leak_references(self) -> SecretReferences:
        """What replaces the secrets that stand in a conversation; what was marked before is not."""
        stamp = compute_leak_stamp(self.store)
        if stamp != self._leaks:
            self._leaks, self.marked = stamp, Once()
        return list_leak_references(self.store, self.means.secrets)

    def hide_said(self, value: T) -> T:
        """A value with references in the place of secrets that stand in a conversation."""
        return list_leak_references(self.store, self.means.secrets).replace_in(value)

    def hide_all(self, text: str) -> str:
        """A text of the user with references in the place of all that the vault holds."""
        vault: object = self.means.secrets
        return vault.references().replace(text) if isinstance(vault, KnowsReferences) else text

    def clean(self, text: str) -> str:
        """A text without anything that the vault holds."""
        return self.means.secrets.net().clean(text) if self.means.secrets else text

    def keep_record(self, record: RequestRecord) -> AbstractContextManager[RequestRecord]:
        """Make a request inside; it is kept, however it ends."""
        return keep_record(self.store, record, self.clean)

    async def close(self) -> None:
        """Close the browser and the models; everything that matters is in the store."""
        await self.bench.close()
        for model in self._models.values():
            await model.close()
        self._models.clear()
