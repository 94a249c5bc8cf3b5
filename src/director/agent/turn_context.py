"""Gather: the state of a workflow as it is now, and its conversation with what each word is worth.

Read afresh for every request; nothing of it is ever written into the thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from director.agent.saved_workflow import read_turn_state
from director.context.values import Context, Trust, Turn, UserTurn
from director.sections.boundary import guard_boundary
from director.sections.workflow_state import WorkflowState

if TYPE_CHECKING:
    from director.agent.agent_session import AgentSession


async def gather_turn_context(desk: AgentSession, context: Context | None = None) -> WorkflowState:
    """The plan, the description, the workflow with statuses, the variables and the tabs."""
    return read_turn_state(
        desk.saved,
        tabs=await desk.bench.tabs(),
        files=desk.means.files() if desk.means.files else (),
        summary=context.summary if context else None,
    )


def read_turn_conversation(desk: AgentSession, trusts: Mapping[str, Trust]) -> Context:
    """The thread as the model sees it; each result as trusted as what its tool brings."""
    context = desk.log.read(desk.thread).context
    hidden = desk.leak_references()
    turns = desk.marked.of(context.turns, lambda turn: hidden.replace_in(_mark_trust(turn, trusts)))
    summary = hidden.replace_in(context.summary)
    return replace(context, turns=tuple(turns), summary=summary)


def _mark_trust(turn: Turn, trusts: Mapping[str, Trust]) -> Turn:
    if isinstance(turn, UserTurn):
        # What the user pasted may look like a section; whether it is one, only we say.
        return turn if turn.native else replace(turn, text=guard_boundary(turn.text))
    calls = tuple(replace(call, trust=trusts.get(call.tool, "web")) for call in turn.calls)
    return replace(turn, calls=calls)
