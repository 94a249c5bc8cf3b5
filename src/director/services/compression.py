"""Compression of a conversation: look, propose, edit, apply, restore, and read what was done.

The limits are those of the model that talks, whoever writes the summary. Proposals are kept here
and nowhere else: a client knows one by its name, and may say other words for its summary, which are
checked like a model's. What it covers and how far it is trusted is never the client's.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

from director.agent.compression.compression_export import exported
from director.agent.compression.compression_proposal import (
    CompressionProposal,
    CompressionTask,
    check_summary,
    edit_proposal,
    preview_proposal,
    propose_compression_summary,
)
from director.agent.compression.thread_compression import (
    apply_compression,
    compress_now,
    list_compression_attempts,
)
from director.agent.compression.thresholds import Marks, get_thresholds
from director.agent.model_choice import get_chosen_model, get_chosen_profile
from director.agent.turn_lease import TurnRunning, is_turn_running
from director.models import Model, NoKey
from director.services.compression_values import (
    CompressionAttempt,
    CompressionResult,
    Looked,
    PastCompression,
    Proposed,
    list_done_compressions,
    read_compression_attempt,
    read_compression_estimate,
    read_compression_proposal,
)
from director.services.context_meter import find_marks
from director.services.outgoing import redact_result
from director.services.workspace import Workspace
from director.store import Store, StoreError
from director.store.compression import (
    list_compression_history,
    preview_turn_compression,
    restore_compressed_turns,
)
from director.store.context_view import build_thread_view

_MOST = 50  # proposals that wait


@dataclass(frozen=True, slots=True)
class WaitingProposal:
    """A proposal for a thread, with the most tokens that its summary may have."""

    thread: str
    made: CompressionProposal
    cap: int


@dataclass(eq=False, slots=True)
class ProposalList:
    """The proposals of one program that wait to be applied; the oldest gives way."""

    _waiting: OrderedDict[str, WaitingProposal] = field(default_factory=OrderedDict)

    def add(self, proposal: WaitingProposal) -> str:
        """Keep a proposal; its name."""
        id_ = secrets.token_urlsafe(12)
        self.replace(id_, proposal)
        while len(self._waiting) > _MOST:
            self._waiting.popitem(last=False)
        return id_

    def replace(self, id_: str, proposal: WaitingProposal) -> None:
        """Put a proposal in the place of the one of this name."""
        self._waiting[id_] = proposal

    def get(self, id_: str, thread: str) -> WaitingProposal:
        """The proposal of a name, for this thread; `StoreError` if it is gone."""
        found = self._waiting.get(id_)
        if found is None or found.thread != thread:
            raise StoreError("This proposal is no longer there. Nothing was changed. Look again.")
        return found


@redact_result
async def preview_compression(
    workspace: Workspace, thread: str, turns: Sequence[int] | None = None, *, writer: str = ""
) -> Looked:
    """What a compression of these turns would do, of all if none are named; no model is called."""
    async with _open_task(workspace, thread, turns, writer=writer) as task:
        units = build_thread_view(workspace.store.seen(thread)).units
        return read_compression_estimate(preview_proposal(task), units, task.writer.name)


@redact_result
async def propose_compression(  # noqa: PLR0913  each has a name
    workspace: Workspace,
    thread: str,
    turns: Sequence[int] | None = None,
    *,
    proposals: ProposalList,
    writer: str = "",
    text: str | None = None,
) -> Proposed:
    """Have a summary written and checked, or check the user's; it waits until it is applied."""
    _check_idle(workspace.store, thread)
    async with _open_task(workspace, thread, turns, writer=writer) as task:
        if text is None:
            made = await propose_compression_summary(task)
        else:
            found = preview_turn_compression(
                workspace.store, thread, turns, counter=task.writer.counter
            )
            made = check_summary(text, found, task.cap, by_user=True)
    return read_compression_proposal(proposals.add(WaitingProposal(thread, made, task.cap)), made)


@redact_result
def rewrite_compression_proposal(
    workspace: Workspace, thread: str, id_: str, *, text: str, proposals: ProposalList
) -> Proposed:
    """The same compression with the user's words, verified like any other."""
    del workspace
    found = proposals.get(id_, thread)
    made = edit_proposal(found.made, text, found.cap)
    proposals.replace(id_, replace(found, made=made))
    return read_compression_proposal(id_, made)


@redact_result
def apply_compression_proposal(
    workspace: Workspace, thread: str, id_: str, *, proposals: ProposalList
) -> PastCompression:
    """Put the summary in the place of what it covers; refused if the thread has grown since."""
    entry = apply_compression(workspace.store, thread, proposals.get(id_, thread).made)
    done = list_done_compressions(workspace.store, thread)
    return next(one for one in done if one.entry == entry.seq)


@redact_result
async def compress_conversation(
    workspace: Workspace, thread: str, turns: Sequence[int] | None = None
) -> CompressionResult:
    """Propose and apply in one go. A summary that cannot be used is a result, not an error."""
    async with _open_task(workspace, thread, turns) as task:
        found = await compress_now(task)
    written = found.proposal.written if found.proposal else ""
    return CompressionResult(found.status, found.says, written, found.checkpoint)


@redact_result
def restore_compression(workspace: Workspace, thread: str, entry: int) -> list[PastCompression]:
    """Undo a compression: its messages are in view again, and what came since."""
    _check_idle(workspace.store, thread)
    restore_compressed_turns(workspace.store, thread, entry)
    return list_done_compressions(workspace.store, thread)


@redact_result
def list_compressions(workspace: Workspace, thread: str) -> list[PastCompression]:
    """The compressions of a conversation, the newest first."""
    return list_done_compressions(workspace.reads, thread)


@redact_result
def list_compression_attempts_made(workspace: Workspace, thread: str) -> list[CompressionAttempt]:
    """Every attempt to compress a conversation, the newest first."""
    made = {one.seq: one for one in list_compression_history(workspace.reads, thread)}
    return [
        read_compression_attempt(one, made)
        for one in reversed(list_compression_attempts(workspace.reads, thread))
    ]


@redact_result
def export_compressions(
    workspace: Workspace, thread: str, form: Literal["markdown", "json"] = "markdown"
) -> str:
    """All summaries of a conversation, to read elsewhere."""
    return exported(workspace.store, thread, form)


@asynccontextmanager
async def _open_task(
    workspace: Workspace, thread: str, turns: Sequence[int] | None, *, writer: str = ""
) -> AsyncIterator[CompressionTask]:
    """Who writes is the one named, or the profile's, or the one that talks."""
    store, settings = workspace.store, workspace.settings()
    workflow = store.find_workflow(thread)
    profile = get_chosen_profile(store, workflow, settings)
    talks = _name_talking(workspace, workflow)
    name = writer or profile.compression.model or talks
    if not name:
        get_chosen_model(store, workflow, settings)  # which says that none is chosen
    async with workspace.open_guarded(name) as model:
        marks = _find_marks(workspace, talks, model)
        state = await workspace.read_state(thread)
        clean = workspace.clean
        yield CompressionTask(store, thread, state, model, marks, turns, clean=clean)


def _name_talking(workspace: Workspace, workflow: str) -> str:
    """The model that the next message would be answered by; empty if none is chosen."""
    try:
        settings = workspace.settings()
        return get_chosen_model(workspace.store, workflow, settings, now=workspace.model)
    except NoKey:
        return ""


def _find_marks(workspace: Workspace, talks: str, writer: Model) -> Marks:
    """The limits of the model that talks; it is not opened, since it may need a key for that."""
    settings = workspace.settings()
    if talks in ("", writer.name):
        return get_thresholds(settings, writer)
    return find_marks(workspace.store, settings, talks)[0]


def _check_idle(store: Store, thread: str) -> None:
    if is_turn_running(store, thread):
        raise TurnRunning("A turn of this workflow is running. Nothing was compressed.")
