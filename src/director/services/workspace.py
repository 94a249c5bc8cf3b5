"""What every use case works with: the store, the vault, the settings, and how a model is opened.

One object in the place of what would travel through signatures together. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from director.agent.agent_session import Opens, opens_model
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
    """

    store: Store
    vault: RedactorSource
    settings: Callable[[], Settings] = load_settings
    open_model: Opens = opens_model
    files: Callable[[str], Sequence[object]] = list_no_files
    cached: Store | None = None

    @property
    def reads(self) -> Store:
        """The store that is read for what is only shown."""
        return self.store if self.cached is None else self.cached

    def redact(self, value: T) -> T:
        """A value without anything that the vault holds; `VaultError` if it cannot be opened."""
        return redact_value(value, self.vault.net())
