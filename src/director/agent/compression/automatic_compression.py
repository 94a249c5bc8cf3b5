"""Compression before a request that would reach the mark; whatever goes wrong, the turn goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from director.agent.agent_session import AgentSession
from director.agent.compression.compression_task import CompressionTask
from director.agent.compression.thread_compression import compress_if_due
from director.agent.compression.thresholds import get_thresholds
from director.agent.conversation.current_thread import find_current_request
from director.agent.conversation.message_size import compute_least_message_size
from director.agent.request_assembly import (
    RequestDraft,
    compute_request_budget,
    measure_request_tools,
)
from director.agent.turn_events import TurnProgress
from director.context.sizes import context_size
from director.models import Tool
from director.sections.workflow_state import WorkflowState


async def compress_when_due(
    desk: AgentSession, draft: RequestDraft, state: WorkflowState, *, tools: Sequence[Tool]
) -> bool:
    """Compress before a request that would reach the mark; whether it was done.

    The profile may name another model for it; else Director's own writes the summary.
    """
    model = desk.talking(desk.talks)
    marks = get_thresholds(desk.settings, model)
    size = measure_compression_request(desk, draft, tools)
    budget = compute_request_budget(model.capabilities, desk.settings, model.counter)
    if marks.fill(size) == "full" and compute_least_message_size(desk, model, draft) > budget.limit:
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


def measure_compression_request(
    desk: AgentSession, draft: RequestDraft, tools: Sequence[Tool]
) -> int:
    """Tokens of the whole request that would be made now: sections, history and tools."""
    model = desk.talking(desk.talks)
    counter = model.counter
    history = sum(desk.walks.given.of(draft.context.turns, model.calibration))
    blocks = sum(counter(text) for text in (draft.around.first_message, draft.around.last_message))
    bare = context_size(replace(draft.context, turns=()), counter)
    return bare + history + blocks + measure_request_tools(tools, counter)
