"""What every use case works with: the store, the vault, the settings, and how a model is opened.

One object in the place of what would travel through signatures together. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from director.agent.agent_session import AgentSession, Opens, open_session_model
from director.agent.permissions.secret_leaks import guard_model_from_leaks
from director.agent.saved_workflow import SavedState, read_turn_state
from director.models import Model
from director.runs.resources import Resources, RunOptions
from director.secrets import Redactor
from director.sections.workflow_state import WorkflowState
from director.services.outgoing import redact_value
from director.settings import Settings, load_settings
from director.store import Store
from director.workflow.values import Tab, Workflow

T = TypeVar("T")


class RedactorSource(Protocol):
    """What knows the values that must not leave; the vault does."""

    def net(self) -> Redactor:
        """What takes them out of a text."""


class NoSecrets:
    """In the place of a vault where there is none."""

    def net(self) -> Redactor:
        """A redactor that takes nothing out."""
        return Redactor([])


def list_no_files(_: str) -> Sequence[object]:
    """No workflow has files that its runs may upload."""
    return ()


async def list_no_tabs(_: str) -> tuple[Tab, ...]:
    """No workflow has a live browser."""
    return ()


@dataclass(frozen=True, slots=True)
class Workspace:
    """The parts of one program that use cases work with.

    `cached` is a store that may be as old as its last refresh, for what is only shown. `files`
    lists the files that the runs of a workflow may upload, `tabs` what is open in its live browser.
    `model` is the one that this program was started with: it comes before what a workflow chose.
    `supplies` are what the runs of this program work with, opened by whoever closes them.
    """

    store: Store
    vault: RedactorSource
    settings: Callable[[], Settings] = load_settings
    open_model: Opens = open_session_model
    files: Callable[[str], Sequence[object]] = list_no_files
    tabs: Callable[[str], Awaitable[tuple[Tab, ...]]] = list_no_tabs
    cached: Store | None = None
    model: str = ""
    supplies: Resources | None = None

    @property
    def reads(self) -> Store:
        """The store that is read for what is only shown."""
        return self.store if self.cached is None else self.cached

    @property
    def fresh(self) -> Workspace:
        """The same for reading what was written just now."""
        return replace(self, cached=None)

    @property
    def resources(self) -> Resources:
        """What runs work with; where none was given, what is enough to write runs down."""
        return self.supplies or Resources(self.store, RunOptions())

    def redact(self, value: T) -> T:
        """A value without anything that the vault holds; `VaultError` if it cannot be opened."""
        return redact_value(value, self.vault.net())

    def clean(self, text: str) -> str:
        """A text without anything that the vault holds."""
        return self.vault.net().clean(text)

    def open_guarded(self, name: str) -> Model:
        """A model of this name that is never sent the value of a secret that was said before."""
        return guard_model_from_leaks(self.open_model(name, None), self.store, self.vault)

    async def read_state(self, thread: str) -> WorkflowState:
        """The workflow that a conversation is about, as it is now; of no workflow, an empty one."""
        workflow = self.store.find_workflow(thread)
        if not workflow:
            return WorkflowState(Workflow(thread, thread))
        return read_turn_state(
            SavedState(self.store, workflow),
            tabs=await self.tabs(workflow),
            files=self.files(workflow),
        )


def share_session(desk: AgentSession) -> Workspace:
    """The workspace of a program that talks in a session: its models, its browser, its files."""

    async def list_tabs(_: str) -> tuple[Tab, ...]:
        return await desk.bench.tabs()

    return Workspace(
        desk.store,
        desk.means.secrets or NoSecrets(),
        lambda: desk.settings,
        desk.open_model,
        files=lambda _: desk.means.files() if desk.means.files else (),
        tabs=list_tabs,
        model=desk.model,
    )


def make_workspace(
    store: Store, supplies: Resources | None = None, *, open_model: Opens = open_session_model
) -> Workspace:
    """The workspace of a program with one store, which is not cached."""
    given = supplies or Resources(store, RunOptions())
    return Workspace(
        store,
        given.vault,
        open_model=open_model,
        files=lambda workflow: given.files(workflow).list(),
        supplies=given,
    )
