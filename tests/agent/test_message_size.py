"""One oversized message does not kill a conversation: refused with its size, and nothing is paid."""

from __future__ import annotations

import asyncio

import pytest

from agent.office import SAY, desk, opening
from agent.summaries import STATE, begun, echo, writer
from director.agent.agent_session import AgentSession
from director.agent.compression.compression_proposal import CompressionTask
from director.agent.compression.thread_compression import KIND as COMPRESSION
from director.agent.compression.thread_compression import compress_if_due, list_compression_attempts
from director.agent.compression.thresholds import Marks
from director.agent.conversation.current_thread import leave_turn_out_of_thread, record_message
from director.agent.conversation.message_size import MessageTooLarge, measure_message
from director.agent.request_assembly import ContextTooLarge
from director.agent.turn import take_turn
from director.models import Capabilities
from director.models.script_values import Seen
from director.store import Store, StoreError

SMALL = Capabilities(form="responses", window=24_000, max_input=24_000, max_output=1_000)


def sized(store: Store, can: Capabilities, seen: list[Seen] | None = None) -> AgentSession:
    """A desk whose model has this window."""
    made = desk(store, [SAY])
    made.open_model = opening(lambda _: SAY, can=can, seen=seen)
    return made


@pytest.mark.moves_prefix("a large message pushes older ones out")
def test_a_message_that_cannot_be_sent_is_refused_with_its_size_and_what_fits(
    store: Store,
) -> None:
    """Nothing is stored or asked, and the conversation goes on; what is said to fit does fit."""
    seen: list[Seen] = []
    made = sized(store, SMALL, seen)

    async def talk() -> int:
        await take_turn(made, "Hello.")
        with pytest.raises(MessageTooLarge, match="Nothing was stored") as caught:
            await take_turn(made, "word " * 40_000)
        size = await measure_message(made, "word " * 40_000)
        assert f"{size.tokens:,}" in str(caught.value)
        assert f"{size.room:,} fit" in str(caught.value)
        fitting = "word " * (size.room * 9 // 10)
        assert (await measure_message(made, fitting)).fits
        await take_turn(made, fitting)
        await take_turn(made, "And on.")
        return size.room

    room = asyncio.run(talk())
    assert 1_000 < room < SMALL.window
    assert len([one for one in seen if "<conversation>" not in one.items[-1].text]) == 3
    kinds = [one.kind for one in store.entries(made.thread)]
    assert [kind for kind in kinds if kind != "checkpoint"] == ["user", "agent"] * 3


def test_no_summary_is_paid_for_that_cannot_help_and_the_turn_can_be_left_out(
    store: Store,
) -> None:
    """The error names the turn, however often it is tried; without it all goes on."""
    seen: list[Seen] = []
    made = sized(store, SMALL, seen)

    async def talk() -> None:
        await take_turn(made, "Hello.")
        # As another program may have written it, for a larger model.
        record_message(store, made.thread, "word " * 60_000)
        for _ in range(2):
            with pytest.raises(ContextTooLarge, match=r"/drop|No message fits"):
                await take_turn(made, "Go on.")
        assert len(seen) == 1
        assert store.get(COMPRESSION, made.thread) is None
        assert leave_turn_out_of_thread(store, made.thread, 3) == (3,)
        with pytest.raises(StoreError, match="no turn 3"):
            leave_turn_out_of_thread(store, made.thread, 3)
        await take_turn(made, "And now?")

    asyncio.run(talk())
    assert len(seen) == 2
    assert store.entries(made.thread)[2].body["text"].startswith("word")
    assert not any("word word" in item.text for item in seen[-1].items)


def test_the_same_failure_is_not_paid_for_twice(store: Store) -> None:
    """A summary that could not be used is not written again of the same messages."""
    thread = begun(store, 6)
    made = writer(echo)
    marks = Marks(warn=300, at=400, to=200)

    async def tried(turn: int) -> str:
        task = CompressionTask(store, thread, STATE, made, marks, turn=turn)
        return (await compress_if_due(task, 1_000)).status

    async def both() -> list[str]:
        return [await tried(1), await tried(2), await tried(3)]

    assert asyncio.run(both()) == ["failed", "stopped", "stopped"]
    assert len(list_compression_attempts(store, thread)) == 1
