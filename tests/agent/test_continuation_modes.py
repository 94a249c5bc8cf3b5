"""The three ways to go on from a summary: what is sent in each, and that the chain begins anew."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from agent.office import SAY, asks, at_double, desk
from director.agent.agent_session import AgentSession
from director.agent.model_choice import choose_workflow_model, get_chosen_profile
from director.agent.request_assembly import STATE
from director.agent.turn import take_turn
from director.agent.turn_context import gather_turn_context
from director.context.values import Summary
from director.models.script_values import Emit, Seen
from director.profiles import ProfileError, load_profile
from director.sections.section_texts import render_section_text, render_system_section
from director.settings import load_settings
from director.store import Store
from director.store.compression import compress_turns, preview_turn_compression
from director.testing.double import Double

CHAIN = "previous_response_id"
SYSTEM = render_system_section().text


def shorten(made: AgentSession, text: str) -> None:
    """Compress all that may be, to this text."""
    found = preview_turn_compression(made.store, made.thread)
    compress_turns(made.store, made.thread, found, Summary(text, found.covers))


async def talk(made: AgentSession, first: int, last: int) -> None:
    """Say some numbered messages."""
    for nth in range(first, last + 1):
        await take_turn(made, f"message {nth} {'so ' * 40}")


def conversation(
    store: Store, goes: Callable[[AgentSession], Any], brain: Callable[[Seen], Sequence[Emit]]
) -> tuple[list[Mapping[str, Any]], list[Seen]]:
    """The bodies that the double was sent, and what its model saw of each."""
    with Double("openai", brain) as double:
        made = at_double(desk(store, brain, profile="clean"), double)

        async def whole() -> None:
            await goes(made)
            await made.close()

        asyncio.run(whole())
        assert double.defects == []
        assert double.verdict() == []
        bodies = [one.asked.body for one in double.exchanges]
        return bodies, [one.seen for one in double.generations]


async def _two_summaries(made: AgentSession) -> None:
    await talk(made, 1, 3)
    shorten(made, "The first summary [1].")
    await talk(made, 4, 5)
    shorten(made, "The second summary [1].")
    await talk(made, 6, 7)


@pytest.mark.parametrize("mode", ["reset", "refresh", "checkpoint"])
def test_the_chain_begins_anew_after_each_summary(store: Store, mode: str) -> None:
    """By itself: the request after a summary is whole, the next one goes on from it."""
    choose_workflow_model(store, "w", mode=mode, every=100)
    bodies, _ = conversation(store, _two_summaries, lambda _: SAY)
    assert [CHAIN in body for body in bodies] == [False, True, True, False, True, False, True]
    sent = [len(body["input"]) for body in bodies]
    ahead = 0 if mode == "checkpoint" else 1
    assert sent == [1, 1, 1, 1 + ahead, 1, 1 + ahead, 1]


@pytest.mark.parametrize("mode", ["reset", "refresh"])
def test_a_reset_shows_the_summary_as_the_first_user_message(store: Store, mode: str) -> None:
    """The newest one, once; the instructions are the system prompt and nothing more."""
    choose_workflow_model(store, "w", mode=mode, every=100)
    _, seen = conversation(store, _two_summaries, lambda _: SAY)
    assert {one.instructions for one in seen} == {SYSTEM}
    for nth, text in ((3, "The first"), (4, "The first"), (5, "The second"), (6, "The second")):
        first, *rest = seen[nth].items
        assert first.kind == "user"
        assert first.text.startswith("<summary trust=web>\nIn place of turns 1-")
        assert text in first.text
        assert not [item for item in rest if "<summary" in item.text]


def test_a_checkpoint_keeps_the_summary_in_the_instructions_until_the_next(store: Store) -> None:
    """With every request, chained or not: no server hands instructions on."""
    choose_workflow_model(store, "w", mode="checkpoint")
    bodies, seen = conversation(store, _two_summaries, lambda _: SAY)
    after = [one.instructions.removeprefix(SYSTEM) for one in seen]
    assert after[:3] == ["", "", ""]
    assert "The first summary" in after[3]
    assert after[3] == after[4]
    assert "The second summary" in after[5]
    assert after[5] == after[6]
    assert [body["instructions"] for body in bodies] == [one.instructions for one in seen]
    assert not [item for one in seen for item in one.items if "<summary" in item.text]


def test_a_refresh_shows_the_state_with_every_third_message(store: Store) -> None:
    """What the tools would tell, behind the history; the other messages are chained as ever."""
    state: list[str] = []

    def brain(seen: Seen) -> Sequence[Emit]:
        said = [item.text for item in seen.items if item.text.startswith("message")]
        asked = any(item.kind == "call" for item in seen.items)
        call = asks("set_variable", variableName="lamp", value="blue", reason="told")
        return [call] if len(said) == 3 and not asked else SAY

    async def goes(made: AgentSession) -> None:
        await talk(made, 1, 3)
        found = [render_section_text(name, await gather_turn_context(made)) for name in STATE]
        state.append("\n\n".join(one.text for one in found if one))
        await talk(made, 4, 6)

    choose_workflow_model(store, "w", mode="refresh", every=3)
    bodies, seen = conversation(store, goes, brain)
    # Messages 1 and 2, two requests for the third, then 4, 5 and 6.
    assert [CHAIN in body for body in bodies] == [False, True, False, False, False, True, False]
    assert [body["store"] for body in bodies] == [True, True, False, False, True, True, False]
    assert ["<plan>" in one.items[-1].text for one in seen] == [
        False,
        False,
        True,
        True,
        False,
        False,
        True,
    ]
    assert "No variables yet." in seen[2].items[-1].text
    assert "- lamp =" in seen[3].items[-1].text
    assert seen[6].items[-1].text == seen[3].items[-1].text == state[0]
    assert not [item for item in seen[4].items if "<plan>" in item.text]


def test_the_mode_is_the_workflows_or_the_deployments_or_the_profiles(store: Store) -> None:
    """The nearest wins; a refresh has its distance; what cannot be is refused when it is chosen."""

    def now(**flags: object) -> tuple[str, int]:
        found = get_chosen_profile(
            store, "w", load_settings({"profile": "clean", **flags}, environ={})
        )
        return found.compression.mode, found.compression.every

    assert now() == (load_profile("clean").compression.mode, 0) == ("reset", 0)
    assert now(summary_mode="refresh") == ("refresh", 10)
    assert now(summary_mode="refresh", refresh_every=4) == ("refresh", 4)
    choose_workflow_model(store, "w", mode="checkpoint")
    assert now(summary_mode="refresh") == ("checkpoint", 0)
    choose_workflow_model(store, "w", mode="refresh", every=7)
    assert now() == ("refresh", 7)
    for wrong in ({"mode": "rest"}, {"mode": "refresh", "every": -1}, {"profile": "cleen"}):
        with pytest.raises(ProfileError):
            choose_workflow_model(store, "w", **wrong)  # type: ignore[arg-type]
    assert now() == ("refresh", 7)
