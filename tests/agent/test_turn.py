"""A turn: what is stored when, several calls in one answer, questions, limits, one at a time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from agent.office import SAY, asks, desk, opening, results
from agent.prefixes import moved
from director.agent.conversation.current_thread import ensure_current_thread, start_current_thread
from director.agent.model_choice import choose_workflow_model
from director.agent.request_assembly import ContextTooLarge
from director.agent.request_log.kept_requests import RequestRecord
from director.agent.turn import retry_turn, take_turn
from director.agent.turn_events import TurnProgress
from director.agent.turn_lease import TurnRunning, find_last_turn, is_turn_running
from director.context.values import Section
from director.context.wire.parse_events import INTERRUPTED
from director.models import Capabilities, ModelError, Timing
from director.models.script_engines.tape import Tape
from director.models.script_values import Emit, Fail, Say, Seen, Stop, Wait
from director.profiles import Profile, load_profile
from director.sections.boundary import NAMES
from director.store import Store
from director.store.context_view import list_visible_turns, project_context_view
from director.store.run_variables import get_draft_run_id, read_run_variables
from director.workflow.description import parse_description


def kinds(store: Store) -> list[str]:
    """The kinds of the entries of the current thread."""
    return [entry.kind for entry in store.entries(ensure_current_thread(store, "w"))]


def texts(store: Store) -> list[str]:
    """The texts of the entries of the current thread."""
    entries = store.entries(ensure_current_thread(store, "w"))
    return [str(entry.body.get("text", "")) for entry in entries]


def test_what_the_user_says_is_stored_before_a_model_is_asked(store: Store) -> None:
    """A model that fails cannot lose the message."""
    made = desk(store, [[Fail("insufficient_quota", "No.")]])
    with pytest.raises(ModelError):
        asyncio.run(take_turn(made, "Hello"))
    assert texts(store) == ["Hello"]
    assert find_last_turn(store, made.thread)["state"] == "failed"
    assert not is_turn_running(store, made.thread)


def test_several_calls_run_in_order_and_each_is_answered(store: Store) -> None:
    """The results stand in the order of the calls, the failed one among them."""
    steps: list[Sequence[Emit]] = [
        [
            asks("set_variable", variableName="a", value=1, reason="r"),
            asks("clear_variable", variableName="nothing", reason="r"),
            asks("set_variable", variableName="b", value=[1, 2], reason="r"),
            asks("get_workflow_variables"),
        ],
        SAY,
    ]
    shown: list[Seen] = []
    asyncio.run(take_turn(desk(store, steps, seen=shown), "Try."))
    assert kinds(store) == ["user", "agent", *["result"] * 4, "agent"]
    first, second, third, fourth = results(shown[-1])
    assert first == "a = 1"
    assert "no variable 'nothing'" in second
    assert third.startswith("b = ")
    assert fourth == "<variables trust=web>\n- a = 1\n- b = [Array of 2 - first: 1]\n</variables>"


def test_mistakes_of_a_model_come_back_as_words(store: Store) -> None:
    """Unknown tools, broken arguments, bad plans: a result to act on, and the turn goes on."""
    steps: list[Sequence[Emit]] = [
        [
            asks("get_plan"),
            asks("set_variable", name="a"),
            asks("update_plan", plan={"overall_goal": "x"}, reason="r"),
            asks("create_node", type="browser_action", alias="a", config={"action": "klick"}),
            asks("set_variable", variableName="password", value="hunter2", reason="r"),
        ],
        SAY,
    ]
    shown: list[Seen] = []
    turn = asyncio.run(take_turn(desk(store, steps, seen=shown), "Try."))
    assert turn.ended == "said"
    unknown, wrong, plan, node, secret = results(shown[-1])
    assert "no tool 'get_plan'" in unknown
    assert "variableName" in wrong
    assert "current_phase" in plan
    assert "click" in node
    assert "vault" in secret
    assert read_run_variables(store, get_draft_run_id("w")) == {}


def test_an_answer_to_a_question_is_the_result_of_its_call(store: Store) -> None:
    """The turn ends with the question; what follows it in the answer is not run."""
    steps: list[Sequence[Emit]] = [
        [
            asks("ask_user", "call_q", question="Which shop?", choices=["A", "B"]),
            asks("set_variable", variableName="a", value=1, reason="r"),
        ],
        SAY,
    ]
    shown: list[Seen] = []
    made = desk(store, steps, seen=shown)
    asked = asyncio.run(take_turn(made, "Order a pen."))
    assert asked.ended == "asked"
    assert asked.text == "Which shop?\n- A\n- B"
    turn = asyncio.run(take_turn(made, "B, please."))
    assert turn.ended == "said"
    assert kinds(store) == ["user", "agent", "result", "result", "agent"]
    answers = {item.call: item.text for item in shown[-1].items if item.kind == "result"}
    assert answers["call_q"] == "B, please."
    assert read_run_variables(store, get_draft_run_id("w")) == {}


def limited(**limits: float) -> Profile:
    """The profile structured with other limits."""
    usual = load_profile("structured")
    return replace(usual, limits=replace(usual.limits, **limits))


@pytest.mark.promise("E6")
@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"rounds": 3}, "3 model calls"),
        ({"tokens": 20_000}, "20,000 tokens"),
        ({"money": 0.0}, "$0.00"),
    ],
)
def test_a_looping_model_stops_at_each_limit(
    store: Store, limits: dict[str, float], told: str
) -> None:
    """A clear entry ends the turn, and the next turn goes on from it."""
    made = desk(store, lambda _: [asks("get_current_plan")])
    turn = asyncio.run(take_turn(made, "Go.", profile=limited(**limits)))
    assert turn.ended == next(iter(limits))
    assert told in turn.text
    assert turn.spent.rounds <= 10
    assert texts(store)[-1] == turn.text
    assert kinds(store)[-1] == "agent"
    made.open_model = opening(lambda _: SAY)
    made._models.clear()
    assert asyncio.run(take_turn(made, "And now?")).text == "Done."


@pytest.mark.promise("E6")
def test_a_turn_that_takes_too_long_stops(store: Store) -> None:
    """Also in the middle of an answer that does not come."""
    slow = desk(store, [[Wait(30), Say("late")]])
    turn = asyncio.run(take_turn(slow, "Go.", profile=limited(seconds=0.2)))
    assert turn.ended == "time"
    assert kinds(store) == ["user", "agent"]


def test_what_cannot_fit_is_refused_before_it_is_sent(store: Store) -> None:
    """Nothing is stored, and the model is never asked."""
    shown: list[Seen] = []
    small = Capabilities(form="responses", window=6_000, max_input=5_000, max_output=500)
    made = desk(store, [SAY])
    made.open_model = opening(lambda _: SAY, can=small, seen=shown)
    with pytest.raises(ContextTooLarge, match="Nothing was stored"):
        asyncio.run(take_turn(made, "word " * 5_000))
    assert shown == []
    assert kinds(store) == []


def test_a_second_turn_of_a_thread_is_refused(store: Store) -> None:
    """Nothing of it is stored; the first goes on."""
    other = desk(store, [SAY])

    async def both() -> str:
        begun, refused = asyncio.Event(), asyncio.Event()

        async def wait(_seconds: float) -> None:
            begun.set()
            await refused.wait()

        brain = Tape([[Wait(1), Say("first")]])
        made = desk(store, brain, open_model=opening(brain, timing=Timing(sleep=wait)))
        first = asyncio.create_task(take_turn(made, "one"))
        await begun.wait()
        with pytest.raises(TurnRunning, match="Nothing was stored"):
            await take_turn(other, "two")
        refused.set()
        return (await first).text

    assert asyncio.run(both()) == "first"
    assert texts(store) == ["one", "first"]


@pytest.mark.moves_prefix("what is taken back leaves the history")
def test_a_turn_can_be_taken_again_and_a_conversation_begun_anew(store: Store) -> None:
    """What was said before stays in the log, out of view."""
    made = desk(store, [[Say("one")], [Say("two")], [Say("three")]])
    asyncio.run(take_turn(made, "Say a number."))
    assert asyncio.run(retry_turn(made, "Say another.")).text == "two"
    thread = ensure_current_thread(store, "w")
    assert list_visible_turns(store.entries(thread)) == (4, 5)
    assert texts(store) == ["Say a number.", "one", "", "Say another.", "two"]
    assert start_current_thread(store, "w") != thread
    assert asyncio.run(take_turn(made, "Another.")).text == "three"
    assert texts(store) == ["Another.", "three"]


@pytest.mark.moves_prefix("what was cut off leaves the history")
@pytest.mark.parametrize(
    "broken",
    [[Fail("insufficient_quota", "No.")], [Say("I will"), Stop()]],
    ids=["failed", "cut"],
)
def test_a_turn_that_broke_off_goes_on_after_the_calls_that_were_answered(
    store: Store, broken: list[Emit]
) -> None:
    """They are not made again; with another text the turn is taken back as a whole."""
    calls = [asks("set_variable", variableName="a", value=1, reason="r")]
    shown: list[Seen] = []
    # What was not answered is asked again as it was: by its words a script would answer the same.
    steps: Iterator[list[Emit]] = iter([calls, broken, [*SAY], [Say("other")]])
    made = desk(store, lambda _: next(steps), seen=shown)
    if isinstance(broken[0], Fail):
        with pytest.raises(ModelError):
            asyncio.run(take_turn(made, "Try."))
    else:
        assert asyncio.run(take_turn(made, "Try.")).ended == "cut"
    assert asyncio.run(retry_turn(made)).text == "Done."
    said = [(item.kind, item.text) for item in shown[-1].items]
    assert [text for kind, text in said if kind == "user"] == ["Try."]
    assert [text for kind, text in said if kind == "result"] == ["a = 1"]
    assert not any("I will" in text for _, text in said)
    assert asyncio.run(retry_turn(made, "Another.")).text == "other"
    assert [item.text for item in shown[-1].items] == ["Another."]


def test_profile_and_model_can_change_with_every_message(store: Store) -> None:
    """The deployment's, the workflow's, the message's: the nearest wins."""
    shown: list[Seen] = []
    made = desk(store, lambda _: SAY, seen=shown, profile="clean")
    asyncio.run(take_turn(made, "one"))
    choose_workflow_model(store, "w", profile="structured")
    asyncio.run(take_turn(made, "two"))
    asyncio.run(take_turn(made, "three", profile="structured_cached", model="scripted:other"))
    assert ["<plan>" in each.instructions for each in shown] == [False, True, False]
    assert "<plan>" in shown[2].items[-1].text
    assert [each.model for each in shown] == ["scripted:test", "scripted:test", "scripted:other"]
    said = [item.text for item in shown[2].items[:-1]]
    assert said == ["one", "Done.", "two", "Done.", "three"]


@pytest.mark.promise("B5")
@pytest.mark.parametrize("profile", ["structured", "structured_cached"])
def test_nothing_that_is_injected_is_ever_recorded(store: Store, profile: str) -> None:
    """After many turns the log holds no section, and its size does not depend on theirs."""
    made = desk(store, lambda _: SAY, profile=profile)
    for nth in range(8):
        asyncio.run(take_turn(made, f"message {nth}"))
    entries = store.entries(made.thread)
    assert len(entries) == 16
    whole = repr([entry.body for entry in entries])
    assert not [name for name in NAMES if f"<{name}" in whole]
    assert "You are Director" not in whole
    assert project_context_view(entries).sections == ()


@pytest.mark.promise("B5")
@pytest.mark.parametrize("turns", [40, pytest.param(1_000, marks=pytest.mark.slow)])
def test_the_size_of_the_log_does_not_depend_on_what_is_injected(store: Store, turns: int) -> None:
    """Half of the turns beside nothing, half beside a large description: not a byte more."""
    made = desk(store, lambda _: SAY)
    steps = [f"step {nth}: press the button" for nth in range(200)]
    large = parse_description({"workflow_name": "W", "happy_path_steps": steps})

    async def talk() -> None:
        for nth in range(turns):
            if nth == turns // 2:
                made.saved.save_description(large, "told")
            await take_turn(made, f"message {nth:05}")

    asyncio.run(talk())
    entries = store.entries(made.thread)
    assert len(entries) == 2 * turns
    assert len({len(json.dumps(entry.body)) for entry in entries if entry.kind == "user"}) == 1
    assert len({len(json.dumps(entry.body)) for entry in entries if entry.kind == "agent"}) == 1
    whole = repr([entry.body for entry in entries])
    assert "press the button" not in whole
    assert "You are Director" not in whole
    assert not [name for name in NAMES if f"<{name}" in whole]


@pytest.mark.promise("B6")
@pytest.mark.parametrize("profile", ["structured", "structured_cached", "clean"])
def test_the_stable_prefix_of_each_request_is_the_one_before(store: Store, profile: str) -> None:
    """The history only grows; what is stable ahead of it stays byte for byte."""
    shown: list[Seen] = []

    def brain(seen: Seen) -> Sequence[Emit]:
        last = [item.kind for item in seen.items if not item.text.startswith("<plan>")][-1]
        if last == "result":
            return SAY
        name = f"v{len(seen.items)}"
        return [asks("set_variable", variableName=name, value=1, reason="r")]

    made = desk(store, brain, seen=shown, profile=profile)
    for nth in range(3):
        asyncio.run(take_turn(made, f"message {nth}"))
    assert len(shown) == 6
    block = 1 if profile == "structured_cached" else 0
    for before, after in pairwise(shown):
        old = before.items[: len(before.items) - block]
        assert after.items[: len(old)] == old
        head = before.instructions.partition("<variables")[0]
        assert after.instructions.startswith(head)
        if profile != "structured":
            assert before.instructions == after.instructions
        assert before.tools == after.tools


@pytest.mark.promise("A6")
def test_a_call_that_was_cut_off_is_shown_as_interrupted(store: Store) -> None:
    """Cancelled between two calls: the first is done, the second is never run."""
    steps: list[Sequence[Emit]] = [
        [
            asks("set_variable", variableName="a", value=1, reason="r"),
            asks("ask_user", question="Never asked?"),
            asks("set_variable", variableName="b", value=1, reason="r"),
        ],
        SAY,
    ]
    shown: list[Seen] = []
    made = desk(store, steps, seen=shown)

    def stop(progress: TurnProgress) -> None:
        if progress.what == "calling" and progress.tool == "ask_user":
            raise asyncio.CancelledError

    made.progress = stop
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(take_turn(made, "Go."))
    assert find_last_turn(store, made.thread)["state"] == "cancelled"
    made.progress = lambda _: None
    assert asyncio.run(take_turn(made, "Go on.")).text == "Done."
    assert results(shown[-1]) == ["a = 1", INTERRUPTED, INTERRUPTED]
    assert read_run_variables(store, get_draft_run_id("w")) == {"a": 1}


@pytest.mark.promise("B6")
@pytest.mark.moves_prefix("it is shown that this is noticed")
def test_a_prefix_that_was_moved_is_noticed(store: Store) -> None:
    """The check of every test here fails if the past is told otherwise or a tool is gone."""
    made = desk(store, lambda _: SAY)
    for nth in range(2):
        asyncio.run(take_turn(made, f"message {nth}"))
    first, second = made.requests
    assert moved(made.requests) == []
    turns = (replace(second.report.sent.turns[0], text="otherwise"), *second.report.sent.turns[1:])
    other = _with(second, turns=turns)
    assert moved([first, other]) == ["the history before turn 1 was rewritten"]
    fewer = replace(second, asked=replace(second.asked, tools=second.asked.tools[1:]))
    assert moved([first, fewer]) == ["other tools"]
    prompt = (Section("system", "Now at 12:00"), *second.report.sent.sections[1:])
    clock = _with(second, sections=prompt)
    assert moved([first, clock]) == ["the section 'system' was changed"]


def _with(made: RequestRecord, **changes: Any) -> RequestRecord:
    """A request as if something else had been sent."""
    sent = replace(made.report.sent, **changes)
    return replace(made, report=replace(made.report, sent=sent))
