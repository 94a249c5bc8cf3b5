"""What a server remembers is a shortcut: whatever it forgets, the model sees the whole history."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path

import pytest

from director.context.values import Context, Section, UserTurn
from director.models import (
    INTERRUPTED,
    FileJournal,
    Model,
    ModelError,
    Policy,
    Timing,
    open_model,
    turn_of,
)
from director.models.capabilities import read_capabilities
from director.models.script_values import Ask, Say, Seen
from director.testing.double import Double, Fault
from models.talk import KEY, MODELS, TOOLS, Talk, environment, rooms, seen, ten_turns, told

JOBS = Policy(background=True)


def open_at(double: Double, name: str = MODELS["responses"], **more: object) -> Model:
    """A model that talks to the double and does not wait."""
    timing = Timing(double.now, double.sleep, lambda: 0.5)
    return open_model(name, env=environment(double), timing=timing, **more)  # type: ignore[arg-type]


async def until_asked(double: Double, times: int) -> None:
    """Wait until the double has been asked so many times."""
    while len(double.exchanges) < times:  # noqa: ASYNC110  it lives in another thread
        await asyncio.sleep(0.02)


def same(double: Double, talk: Talk) -> None:
    """The history that the model saw is the one that was given, on every turn."""
    shown = [seen(one.seen.items) for one in double.generations]
    assert [told(context) for context in talk.sent] == shown[-len(talk.sent) :]


@pytest.mark.promise("B11")
@pytest.mark.parametrize("seed", range(5))
def test_a_server_that_forgets_at_random_changes_nothing(seed: int) -> None:
    """Each lost id costs one replay, which is counted, and the model sees the same history."""
    rng = random.Random(seed)

    async def main() -> None:
        with Double("openai", ten_turns()) as double:

            def forget() -> None:
                double.clear_faults()
                if rng.random() < 0.5:
                    double.strike(Fault("forget_ids", "responses.create"))

            async with open_at(double) as model:
                talk = Talk(model, before=forget)
                for nth in range(5):
                    await talk.say(f"Go to room {nth}.")
            same(double, talk)
            assert double.defects == []
            assert double.verdict() == []
            lost = [one for one in double.exchanges if one.rule == "R1"]
            assert lost
            assert sum(reply.replays for reply in talk.replies) == len(lost)

    asyncio.run(main())


@pytest.mark.promise("B11")
@pytest.mark.parametrize("profile", ["ollama", "openai-zdr", "vllm", "llamacpp"])
def test_a_server_that_will_not_remember_is_asked_once(profile: str) -> None:
    """Ignored, refused or not found: the history is sent whole from then on."""

    async def main() -> None:
        with Double(profile, rooms) as double:
            # The capabilities say that it remembers, which is a lie.
            async with open_at(double) as model:
                talk = Talk(model)
                for nth in range(5):
                    await talk.say(f"Go to room {nth}.")
            shown = [seen(one.seen.items) for one in double.generations]
            assert all(told(context) in shown for context in talk.sent)
            assert sum(reply.replays for reply in talk.replies) == 1
            assert double.defects == []

    asyncio.run(main())


@pytest.mark.promise("B11")
def test_a_history_that_was_rewritten_is_sent_whole() -> None:
    """The digest of what the server knows no longer matches, so its id is not used."""

    async def main() -> None:
        with Double("openai", ten_turns()) as double:
            async with open_at(double) as model:
                talk = Talk(model)
                await talk.say("Go to room 0.")
                talk.context = Context(talk.context.sections, (UserTurn(0, "We are in room 0."),))
                await talk.say("Go to room 1.")
            same(double, talk)
            assert "previous_response_id" not in double.exchanges[2].asked.body
            assert "previous_response_id" in double.exchanges[3].asked.body

    asyncio.run(main())


def test_a_chained_turn_sends_only_what_is_new() -> None:
    """And instructions and tools again, which no server carries over."""

    async def main() -> None:
        with Double("openai", ten_turns()) as double:
            async with open_at(double) as model:
                talk = Talk(model)
                await talk.say("Go to room 0.")
                await talk.say("Go to room 1.")
            bodies = [exchange.asked.body for exchange in double.exchanges]
            assert [len(body["input"]) for body in bodies] == [1, 1, 1, 2]  # type: ignore[arg-type]
            assert all(body["instructions"] and body["tools"] for body in bodies)
            same(double, talk)

    asyncio.run(main())


@pytest.mark.parametrize("streaming", [False, True])
def test_a_restart_amid_a_background_job_picks_it_up(tmp_path: Path, *, streaming: bool) -> None:
    """The handle is in the journal before the first poll, so nothing is posted twice."""

    async def main() -> None:
        context = Context((Section("system", "Be brief."),), (UserTurn(0, "Begin."),))
        with Double("openai", [[Say("Done.")]]) as double:
            journal = FileJournal(tmp_path / "journal.json")
            fault = Fault("stall_before", "responses.get", nth=0, times=9)
            double.strike(fault)
            async with open_at(double, journal=journal, policy=JOBS) as model:
                sending = asyncio.create_task(model.send(context, tools=TOOLS))
                await until_asked(double, 2)
                sending.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await sending
                assert model.waiting() is not None
            double.clear_faults()
            again = FileJournal(tmp_path / "journal.json")
            async with open_at(double, journal=again, policy=JOBS) as model:
                talk = Talk(model, context=context, streaming=streaming)
                assert await talk.go_on() == "Done."
                assert model.waiting() is None
            posts = [one for one in double.exchanges if one.asked.method == "POST"]
            assert len(posts) == 1
            assert posts[0].asked.body["store"] is True
            same(double, talk)
            assert double.defects == []

    asyncio.run(main())


def test_a_job_whose_post_was_never_answered_is_not_posted_again(tmp_path: Path) -> None:
    """Not even after a restart; `forget` is the way to say that it should be."""

    async def main() -> None:
        context = Context((), (UserTurn(0, "Begin."),))
        with Double("openai", [[Say("Done.")]]) as double:
            double.strike(Fault("reset_after_work", "responses.create"))
            path = tmp_path / "journal.json"
            for _ in range(2):
                async with open_at(double, journal=FileJournal(path), policy=JOBS) as model:
                    with pytest.raises(ModelError, match="may have been") as raised:
                        await model.send(context)
                    assert raised.value.kind == "ambiguous"
            assert len(double.exchanges) == 1
            async with open_at(double, journal=FileJournal(path), policy=JOBS) as model:
                model.forget()
                assert (await model.send(context)).text == "Done."

    asyncio.run(main())


def test_a_job_can_be_cancelled_and_one_that_ended_cannot() -> None:
    """Cancelling tells whether there was anything left to cancel."""

    async def main() -> None:
        context = Context((), (UserTurn(0, "Begin."),))
        with Double("openai", [[Say("Done.")], [Say("Done again.")]]) as double:
            async with open_at(double, policy=JOBS) as model:
                assert not await model.cancel()
                for races in (False, True):
                    await start(model, double, context)
                    if races:
                        double.strike(Fault("cancel_race", "responses.cancel"))
                    assert await model.cancel() is not races
                assert (await model.send(context)).text
            assert double.verdict() == []

    async def start(model: Model, double: Double, context: Context) -> None:
        double.strike(Fault("stall_before", "responses.get", nth=0, times=1))
        before = len(double.exchanges)
        sending = asyncio.create_task(model.send(context))
        await until_asked(double, before + 2)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        double.clear_faults()

    asyncio.run(main())


def test_pending_calls_are_journalled_with_the_id_that_waits_for_them(tmp_path: Path) -> None:
    """After a crash between the reply and its results, both are known, in one record."""

    async def main() -> None:
        path = tmp_path / "journal.json"
        asked = Ask("look", json.dumps({"place": "room 1"}))

        def brain(shown: Seen) -> list[Ask | Say]:
            return [Say("Seen.")] if shown.items[-1].kind == "result" else [asked]

        with Double("openai", brain) as double:
            context = Context((), (UserTurn(0, "Look."),))
            async with open_at(double, journal=FileJournal(path)) as model:
                reply = await model.send(context, tools=TOOLS)
            record = FileJournal(path).read("main")
            assert record.state is not None
            assert record.state.id == reply.id
            assert record.pending == reply.calls
            # What was not run to its end is answered all the same, and says so.
            turn = turn_of(reply, 1)
            assert turn.calls[0].result == INTERRUPTED
            assert turn.calls[0].failed
            async with open_at(double, journal=FileJournal(path)) as model:
                again = Context((), (*context.turns, turn))
                assert (await model.send(again, tools=TOOLS)).text == "Seen."
            assert double.generations[-1].seen.items[-1].text == INTERRUPTED
            assert double.exchanges[-1].asked.body["previous_response_id"] == reply.id
            assert double.defects == []

    asyncio.run(main())


def test_a_journal_of_another_account_is_not_used() -> None:
    """An id belongs to the account that made it."""

    async def main() -> None:
        with Double("openai", ten_turns()) as double:
            async with open_at(double) as model:
                talk = Talk(model)
                await talk.say("Go to room 0.")
            other = {**environment(double), "OPENAI_API_KEY": f"{KEY}-too"}
            timing = Timing(double.now, double.sleep)
            async with open_model(
                MODELS["responses"], env=other, timing=timing, journal=model.journal
            ) as stranger:
                talk.model = stranger
                await talk.say("Go to room 1.")
            assert "previous_response_id" not in double.exchanges[2].asked.body

    asyncio.run(main())


def test_a_server_of_ones_own_is_asked_what_it_can() -> None:
    """A server that ignores ids is found out before the first turn, by a harmless question."""

    async def main() -> None:
        def brain(shown: Seen) -> list[Say]:
            return [Say(f"I see {len(shown.items)} things.")]

        for profile, chain in (("ollama", "none"), ("openai", "durable")):
            with Double(profile, brain) as double:
                name = f"responses:{double.openai_url}#gpt-6.1-terra"
                env = {"RESPONSES_API_KEY": KEY}
                async with open_model(name, env=env) as model:
                    reply = await model.send([{"role": "user", "content": "Hello."}])
                    assert reply.text == "I see 1 things."
                    assert model.capabilities.chain == chain

    asyncio.run(main())
    assert read_capabilities("responses", "anything").chain == "none"


def test_a_job_for_a_history_that_changed_is_cancelled() -> None:
    """Nobody waits for it, so it must not run on and be paid for."""

    async def main() -> None:
        with Double("openai", [[Say("Old.")], [Say("New.")]]) as double:
            async with open_at(double, policy=JOBS) as model:
                double.strike(Fault("stall_before", "responses.get", nth=0, times=1))
                sending = asyncio.create_task(model.send(["An old question."]))
                await until_asked(double, 2)
                sending.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await sending
                double.clear_faults()
                reply = await model.send(["A new question."])
            assert reply.text == "New."
            assert any("was cancelled" in warning for warning in reply.warnings)
            assert [one.asked.endpoint for one in double.exchanges].count("responses.cancel") == 1
            assert double.verdict() == []

    asyncio.run(main())
