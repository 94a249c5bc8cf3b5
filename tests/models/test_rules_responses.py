"""Each rule of the Responses API: a naive client is refused by it, our layer gets its answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from director import fit_messages, sliding_window
from director.context.units import without_thinking
from director.context.values import Context, UserTurn
from director.models import INTERRUPTED, Policy, turn_of
from director.models.tool_schemas import read_chat_tool
from director.testing.double import Fault
from models.rules_room import ANSWER, accepted, long, ours, refused, said
from models.talk import TOOLS

FORM = "responses"
WHOLE = Policy(chain="never")
JOBS = Policy(background=True)
HI, MORE = said("hi", "go on")
CALL = {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"}
RESULT = {"type": "function_call_output", "call_id": "call_1", "output": "a door"}
LOOSE = {"name": "look", "strict": True, "parameters": {"type": "object", "properties": {}}}
NESTED = {"type": "function", "function": LOOSE}


def result(call: dict[str, Any]) -> dict[str, Any]:
    """The output of a call."""
    return {"type": "function_call_output", "call_id": call["call_id"], "output": "a door"}


def test_r1_a_response_that_the_server_forgot_is_replayed_once() -> None:
    """After thirty days an id is worth nothing; the history is sent whole, once."""
    with refused("R1", FORM) as naive:
        first = naive.ask("hi")
        naive.double.advance(31 * 86_400)
        naive.ask("go on", previous_response_id=first["id"])
    with ours(FORM) as here:
        talk = here.talk("hi")
        here.double.advance(31 * 86_400)
        reply = here.say(talk, "go on")
        assert (reply.text, reply.replays) == (ANSWER, 1)
        assert [attempt.chained for attempt in reply.attempts] == [True, False]


def test_r1_an_id_that_is_lost_amid_a_run_is_replayed_once() -> None:
    """The same when the server loses it earlier than it should."""
    with refused("R1", FORM, Fault("forget_ids")) as naive:
        first = naive.ask("hi")
        naive.ask("go on", previous_response_id=first["id"])
    with ours(FORM, Fault("forget_ids")) as here:
        assert here.say(here.talk("hi"), "go on").replays == 1


def test_r2_one_kind_of_state_is_used() -> None:
    """Our layer chains by responses, and never names a conversation."""
    with refused("R2", FORM) as naive:
        kept = naive.client.conversations.create()
        first = naive.ask("hi")
        naive.ask("go on", conversation=kept.id, previous_response_id=first["id"])
    with ours(FORM) as here:
        here.talk("hi", "go on")
        state = {"conversation", "previous_response_id"}
        assert [body.keys() & state for body in here.bodies] == [set(), {"previous_response_id"}]


def test_r3_a_call_without_an_output_gets_one() -> None:
    """A history with a lost output is repaired, and the reply says so."""
    with refused("R3", FORM) as naive:
        naive.ask([HI, CALL, MORE])
    with ours(FORM) as here:
        reply = here.answers([HI, CALL, MORE])
        assert reply.warnings == ("message 1: A result saying that none was recorded was added.",)


def test_r3_an_interrupted_call_does_not_poison_the_chain() -> None:
    """What the user says instead of waiting for a tool comes after an output that says so."""
    with refused("R3", FORM) as naive:
        first = naive.ask("call twice")
        naive.ask("never mind", previous_response_id=first["id"])
    with ours(FORM) as here:
        first_said, then_said = UserTurn(0, "call twice"), UserTurn(2, "never mind")
        reply = here.send(Context((), (first_said,)))
        turns = (first_said, turn_of(reply, 1), then_said)
        assert here.answers(Context((), turns)).attempts[0].chained
        assert here.shown("result") == [INTERRUPTED] * 2


def test_r4_an_output_without_its_call_is_left_out() -> None:
    """A history that was cut through a pair is repaired, and the reply says so."""
    with refused("R4", FORM) as naive:
        naive.ask([RESULT, HI])
    with ours(FORM) as here:
        assert here.answers([RESULT, HI]).warnings == (
            "message 0: The result without a call was dropped.",
        )


def test_r5_an_item_is_sent_once() -> None:
    """What was kept twice by mistake is sent once."""
    with refused("R5", FORM) as naive:
        (item,) = naive.ask("hi")["output"]
        naive.ask([HI, item, item, MORE])
    with ours(FORM, policy=WHOLE) as here:
        (item,) = here.answers([HI]).items
        assert here.answers([HI, item, item, MORE]).warnings == (
            "message 2: The repeated item was dropped.",
        )


@pytest.mark.parametrize("name", ["run-17", "msg_" + "0" * 80])
def test_r5_the_ids_of_other_frameworks_are_left_out(name: str) -> None:
    """An id that this API would not have given is none for it."""
    items = [{"type": "message", **said("hi")[0], "id": name}]
    with refused("R5", FORM) as naive:
        naive.ask(items)
    with ours(FORM) as here:
        here.answers(items)


def test_r6_an_item_goes_without_its_id_where_its_reasoning_is_gone() -> None:
    """Reasoning is removed from a history, and what it led to stays."""
    with refused("R6", FORM) as naive:
        thought, call = naive.ask("think and call", tools=[])["output"]
        assert thought["type"] == "reasoning"
        naive.ask([HI, call, result(call)])
    with ours(FORM) as here:
        talk = here.talk("think and call")
        bare = replace(talk.context, turns=tuple(without_thinking(talk.context.turns[:2])))
        here.answers(bare)
        assert here.kinds() == ["user", "call", "result"]


def test_r6_a_history_that_was_cut_keeps_reasoning_and_items_together() -> None:
    """A window over messages never leaves one half behind."""
    with refused("R6", FORM) as naive:
        thought, call = naive.ask("think and call")["output"]
        naive.ask([HI, thought, call, result(call)][-2:])
    with ours(FORM, policy=WHOLE) as here:
        items: list[object] = []
        for words in ("think and call", "think", "think and call", "think"):
            items += said(words)
            while (reply := here.send(items)).calls:
                items += [*reply.items, *({**RESULT, "call_id": one.id} for one in reply.calls)]
            items += reply.items
        for size in range(2, 8):
            cut = fit_messages([*items, HI], budget=10**6, strategy=sliding_window(size))
            assert here.answers(cut.messages).warnings == ()


def test_r6_reasoning_that_somebody_else_removed_is_recovered() -> None:
    """Nobody can see that it is missing; after the one refusal the ids are left out."""
    with ours(FORM, policy=WHOLE, defects=["R6"]) as here:
        reply = here.send(said("think and call"))
        _, call = reply.items
        again = here.answers([HI, call, {**RESULT, "call_id": call["call_id"]}])
        assert [attempt.outcome for attempt in again.attempts] == ["thinking_lost", "ok"]


def test_r7_what_was_not_stored_is_sent_whole() -> None:
    """Without a store nothing is referred to by its id alone."""
    with refused("R7", FORM) as naive:
        thought, call = naive.ask("think and call", store=False)["output"]
        bare = {**thought, "encrypted_content": None}
        naive.ask([HI, bare, call, result(call)], store=False)
    with ours(FORM, policy=WHOLE) as here:
        here.talk("think and call", "think")
        assert all(body["store"] is False for body in here.bodies)
        assert here.shown("thinking") == ["I should think."]


def test_r8_sealed_reasoning_comes_back_as_it_was() -> None:
    """A naive client shortens what it does not understand; ours does not touch it."""
    with refused("R8", FORM) as naive:
        thought, call = naive.ask("think and call", store=False)["output"]
        cut = {**thought, "encrypted_content": thought["encrypted_content"][:40]}
        naive.ask([HI, cut, call, result(call)], store=False)
    with ours(FORM, policy=WHOLE) as here:
        here.talk("think and call")
        assert here.shown("thinking") == ["I should think."]


def test_r8_reasoning_that_is_not_ours_is_left_out_after_one_refusal() -> None:
    """A foreign seal cannot be told from a good one before it is tried."""
    with ours(FORM, policy=WHOLE, defects=["R8"]) as here:
        thought, call = here.send(said("think and call")).items
        foreign = {**thought, "encrypted_content": "Zm9yZWlnbg=="}
        again = here.answers([HI, foreign, call, {**RESULT, "call_id": call["call_id"]}])
        assert again.warnings == ("the provider refused its earlier reasoning; sent without it.",)


@pytest.mark.parametrize("tool", [NESTED, {"type": "function", **LOOSE}])
def test_r9_a_tool_of_chat_is_sent_flat_and_as_strict_as_it_is(tool: dict[str, Any]) -> None:
    """Neither nested, nor said to be strict while its schema is not."""
    with refused("R9", FORM) as naive:
        naive.ask("hi", tools=[tool])
    with ours(FORM) as here:
        here.answers(said("hi"), tools=[read_chat_tool(NESTED)])
        assert here.double.generations[0].seen.tools == ("look",)


def test_r9_two_tools_of_one_name_are_refused_before_they_are_sent() -> None:
    """Nobody could tell which one a call means."""
    flat = {"type": "function", "name": "look", "parameters": {"type": "object"}}
    with refused("R9", FORM) as naive:
        naive.ask("hi", tools=[flat, flat])
    with ours(FORM) as here:
        here.raises("invalid", "two tools are named 'look'", said("hi"), tools=TOOLS * 2)
        assert here.double.exchanges == []


def test_r10_a_choice_of_no_tool_is_refused_before_it_is_sent() -> None:
    """The error names the tools that there are."""
    with refused("R10", FORM) as naive:
        naive.ask("hi", tool_choice={"type": "function", "name": "leap"})
    with ours(FORM) as here:
        words = "'leap', which is not offered; the tools are: look, open_door"
        here.raises("invalid", words, said("hi"), Policy(tool_choice="leap"))
        assert here.double.exchanges == []
        assert here.send(said("call"), Policy(tool_choice="look")).calls


@pytest.mark.parametrize(
    ("wrong", "policy"),
    [
        ({"max_output_tokens": 1}, Policy(max_output=1)),
        (
            {"context_management": [{"type": "compaction", "compact_threshold": 10}]},
            Policy(compact_at=10),
        ),
    ],
)
def test_r11_a_policy_is_kept_within_bounds(wrong: dict[str, Any], policy: Policy) -> None:
    """What is too little for the API is raised to the least it takes."""
    with refused("R11", FORM) as naive:
        naive.ask("hi", **wrong)
    with ours(FORM) as here:
        assert here.send(said("hi"), policy).items


def test_r11_long_call_ids_are_shortened_together() -> None:
    """Other frameworks make ids that this API does not take."""
    long = [{**one, "call_id": "c" * 100} for one in (CALL, RESULT)]
    with refused("R11", FORM) as naive:
        naive.ask([HI, *long, MORE])
    with ours(FORM) as here:
        here.answers([HI, *long, MORE])


@pytest.mark.parametrize(
    ("model", "wrong", "policy"),
    [
        ("gpt-6.1-terra", {"temperature": 0.2}, Policy(effort="low")),
        ("gpt-4.1", {"reasoning": {"effort": "low"}}, Policy(effort="low")),
    ],
)
def test_r12_a_model_is_told_only_what_it_takes(
    model: str, wrong: dict[str, Any], policy: Policy
) -> None:
    """No sampling for models that reason, no effort for those that do not."""
    with refused("R12", FORM) as naive:
        naive.ask("hi", model=model, **wrong)
    with ours(FORM, policy=policy, name=f"openai:{model}") as here:
        here.talk("think and call", "hi")


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ([{"role": "user", "content": "hi", "name": "Ann"}], {}),
        (said("hi"), {"messages": []}),
    ],
)
def test_r13_only_known_fields_are_sent(given: list[object], wrong: dict[str, Any]) -> None:
    """What another API knows is left out."""
    with refused("R13", FORM) as naive:
        naive.ask(given, **wrong)
    with ours(FORM) as here:
        here.answers(given)


def test_r14_a_compaction_is_gone_on_from_by_its_items() -> None:
    """Its id is never used as that of a response."""
    with refused("R14", FORM) as naive:
        made = naive.post("/responses/compact", {"model": "gpt-6.1-terra", "input": [HI]})
        naive.ask("go on", previous_response_id=made["id"])
    with ours(FORM) as here:
        talk = here.talk("think and call", "hi")
        talk.context = here.runner.run(here.model.compact(talk.context))
        assert here.say(talk, "go on").replays == 0
        assert here.kinds() == ["user", "user", "compaction", "user"]
        assert "previous_response_id" not in here.bodies[-1]


def test_r15_a_trigger_amid_the_history_is_refused_before_it_is_sent() -> None:
    """At the end it is what it should be."""
    trigger = {"type": "compaction_trigger"}
    with refused("R15", FORM) as naive:
        naive.ask([trigger, HI])
    with ours(FORM) as here:
        here.raises("invalid", "compaction_trigger is not last", [trigger, HI])
        assert here.double.exchanges == []
        assert [item["type"] for item in here.send([HI, trigger]).items] == ["compaction"]


def test_r16_what_is_busy_is_asked_again_later() -> None:
    """A conversation that another request works on is no final refusal."""
    with refused("R16", FORM) as naive:
        kept = naive.client.conversations.create()
        naive.ask("hi", conversation=kept.id, background=True)
        naive.ask("go on", conversation=kept.id)
    with ours(FORM, Fault("locked")) as here:
        reply = here.answers(said("hi"))
        assert [attempt.outcome for attempt in reply.attempts] == ["locked", "ok"]
        assert reply.attempts[0].waited > 0


def test_r17_polls_ask_for_nothing_that_is_not_there() -> None:
    """Sealed content comes with the creation alone."""
    with refused("R17", FORM) as naive:
        first = naive.ask("think")
        naive.client.responses.retrieve(first["id"], include=["reasoning.encrypted_content"])
    with ours(FORM, policy=JOBS) as here:
        here.talk("think and call", "think")
        polls = [one.asked for one in here.double.exchanges if one.asked.method == "GET"]
        assert polls
        assert not any(asked.query for asked in polls)


def test_r18_a_job_that_has_ended_is_not_cancelled() -> None:
    """There is nothing to cancel once its answer was read."""
    with refused("R18", FORM) as naive:
        job = naive.ask("hi", background=True)
        naive.double.advance(5)
        naive.client.responses.retrieve(job["id"])
        naive.client.responses.cancel(job["id"])
    with ours(FORM, policy=JOBS) as here:
        here.talk("hi")
        before = len(here.double.exchanges)
        assert here.runner.run(here.model.cancel()) is False
        assert len(here.double.exchanges) == before


@pytest.mark.parametrize(("seconds", "open_"), [(1, True), (10, False)])
def test_r18_a_job_left_by_a_crash_is_cancelled_or_found_to_have_ended(
    seconds: int, *, open_: bool
) -> None:
    """One that had ended before keeps its answer."""
    with ours(FORM, policy=JOBS, crashes=1) as here:
        with pytest.raises(InterruptedError):
            here.send(said("hi"))
        here.double.advance(seconds)
        assert here.runner.run(here.model.cancel()) is open_
        here.answers(said("hi"))
        assert len(here.bodies) == (2 if open_ else 1)


def test_r19_the_chain_of_a_job_holds_after_its_ten_minutes() -> None:
    """Because it was stored on purpose."""
    with refused("R19", FORM) as naive:
        job = naive.ask("hi", background=True)
        naive.double.advance(700)
        naive.client.responses.retrieve(job["id"])
    with ours(FORM, policy=JOBS) as here:
        talk = here.talk("hi")
        here.double.advance(700)
        reply = here.say(talk, "go on")
        assert [(one.chained, one.outcome) for one in reply.attempts] == [(True, "ok")]


def test_r20_a_history_over_the_window_is_an_error_that_says_what_to_do() -> None:
    """It is asked once; fitted into the window it gets its answer."""
    with refused("R20", FORM) as naive:
        naive.ask(long(31), model="gpt-4o")
    with ours(FORM, name="openai:gpt-4o", defects=["R20"]) as here:
        here.raises("window", "fit it into a smaller budget", long(31))
        assert len(here.double.exchanges) == 1
    with ours(FORM, name="openai:gpt-4o") as here:
        here.answers(fit_messages(long(31), budget=here.model.capabilities.max_input).messages)


def test_r21_instructions_and_tools_are_sent_with_every_turn() -> None:
    """A naive client forgets them: nothing refuses that, and the verdict finds it."""
    rules = {"instructions": "Be brief.", "tools": [{"type": "function", "name": "look"}]}
    with accepted(FORM) as naive:
        first = naive.ask("hi", **rules)
        naive.ask("go on", previous_response_id=first["id"])
        assert naive.double.generations[-1].seen.instructions == ""
        kinds = [finding.kind for finding in naive.double.verdict()]
        assert kinds == ["instructions_forgotten", "tools_forgotten"]
    with ours(FORM) as here:
        here.talk("think and call", "hi", "call twice")
        assert ["previous_response_id" in body for body in here.bodies] == [False, *[True] * 4]
        for made in here.double.generations:
            assert made.seen.instructions == "You open doors. Be brief."
            assert made.seen.tools == ("look", "open_door")
