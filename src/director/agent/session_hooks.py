"""What a desk is given so that its history is compressed when due and its requests are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from director.agent.agent_session import AgentSession
from director.agent.compression.compression_task import CompressionTask
from director.agent.compression.thread_compression import KIND, compress_if_due
from director.agent.compression.thresholds import get_marks
from director.agent.conversation.message_size import least_size
from director.agent.request_assembly import assemble, budget_of, tools_size
from director.agent.request_log.kept_requests import StoredRequest, keep_request
from director.agent.request_log.request_record import RequestRecord
from director.agent.tools import REGISTRY
from director.agent.turn_events import TurnProgress
from director.context.sizes import context_size
from director.context.values import Context
from director.profiles import Profile
from director.sections.workflow_state import WorkflowState
from director.store import Store


def equipped(desk: AgentSession) -> AgentSession:
    """The desk, which from now on compresses by itself and keeps every request."""
    desk.compress = compress_when_due
    desk.made = lambda made: keep_made(desk.store, made, desk.clean)
    return desk


async def compress_when_due(
    desk: AgentSession, profile: Profile, state: WorkflowState, said: Context
) -> bool:
    """Compress before a request that would reach the mark; whether it was done.

    The profile may name another model for it; else Director's own writes the summary.
    """
    model = desk.talking(desk.talks)
    marks = get_marks(desk.settings, model)
    size = request_size(profile, state, said, desk)
    budget = budget_of(model.capabilities, desk.settings, model.counter)
    if marks.fill(size) == "full" and await least_size(desk, model, profile) > budget.limit:
        # No summary would make it fit: none is paid for.
        return False
    writer = desk.talking(profile.compression.model or desk.talks)
    task = CompressionTask(
        desk.store,
        desk.thread,
        state,
        writer,
        marks,
        turn=last_said(desk.store, desk.thread),
        clean=desk.clean,
    )
    outcome = await compress_if_due(task, size)
    if outcome.proposal is not None and outcome.proposal.cost is not None:
        desk.spent.money += outcome.proposal.cost
    if outcome.gap:
        desk.progress(TurnProgress("compressed", outcome.says))
    return outcome.status == "done"


def request_size(profile: Profile, state: WorkflowState, said: Context, desk: AgentSession) -> int:
    """Tokens of the whole request that would be made now: sections, history and tools."""
    model = desk.talking(desk.talks)
    counter = model.counter
    context, around = assemble(profile, state, said)
    history = sum(desk.walks.given.of(context.turns, model.calibration))
    blocks = sum(counter(text) for text in (around.first_message, around.last_message))
    tools = [REGISTRY[name].tool for name in profile.tools]
    bare = context_size(replace(context, turns=()), counter)
    return bare + history + blocks + tools_size(tools, counter)


def last_said(store: Store, thread: str) -> int:
    """The entry of the user that is being worked on."""
    asked = store.last(thread, "user")
    return asked.seq if asked else 0


def keep_made(store: Store, made: RequestRecord, clean: Callable[[str], str] = str) -> None:
    """Keep a request that a turn, a scout or a node made; what a provider said is cleaned."""
    asked = made.asked
    keep_request(
        store,
        StoredRequest(
            asked.thread,
            made.head,
            asked.workflow,
            asked.profile,
            last_said(store, asked.thread),
            "turn" if asked.by == "director" else asked.by,
            asked.tools,
            asked.policy,
            streaming=asked.streaming,
            gap=_gap(store, asked.thread, made),
            sent_as="" if asked.by == "director" else asked.by,
        ),
        model=asked.model,
        report=made.report,
        ended=made.ended,
        clean=clean,
        told=made.told,
        attempts=made.attempts,
    )


def _gap(store: Store, thread: str, made: RequestRecord) -> str:
    """Why turns were left out of this one request, if no summary stood for them."""
    tried = store.get(KIND, thread)
    if tried is None or tried.body.get("outcome") == "done" or made.report.sent.fold is None:
        return ""
    return str(tried.body.get("why") or "Automatic compression has stopped.")
