"""Whether a message fits before it is stored: its size, and how much there is room for beside it.

No model is called. What does not fit is refused while the conversation is as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from director.agent.agent_session import AgentSession
from director.agent.conversation.current_thread import ensure_current_thread
from director.agent.model_choice import get_session_model_choice
from director.agent.model_windows import remember_model_window
from director.agent.request_assembly import (
    ContextTooLarge,
    RequestDraft,
    SingleCut,
    Walks,
    compute_request_budget,
    draft_request,
    fit_assembled_request,
)
from director.agent.tools import REGISTRY, TRUSTS
from director.agent.turn_context import gather_turn_context, read_turn_conversation
from director.context.values import Budget, UserTurn
from director.models import Model
from director.profiles import Profile
from director.sections.boundary import guard_boundary

# What is shorter is typed by hand; it fits wherever anything does.
_SHORT = 1_000


@dataclass(frozen=True, slots=True)
class MessageSize:
    """A message in tokens, and the most tokens that one may have now with this model."""

    tokens: int
    room: int
    limit: int
    window: int
    model: str
    fits: bool = True

    def __str__(self) -> str:
        if self.fits:
            return f"{self.tokens:,} tokens; up to {self.room:,} fit."
        if not self.room:
            return (
                f"No message fits: what is always sent takes all of the {self.limit:,} tokens that "
                f"may be sent to {self.model}, whose window is {self.window:,}. Nothing was stored "
                "or sent. Leave a large turn out (/drop), or choose a model with a larger window."
            )
        return (
            f"This message is too large: it has about {self.tokens:,} tokens, and {self.room:,} "
            f"fit beside what is always sent ({self.limit:,} may be sent to {self.model}, whose "
            f"window is {self.window:,}). Nothing was stored or sent. Shorten it, say it in parts, "
            "or choose a model with a larger window."
        )


class MessageTooLarge(ContextTooLarge):
    """A message that cannot be sent, whatever else is left out; nothing was stored."""

    status = 413
    kept = "Nothing was stored or sent."


async def check_message(
    desk: AgentSession, text: str, *, model: str = "", profile: str | Profile = ""
) -> None:
    """Refuse a message that is too large, before it is stored."""
    if len(text) <= _SHORT:
        return
    size = await measure_message(desk, text, model=model, profile=profile)
    if not size.fits:
        raise MessageTooLarge(str(size), size.tokens)


async def measure_message(
    desk: AgentSession, text: str, *, model: str = "", profile: str | Profile = ""
) -> MessageSize:
    """How large a message is, and what fits, with the model and the profile of the next turn."""
    desk.thread = ensure_current_thread(desk.store, desk.workflow)
    talking, chosen = get_session_model_choice(desk, model=model, profile=profile)
    remember_model_window(desk.store, await talking.ready())
    can = talking.capabilities
    budget = compute_request_budget(can, desk.settings, talking.counter)
    tokens = talking.counter(guard_boundary(text)) + talking.counter.per_message
    least = compute_least_message_size(desk, talking, await _draft_message(desk, chosen, "-"))
    room = max(0, budget.limit - least)
    fits = tokens <= room or _fits(talking, await _draft_message(desk, chosen, text), budget)
    return MessageSize(tokens, room, budget.limit, can.window, talking.name, fits)


def compute_least_message_size(desk: AgentSession, model: Model, draft: RequestDraft) -> int:
    """Tokens of the smallest request that could be made of a draft."""
    budget = compute_request_budget(model.capabilities, desk.settings, model.counter)
    try:
        _fit(model, draft, replace(budget, limit=1, warn=None), SingleCut())
    except ContextTooLarge as large:
        return large.size
    return 0


def _fits(model: Model, draft: RequestDraft, budget: Budget) -> bool:
    try:
        _fit(model, draft, budget, Walks())
    except ContextTooLarge:
        return False
    return True


def _fit(model: Model, draft: RequestDraft, budget: Budget, walks: Walks) -> None:
    tools = [REGISTRY[name].tool for name in draft.profile.tools]
    fit_assembled_request(draft, tools=tools, budget=budget, measure=model.calibration, walks=walks)


async def _draft_message(desk: AgentSession, profile: Profile, text: str) -> RequestDraft:
    """The request that a message would lead to."""
    told = read_turn_conversation(desk, TRUSTS)
    at = told.turns[-1].at + 1 if told.turns else 1
    said = replace(told, turns=(*told.turns, UserTurn(at, guard_boundary(text))))
    return draft_request(profile, await gather_turn_context(desk, said), said)
