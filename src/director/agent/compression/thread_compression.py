"""Compression of a thread: by hand, or by itself when the context is full; at most once a turn.

A summary is proposed, checked and then applied as one entry, or nothing is. Whatever goes wrong,
the thread is as it was and the conversation goes on. Every attempt is kept beside the thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, TypeAlias

from director.agent.agent_session import AgentSession
from director.agent.compression.compression_proposal import (
    By,
    CompressionProposal,
    CompressionTask,
    Refused,
    propose_compression_summary,
)
from director.agent.compression.thresholds import Marks, get_thresholds
from director.agent.conversation.current_thread import find_current_request
from director.agent.conversation.message_size import compute_least_message_size
from director.agent.request_assembly import (
    RequestDraft,
    compute_request_budget,
    measure_request,
)
from director.agent.turn_events import TurnProgress
from director.agent.turn_lease import TurnRunning, is_turn_running
from director.context.sizes import turn_size
from director.context.values import Counter
from director.models import Tool
from director.sections.workflow_state import WorkflowState
from director.store import Entry, Store, StoreError, VersionConflict, Versioned
from director.store.compression import ATTEMPTS, compress_turns, preview_turn_compression
from director.store.context_view import build_thread_view

KIND = ATTEMPTS
LITTLE = 0.1
_TRIES = 5
Status: TypeAlias = Literal["not due", "done", "failed", "stopped"]


@dataclass(frozen=True, slots=True)
class CompressionOutcome:
    """How it ended, in a word and in words; `gap` is for the one request that goes without."""

    status: Status
    says: str = ""
    checkpoint: int | None = None
    proposal: CompressionProposal | None = None

    @property
    def gap(self) -> str:
        """Why older turns may be missing from the next request; empty if none need be."""
        return self.says if self.status in ("failed", "stopped") else ""


def apply_compression(
    store: Store, thread: str, proposal: CompressionProposal, by: By = "manual"
) -> Entry:
    """Apply what was proposed: one entry, in one step with forgetting what a server remembers.

    `Moved` if the thread has grown since it was previewed, `TurnRunning` while a turn is taken:
    nothing was written.
    """
    _check_idle(store, thread, by)
    made = compress_turns(store, thread, proposal.preview, proposal.summary, by)
    _note(store, thread, by, proposal=proposal, checkpoint=made.seq)
    return made


async def compress_now(task: CompressionTask) -> CompressionOutcome:
    """Propose and apply in one go; what is said meanwhile stays in view.

    A summary that cannot be used is an outcome, not an error; `StoreError` says what was asked
    for wrongly, `TurnRunning` that a turn must end first.
    """
    _check_idle(task.store, task.thread, task.by)
    try:
        proposal = await propose_compression_summary(task)
    except Refused as why:
        _note_failure(task, why)
        return CompressionOutcome("failed", f"{why} Nothing was compressed.")
    except asyncio.CancelledError:
        _note_failure(task, None)
        raise
    try:
        made = _apply_to_same_turns(task.store, task.thread, proposal, task.by)
    except StoreError as why:
        _note_failure(task, why)
        return CompressionOutcome("failed", str(why), proposal=proposal)
    _note(
        task.store,
        task.thread,
        task.by,
        turn=task.turn,
        model=task.writer.name,
        proposal=proposal,
        checkpoint=made.seq,
    )
    found = proposal.preview
    says = f"{found.count} messages are archived: {found.tokens:,} → {proposal.after:,} tokens."
    return CompressionOutcome("done", says, made.seq, proposal)


def _note_failure(task: CompressionTask, refused: Exception | None) -> None:
    """Keep an attempt that changed nothing; without a reason it was cancelled."""
    turns = task.turns if refused else None
    _note(
        task.store,
        task.thread,
        task.by,
        turn=task.turn,
        model=task.writer.name,
        refused=refused,
        turns=turns,
    )


def _check_idle(store: Store, thread: str, by: By) -> None:
    """What a user asks for waits until no turn is running; a turn compresses for itself."""
    if by == "manual" and is_turn_running(store, thread):
        raise TurnRunning(
            f"A turn of the thread {thread!r} is running. Nothing was compressed. Wait until it "
            "has ended, or cancel it."
        )


def _apply_to_same_turns(store: Store, thread: str, proposal: CompressionProposal, by: By) -> Entry:
    """Apply to the same turns even if others were said meanwhile; those stay uncovered."""
    found = proposal.preview
    for _ in range(_TRIES):
        try:
            return compress_turns(store, thread, found, proposal.summary, by)
        except VersionConflict:
            chosen = [one.at for one in found.fold.turns]
            again = preview_turn_compression(store, thread, chosen, counter=found.counter)
            if (again.fold, again.builds_on) != (found.fold, found.builds_on):
                raise
            found = again
    raise VersionConflict("The thread grows too fast to be compressed. Nothing was written.")


async def compress_if_due(task: CompressionTask, size: int) -> CompressionOutcome:
    """Compress the older turns if a request of this size would reach the mark.

    There is one attempt for each turn. After two that gained little, or gave nothing that could be
    used, it stops until it is done by hand.
    """
    store, thread, turn = task.store, task.thread, task.turn
    if task.marks.fill(size) != "full":
        return CompressionOutcome("not due")
    newest = store.get(KIND, thread)
    if newest and turn and newest.body.get("turn") == turn and newest.body.get("by") == "auto":
        tried = "This turn's compression was tried already."
        return CompressionOutcome(
            "not due" if newest.body.get("outcome") == "done" else "stopped", tried
        )
    turns, beside = select_older_turns(store, thread, task.marks, task.writer.counter)
    if why := _reason_to_stop(store, thread, turns, task.writer.name):
        return CompressionOutcome("stopped", why)
    return await compress_now(replace(task, turns=turns, beside=beside, by="auto"))


SAME = "the same messages would be summarised once more. Compress by hand, or say something else."
STOPPED = (
    "Automatic compression has stopped: the last two gained less than 10 %. Compress by hand, "
    "choose another model for it, or begin a new conversation."
)


def select_older_turns(
    store: Store, thread: str, marks: Marks, counter: Counter
) -> tuple[list[int], int]:
    """The turns that an automatic compression takes, and the tokens of the newest that stay."""
    now = build_thread_view(store.read_visible(thread))
    sizes: dict[int, int] = {}
    for one in now.context.turns:
        sizes[one.at] = sizes.get(one.at, 0) + turn_size(one, counter)
    staying = 0
    units = list(now.units)
    while units:
        size = sum(sizes[seq] for seq in units[-1])
        if staying + size > marks.tail_size:
            break
        staying += size
        units.pop()
    return [seq for unit in units for seq in unit], staying


def _reason_to_stop(store: Store, thread: str, turns: Sequence[int], model: str) -> str:
    """Why another attempt is of no use, in words; empty if it may be."""
    if is_compression_stopped(store, thread, model):
        return STOPPED
    if not turns:
        return "Nothing older is left to compress."
    newest = store.get(KIND, thread)
    body = newest.body if newest else {}
    same = body.get("model") == model and body.get("turns") == list(turns)
    if same and body.get("by") == "auto" and body.get("outcome") in ("failed", "refused"):
        return f"{body.get('why')} It was not tried again: {SAME}"
    return ""


def is_compression_stopped(store: Store, thread: str, model: str) -> bool:
    """Whether the last two attempts, both automatic and by this model, were of no use."""
    newest = store.get(KIND, thread)
    if newest is None or newest.version < 2:
        return False
    before = store.get(KIND, thread, newest.version - 1)
    return all(_useless(one, model) for one in (newest, before))


def _useless(one: Versioned | None, model: str) -> bool:
    if one is None or one.body.get("by") != "auto" or one.body.get("model") != model:
        return False
    return one.body.get("outcome") == "refused" or (
        one.body.get("outcome") == "done" and compute_compression_gain(one) < LITTLE
    )


def compute_compression_gain(one: Versioned) -> float:
    """The share of the tokens that an attempt saved."""
    before, after = one.body.get("before"), one.body.get("after")
    if not isinstance(before, int) or not isinstance(after, int) or not before:
        return 0.0
    return (before - after) / before


def list_compression_attempts(store: Store, thread: str) -> Sequence[Versioned]:
    """Every attempt to compress a thread, the oldest first, also those that changed nothing."""
    return store.versions(KIND, thread)


def _note(  # noqa: PLR0913  each has a name
    store: Store,
    thread: str,
    by: By,
    *,
    turn: int = 0,
    model: str = "",
    proposal: CompressionProposal | None = None,
    checkpoint: int | None = None,
    refused: Exception | None = None,
    turns: Sequence[int] | None = None,
) -> None:
    """Keep an attempt beside the thread: what it took, what it gave, or why it gave nothing."""
    bad = isinstance(refused, Refused) and refused.bad
    outcome = "done" if checkpoint else ("refused" if bad else "failed")
    if not checkpoint and refused is None:
        outcome = "cancelled"
    found = proposal.preview if proposal else None
    spent = proposal.cost if proposal else getattr(refused, "spent", None)
    body: dict[str, object] = {
        "thread": thread,
        "by": by,
        "turn": turn,
        "model": model,
        "outcome": outcome,
        "why": str(refused) if refused else "",
        "count": found.count if found else 0,
        "before": found.tokens if found else 0,
        "after": proposal.after if proposal else 0,
        "share": proposal.share if proposal else 0.0,
        "lost": len(proposal.lost) if proposal else 0,
        "by_user": proposal.by_user if proposal else False,
        "cost": str(spent) if isinstance(spent, Decimal) else None,
        "request": proposal.request if proposal else None,
        "checkpoint": checkpoint,
        **({"turns": list(turns)} if turns else {}),
    }
    store.put(KIND, thread, body)


async def compress_when_due(
    desk: AgentSession, draft: RequestDraft, state: WorkflowState, *, tools: Sequence[Tool]
) -> bool:
    """Compress before a request that would reach the mark; whether it was done.

    The profile may name another model for it; else Director's own writes the summary.
    """
    model = desk.talking(desk.talks)
    size = measure_request(draft, tools, model.calibration, desk.walks)
    marks = get_thresholds(desk.settings, model)
    if marks.fill(size) == "full":
        budget = compute_request_budget(model.capabilities, desk.settings, model.counter)
        if compute_least_message_size(desk, model, draft) > budget.limit:
            # No summary would make it fit: none is paid for.
            return False
    writer = desk.talking(draft.profile.compression.model or desk.talks)
    turn = find_current_request(desk.store, desk.thread)
    task = CompressionTask(
        desk.store, desk.thread, state, writer, marks, turn=turn, clean=desk.clean
    )
    outcome = await compress_if_due(task, size)
    if outcome.proposal is not None and outcome.proposal.cost is not None:
        desk.spent.money += outcome.proposal.cost
    if outcome.gap:
        desk.progress(TurnProgress("compressed", outcome.says))
    return outcome.status == "done"
