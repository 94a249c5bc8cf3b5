"""The store as a journal: what the model sees is the projection of the thread, on every turn."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from director.agent import StoreJournal, record_message, record_results
from director.context.values import AgentTurn, Call, Context, Section, Summary
from director.context.wire import emit
from director.models import (
    INTERRUPTED,
    Handle,
    Image,
    Model,
    Policy,
    Reply,
    Result,
    ResumeRecord,
    StateRef,
    Timing,
    ToolCall,
    make_user_turn,
    open_model,
    turn_of,
)
from director.models.script_values import Ask, Say, Seen
from director.store import Store, StoreError, open_store
from director.store.compression import (
    compress_turns,
    preview_turn_compression,
    restore_compressed_turns,
)
from director.store.context_view import list_visible_turns, project_context_view
from director.testing.double import Double, Fault
from models.talk import MODELS, PROFILES, TOOLS, answers, environment, rooms, seen, ten_turns, told

SYSTEM = (Section("system", "You open doors. Be brief."),)
PIXEL = Image(b"\x89PNG\r\n\x1a\n" + b"0" * 20)
RECORD = ResumeRecord(
    StateRef("openai", "account", "resp_1", "digest", 3, 1_800_000_000.0, once=True),
    (ToolCall("call_1", "look", '{"at": "é"}'),),
    Handle("digest", 1.5, "resp_2", 7),
)
REPLY = Reply(
    form="chat",
    model="m",
    id="r",
    items=({"role": "assistant", "content": "Hello."},),
    text="Hello.",
    calls=(),
    status="completed",
    stop="",
    usage=None,
    cost=None,
)


def open_at(double: Double, store: Store, wire: str = "responses") -> Model:
    """A model that talks to the double, does not wait, and keeps its journal in a store."""
    timing = Timing(double.now, double.sleep, lambda: 0.5)
    journal = StoreJournal(store)
    return open_model(MODELS[wire], env=environment(double), timing=timing, journal=journal)


@dataclass(slots=True)
class Kept:
    """A conversation of which nothing is held but the store: each request is projected anew."""

    double: Double
    path: Path
    wire: str = "responses"
    policy: Policy | None = None
    before: Callable[[], None] = lambda: None
    sent: list[Context] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)

    async def say(self, text: str, images: tuple[Image, ...] = ()) -> str:
        """Say something and go on until nothing is called any more."""
        with open_store(self.path) as store:
            record_message(store, "main", text, images)
        while True:
            reply = await self.once()
            if not reply.calls:
                return reply.text

    async def once(self, *, crash: bool = False) -> Reply:
        """One request by a process that begins with it, and may die before its calls are run."""
        self.before()
        with open_store(self.path) as store:
            async with open_at(self.double, store, self.wire) as model:
                context = self.context(store)
                reply = await model.send(context, tools=TOOLS, thread="main", policy=self.policy)
            self.sent.append(context)
            self.replies.append(reply)
            if not crash:
                record_results(store, "main", reply, answers(reply))
        return reply

    @staticmethod
    def context(store: Store) -> Context:
        """What the model is to see."""
        return replace(project_context_view(store.entries("main")), sections=SYSTEM)

    def same(self) -> None:
        """The history that the model saw is the projection, on every turn; nobody complains."""
        shown = [seen(one.seen.items) for one in self.double.generations]
        assert [told(context) for context in self.sent] == shown[-len(self.sent) :]
        assert self.double.defects == []
        assert self.double.verdict() == []

    def chained(self) -> list[bool]:
        """Which of the requests went on from what the server remembers."""
        bodies = [one.asked.body for one in self.double.exchanges if one.asked.method == "POST"]
        return ["previous_response_id" in body for body in bodies]


@pytest.mark.promise("B11")
@pytest.mark.parametrize("wire", sorted(MODELS))
def test_what_the_model_saw_is_the_projection_on_every_turn(wire: str, tmp_path: Path) -> None:
    """Thinking, single and parallel calls, text; each request by a process of its own."""

    async def main() -> None:
        with Double(PROFILES[wire], ten_turns()) as double:
            talk = Kept(double, tmp_path / "s.db", wire)
            for nth in range(5):
                await talk.say(f"Go to room {nth}.")
            talk.same()
            assert len(talk.sent) == 10
            if wire == "responses":
                assert talk.chained() == [False] + [True] * 9
                assert sum(reply.replays for reply in talk.replies) == 0

    asyncio.run(main())


@pytest.mark.parametrize("wire", sorted(MODELS))
def test_a_projected_turn_is_the_turn_of_the_reply(wire: str, tmp_path: Path) -> None:
    """To the message: the store and the memory of a program send the same."""

    async def main() -> None:
        with Double(PROFILES[wire], ten_turns()) as double:
            talk = Kept(double, tmp_path / "s.db", wire)
            for nth in range(3):
                await talk.say(f"Go to room {nth}.")
        with open_store(tmp_path / "s.db") as store:
            kept = project_context_view(store.entries("main"))
            items = [e.body["items"] for e in store.entries("main") if e.kind == "agent"]
        assert items == [list(reply.items) for reply in talk.replies]
        spoken = [turn for turn in kept.turns if isinstance(turn, AgentTurn)]
        made = [
            turn_of(reply, turn.at, answers(reply))
            for reply, turn in zip(talk.replies, spoken, strict=True)
        ]
        form = talk.replies[0].form
        for one, other in zip(spoken, made, strict=True):
            assert emit(Context(turns=(one,)), form) == emit(Context(turns=(other,)), form)
            assert (one.text, one.thinking) == (other.text, other.thinking)
            assert list(map(_gist, one.calls)) == list(map(_gist, other.calls))

    asyncio.run(main())


def _gist(call: Call) -> tuple[object, ...]:
    """What a call is, whatever the order of its arguments."""
    return (call.id, call.tool, json.loads(call.args), call.result, call.failed, call.images)


@pytest.mark.promise("B11")
@pytest.mark.parametrize("seed", range(3))
def test_a_server_that_forgets_at_random_changes_nothing(seed: int, tmp_path: Path) -> None:
    """Each lost id costs one replay of what the store holds."""
    rng = random.Random(seed)

    async def main() -> None:
        with Double("openai", ten_turns()) as double:

            def forget() -> None:
                double.clear_faults()
                if rng.random() < 0.5:
                    double.strike(Fault("forget_ids", "responses.create"))

            talk = Kept(double, tmp_path / "s.db", before=forget)
            for nth in range(5):
                await talk.say(f"Go to room {nth}.")
            talk.same()
            lost = [one for one in double.exchanges if one.rule == "R1"]
            assert lost
            assert sum(reply.replays for reply in talk.replies) == len(lost)

    asyncio.run(main())


@pytest.mark.parametrize("wire", sorted(MODELS))
def test_a_crash_between_the_reply_and_its_results_leaves_interrupted_calls(
    wire: str, tmp_path: Path
) -> None:
    """The reply is there, its calls are closed and not run again, and the id still serves."""

    async def main() -> None:
        def brain(shown: Seen) -> list[Ask | Say]:
            last = shown.items[-1]
            done = last.kind == "result" or last.text == "What happened?"
            return [Say("Seen.")] if done else [Ask("look", '{"place": "room 1"}')]

        with Double(PROFILES[wire], brain) as double:
            talk = Kept(double, tmp_path / "s.db", wire)
            with open_store(talk.path) as store:
                record_message(store, "main", "Look.")
            reply = await talk.once(crash=True)
            with open_store(talk.path) as store:
                assert StoreJournal(store).read("main").pending == reply.calls
            assert await talk.say("What happened?") == "Seen."
            talk.same()
            results = [one for one in double.generations[-1].seen.items if one.kind == "result"]
            assert [one.text for one in results] == [INTERRUPTED]
            if wire == "responses":
                assert double.exchanges[-1].asked.body["previous_response_id"] == reply.id

    asyncio.run(main())


@pytest.mark.parametrize("wire", sorted(MODELS))
def test_a_compressed_thread_goes_on(wire: str, tmp_path: Path) -> None:
    """The summary is sent in place of its turns, whole and once; then the server is used again."""

    async def main() -> None:
        with Double(PROFILES[wire], rooms) as double:
            talk = Kept(double, tmp_path / "s.db", wire)
            await talk.say("Go to room 0.")
            await talk.say("Go to room 1.")
            with open_store(talk.path) as store:
                whole = Kept.context(store)
                look = preview_turn_compression(store, "main")
                made = compress_turns(
                    store, "main", look, Summary("Two rooms, two doors.", look.covers)
                )
            talk.sent.clear()
            await talk.say("Go to room 2.")
            shown = [seen(one.seen.items) for one in double.generations][-2:]
            start = ("user", "Two rooms, two doors.", "")
            assert shown == [[start, *told(context)] for context in talk.sent]
            if wire == "responses":
                assert talk.chained()[-2:] == [False, True]
            with open_store(talk.path) as store:
                restore_compressed_turns(store, "main", made.seq)
                turns = project_context_view(store.entries("main")).turns
                assert turns[: len(whole.turns)] == whole.turns
            talk.sent.clear()
            await talk.say("Go to room 3.")
            talk.same()

    asyncio.run(main())


def test_a_thread_goes_from_one_provider_to_another(tmp_path: Path) -> None:
    """What one said in its own form, the others read in theirs, and the first still knows its own."""

    async def main() -> None:
        path = tmp_path / "s.db"
        for wire in ("responses", "anthropic", "chat", "responses"):
            with Double(PROFILES[wire], rooms) as double:
                talk = Kept(double, path, wire)
                await talk.say(f"Go to the room of {wire}.")
                talk.same()

    asyncio.run(main())


@pytest.mark.parametrize("wire", sorted(MODELS))
def test_images_are_kept_and_travel(wire: str, tmp_path: Path) -> None:
    """What a user showed is in the store, and in the request of any provider."""

    async def main() -> None:
        with Double(PROFILES[wire], [[Say("A door.")]]) as double:
            talk = Kept(double, tmp_path / "s.db", wire)
            assert await talk.say("What is this?", (PIXEL,)) == "A door."
            assert talk.sent[0].turns == (make_user_turn(1, "What is this?", (PIXEL,)),)
            assert sum(item.images for item in double.generations[0].seen.items) == 1
            assert "iVBORw0KGgo" in str(double.exchanges[0].asked.body)
            assert double.defects == []

    asyncio.run(main())


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    """After reopening, and another thread's is not touched; an empty one leaves nothing."""
    with open_store(tmp_path / "s.db") as store:
        journal = StoreJournal(store)
        assert journal.read("a") == ResumeRecord()
        journal.write("a", RECORD)
        journal.write("b", ResumeRecord(pending=RECORD.pending))
        assert store.entries("a") == []
    with open_store(tmp_path / "s.db") as store:
        assert StoreJournal(store).read("a") == RECORD
        assert StoreJournal(store).read("b") == ResumeRecord(pending=RECORD.pending)
        StoreJournal(store).write("a", ResumeRecord())
        assert store.reference("a") is None
        assert StoreJournal(store).read("a") == ResumeRecord()


def test_a_reply_and_its_record_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    """A record that cannot be kept takes the reply with it; the old record stays."""
    unwritable = ResumeRecord(pending=(ToolCall("x", "y", object()),))  # type: ignore[arg-type]
    with open_store(tmp_path / "s.db") as store:
        journal = StoreJournal(store)
        journal.write("a", RECORD)
        with pytest.raises(StoreError, match="JSON"):
            journal.write("a", unwritable, REPLY)
        assert store.entries("a") == []
        assert journal.read("a") == RECORD
        journal.write("a", ResumeRecord(), REPLY)
        assert journal.read("a") == ResumeRecord()
        assert [entry.body["text"] for entry in store.entries("a")] == ["Hello."]


def test_results_are_written_as_they_come(tmp_path: Path) -> None:
    """Some now, some later, failures as such; an id that was not asked for is refused."""
    calls = (ToolCall("1", "look", "{}"), ToolCall("2", "look", "{}"))
    uses: list[Any] = [
        {"id": call.id, "type": "function", "function": {"name": "look", "arguments": "{}"}}
        for call in calls
    ]
    reply = replace(REPLY, calls=calls, items=({"role": "assistant", "tool_calls": uses},), text="")
    with open_store(tmp_path / "s.db") as store:
        StoreJournal(store).write("a", RECORD, reply)
        with pytest.raises(ValueError, match="no call has the id 3"):
            record_results(store, "a", reply, {"1": "one", "3": "three"})
        assert record_results(store, "a", reply, {}) == ()
        record_results(store, "a", reply, {"2": Result("broken", failed=True)})
        record_results(store, "a", reply, {"1": "one"})
        assert list_visible_turns(store.entries("a")) == (1,)
        turn = project_context_view(store.entries("a")).turns[0]
        assert isinstance(turn, AgentTurn)
        found = [(call.id, call.result, call.failed) for call in turn.calls]
        assert found == [("1", "one", False), ("2", "broken", True)]
        assert StoreJournal(store).read("a") == RECORD
