"""Compressing a conversation because the user says so, with the models of its turns."""

from __future__ import annotations

from collections.abc import Sequence

from director.agent.agent_session import AgentSession
from director.agent.compression.thread_compression import CompressionOutcome, compress_now
from director.agent.compression.thresholds import Marks, marks_for
from director.agent.conversation.current_thread import current_thread
from director.agent.model_choice import get_chosen_model, get_chosen_profile
from director.agent.turn_context import gather
from director.models import Model
from director.profiles import Profile


def talks_as(
    desk: AgentSession, *, model: str = "", profile: str | Profile = ""
) -> tuple[Model, Profile]:
    """The model and the profile that the next message would be answered with."""
    chosen = get_chosen_profile(desk.store, desk.workflow, desk.settings, now=profile)
    name = get_chosen_model(desk.store, desk.workflow, desk.settings, now=model or desk.model)
    return desk.talking(name), chosen


def marks_of(desk: AgentSession, model: Model) -> Marks:
    """When a context of this model is large, and when it is compressed."""
    place = model.place
    return marks_for(desk.settings, model.capabilities, provider=place.provider, model=place.model)


async def compress_by_hand(
    desk: AgentSession, turns: Sequence[int] | None = None
) -> CompressionOutcome:
    """Put a checked summary in the place of these turns, of all if none are named.

    Raises `TurnRunning` while a turn is taken; a summary that cannot be used is an outcome.
    """
    model, profile = talks_as(desk)
    writer = desk.talking(profile.compression.model) if profile.compression.model else model
    await writer.ready()
    return await compress_now(
        desk.store,
        current_thread(desk.store, desk.workflow),
        await gather(desk),
        writer=writer,
        marks=marks_of(desk, model),
        turns=turns,
        clean=desk.clean,
    )
