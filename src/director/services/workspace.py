"""What every use case works with: the store, the vault, the settings, and how a model is opened.

One object in the place of what would travel through signatures together. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from director.agent.agent_session import Opens, opens_model
from director.runs.resources import Resources, RunOptions
from director.secrets import Redactor
from director.services.outgoing import redact_value
from director.settings import Settings, load_settings
from director.store import Store

T = TypeVar("T")


class RedactorSource(Protocol):
    """What knows the values that must not leave; the vault does."""

    def net(self) -> Redactor:
        """What takes them out of a text."""


def list_no_files(_: str) -> Sequence[object]:
    """No workflow has files that its runs may upload."""
    return ()


@dataclass(frozen=True, slots=True)
class Workspace:
    """The parts of one program that use cases work with.

    `reads` is a store that may be as old as its last refresh, for what is only shown; the store
    itself where it is not given. `files` lists the files that the runs of a workflow may upload.
    `supplies` are what the runs of this program work with, opened by whoever closes them.
    """

    store: Store
    vault: RedactorSource
    settings: Callable[[], Settings] = load_settings
    open_model: Opens = opens_model
    files: Callable[[str], Sequence[object]] = list_no_files
    cached: Store | None = None
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


def make_workspace(
    store: Store, supplies: Resources | None = None, *, open_model: Opens = opens_model
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
