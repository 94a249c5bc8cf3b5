"""Compressions by hand: who writes the summary, and proposals that wait for the user's word.

Proposals are kept here and nowhere else; a client knows one by its name only.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from director.agent import current_thread
from director.agent.agent_session import Opens
from director.agent.compression.compression_proposal import (
    CompressionProposal,
    edited,
    look,
    propose,
)
from director.agent.compression.thresholds import Marks, marks_for
from director.agent.model_choice import chosen_model, chosen_profile
from director.models import Model
from director.settings import Settings
from director.store import Store, StoreError
from director.store.context_view import view
from director.web.reading.compression import Looked, Proposed, looked, proposed
from director.web.reading.reader import WorkflowReader

_MOST = 50


@dataclass(frozen=True, slots=True)
class Waiting:
    """A proposal of a thread, with the most tokens that its summary may have."""

    workflow: str
    thread: str
    made: CompressionProposal
    cap: int


class SummaryService:
    """Looks and proposals of one app."""

    def __init__(
        self,
        store: Store,
        opens: Opens,
        *,
        reader: Callable[[str], WorkflowReader],
        settings: Callable[[], Settings],
        clean: Callable[[str], str],
    ) -> None:
        self._store = store
        self._opens = opens
        self._reader = reader
        self._settings = settings
        self._clean = clean
        self._waiting: OrderedDict[str, Waiting] = OrderedDict()

    async def look(self, workflow: str, turns: Sequence[int] | None, model: str) -> Looked:
        """What a compression would do."""
        thread = current_thread(self._store, workflow)
        async with self._writer(workflow, model) as (writer, marks):
            state = self._reader(workflow).state()
            found = look(self._store, thread, state, writer=writer, marks=marks, turns=turns)
            return looked(found, view(self._store.seen(thread)).units, writer.name)

    async def propose(self, workflow: str, turns: Sequence[int] | None, model: str) -> Proposed:
        """Have a summary written; it waits until it is applied."""
        thread = current_thread(self._store, workflow)
        async with self._writer(workflow, model) as (writer, marks):
            state = self._reader(workflow).state()
            made = await propose(
                self._store,
                thread,
                state,
                writer=writer,
                marks=marks,
                turns=turns,
                clean=self._clean,
            )
        id_ = secrets.token_urlsafe(12)
        self._waiting[id_] = Waiting(workflow, thread, made, marks.to)
        while len(self._waiting) > _MOST:
            self._waiting.popitem(last=False)
        return proposed(id_, made)

    def edit(self, workflow: str, id_: str, text: str) -> CompressionProposal:
        """Put the user's words in the place of a proposal's."""
        found = self._found(workflow, id_)
        made = edited(found.made, text, found.cap)
        self._waiting[id_] = Waiting(workflow, found.thread, made, found.cap)
        return made

    def take(self, workflow: str, id_: str) -> tuple[str, CompressionProposal]:
        """A proposal that is to be applied, with its thread."""
        found = self._found(workflow, id_)
        return found.thread, found.made

    def _found(self, workflow: str, id_: str) -> Waiting:
        found = self._waiting.get(id_)
        if found is None or found.workflow != workflow:
            raise StoreError("This proposal is no longer there. Nothing was changed. Look again.")
        return found

    @asynccontextmanager
    async def _writer(self, workflow: str, model: str) -> AsyncIterator[tuple[Model, Marks]]:
        """Who writes: the one named, or the profile's, or Director's own."""
        settings = self._settings()
        own = chosen_profile(self._store, workflow, settings).compression.model
        name = model or own or chosen_model(self._store, workflow, settings)
        async with self._opens(name, None) as writer:
            place = writer.place
            marks = marks_for(
                settings, writer.capabilities, provider=place.provider, model=place.model
            )
            yield writer, marks
