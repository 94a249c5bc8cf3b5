"""A call that needs the user's approval waits for it: on yes it goes on, on no its result says so."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from agent.office import SAY, asks, desk, results
from director.agent.agent_session import AgentSession
from director.agent.conversation.current_thread import ensure_current_thread
from director.agent.permissions.effect_approval import answer_effect
from director.agent.permissions.origin_requests import (
    approve_origin,
    list_origin_approvals,
    refuse_origin,
)
from director.agent.permissions.pending_approvals import PendingApprovals
from director.agent.turn import TurnResult, take_turn
from director.agent.turn_events import TurnProgress
from director.browser import Browser
from director.context.wire import emit, problems
from director.models.script_values import Ask, Seen
from director.profiles import load_profile
from director.runs import RunDependencies, list_run_steps, save_run_workflow
from director.store import Store
from director.store.context_view import project_context_view
from director.workflow.values import Node, Workflow
from runs.crashes import Crash

SHOP = "https://shop.example"


def make_node(alias: str, origin: str = SHOP) -> Ask:
    """A call that waits for an origin."""
    config = {"action": "navigate", "url": f"{origin}/x"}
    return asks("create_node", type="browser_action", alias=alias, config=config)


class Person:
    """Answers what is asked, and remembers it."""

    def __init__(self, made: AgentSession, say: Callable[[Store, str, str], Any] | None) -> None:
        self.asked: list[PendingApprovals] = []
        self._desk, self._say = made, say

    async def __call__(self, wanted: PendingApprovals) -> None:
        """Answer, or say nothing."""
        self.asked.append(wanted)
        for origin in wanted.origins:
            if self._say:
                self._say(self._desk.store, "w", origin)


def play(
    made: AgentSession, ask: Callable[[PendingApprovals], Awaitable[None]], **more: Any
) -> TurnResult:
    """A turn with a person."""
    made.asks_user = ask
    return asyncio.run(take_turn(made, "Build it.", **more))


@pytest.mark.promise("E1")
def test_an_approved_call_goes_on_in_the_same_round(store: Store) -> None:
    """Two calls to one new site: one question, two real results, and no request for the yes."""
    seen: list[Seen] = []
    told: list[TurnProgress] = []
    made = desk(store, [[make_node("a"), make_node("b")], SAY], seen=seen, progress=told.append)
    person = Person(made, approve_origin)
    assert play(made, person).ended == "said"
    assert person.asked == [PendingApprovals(origins=(SHOP,))]
    assert len(seen) == 2
    assert all("has the id" in each for each in results(seen[-1]))
    assert not any(one.failed for one in told)
    assert [one.text for one in told if one.what == "waiting"] == [f"to reach {SHOP}"]
    assert [node.alias for node in made.now().nodes] == ["a", "b"]


@pytest.mark.promise("E1")
def test_a_refused_call_says_so_and_the_turn_goes_on(store: Store) -> None:
    """Nothing was done, the second call is refused without a question, the model answers."""
    seen: list[Seen] = []
    made = desk(store, [[make_node("a"), make_node("b")], SAY], seen=seen)
    person = Person(made, refuse_origin)
    assert play(made, person).ended == "said"
    assert len(person.asked) == 1
    assert all(f"the user refused {SHOP}" in each for each in results(seen[-1]))
    assert made.now().nodes == ()


def test_an_answer_of_another_program_counts(store: Store) -> None:
    """The user may answer anywhere: the call goes on as soon as the store says so."""

    async def answers_elsewhere(_: PendingApprovals) -> None:
        approve_origin(store, "w", SHOP)
        await asyncio.Event().wait()

    made = desk(store, [[make_node("a")], SAY])
    assert play(made, answers_elsewhere).ended == "said"
    assert [node.alias for node in made.now().nodes] == ["a"]


@pytest.mark.parametrize("leaves", [True, False])
def test_without_an_answer_the_turn_ends_and_waits(store: Store, *, leaves: bool) -> None:
    """As without anybody to ask; the other calls of the round are not waited for again."""
    asked: list[PendingApprovals] = []

    async def says_nothing(wanted: PendingApprovals) -> None:
        asked.append(wanted)
        if leaves:
            raise EOFError
        await asyncio.Event().wait()

    other = "https://other.example"
    made = desk(store, [[make_node("a"), make_node("b", other)], SAY], patience=0.05)
    turn = play(made, says_nothing)
    assert (turn.ended, turn.origins) == ("waiting", (SHOP, other))
    assert len(asked) == 1
    assert made.now().nodes == ()
    assert {one.state for one in list_origin_approvals(store, "w")} == {"asked"}


@pytest.mark.promise("E1")
def test_asking_alone_approves_nothing(store: Store) -> None:
    """What is written down counts, not that somebody was asked or what a message says."""
    made = desk(store, [[make_node("a")], SAY])
    turn = play(made, Person(made, None))
    assert (turn.ended, made.now().origins, made.now().nodes) == ("waiting", (), ())


@pytest.mark.parametrize("answered", [True, False])
def test_killed_while_it_waits_nothing_is_done_twice(store: Store, *, answered: bool) -> None:
    """The thread is valid; made again, the call is asked for again, or was answered meanwhile."""

    async def dies(_: PendingApprovals) -> None:
        raise Crash

    with pytest.raises(Crash):
        play(desk(store, [[make_node("a")]]), dies)
    if answered:
        approve_origin(store, "w", SHOP)
    again = desk(store, [[make_node("a")], SAY])
    person = Person(again, approve_origin)
    assert play(again, person).ended == "said"
    assert len(person.asked) == (0 if answered else 1)
    assert [node.alias for node in again.now().nodes] == ["a"]
    made = emit(project_context_view(store.entries(ensure_current_thread(store, "w"))), "responses")
    assert problems(made, "responses") == []


def test_the_time_that_the_user_takes_is_not_the_turns(store: Store) -> None:
    """A limit of the turn stands still while a call waits."""
    profile = load_profile("structured")
    profile = replace(profile, limits=replace(profile.limits, seconds=1.0))

    async def thinks(_: PendingApprovals) -> None:
        await asyncio.sleep(1.2)
        approve_origin(store, "w", SHOP)

    assert play(desk(store, [[make_node("a")], SAY]), thinks, profile=profile).ended == "said"


@pytest.mark.promise("E1")
@pytest.mark.parametrize("answer", ["approved", "refused"])
def test_a_run_that_stops_for_an_effect_goes_on_with_it(
    runner: asyncio.Runner, store: Store, browser: Browser, answer: Any
) -> None:
    """The values of that moment are shown; what was done before the stop is not done again."""
    seven = {"input": {}, "code": "7", "store": True}
    first = Node("n1", "first", "transform", seven, effect="idempotent")
    send = {"input": {"x": "{{first.result}}"}, "code": "x + 1", "store": True}
    nodes = (first, Node("n2", "send", "transform", send, effect="once"))
    save_run_workflow(store, Workflow("w", "Prices", nodes, origins=(SHOP,)))
    seen: list[Seen] = []
    means = RunDependencies(browser=browser, pictures="none")
    made = desk(store, [[asks("execute_nodes")], SAY], means=means, seen=seen)
    asked: list[str] = []

    async def says(wanted: PendingApprovals) -> None:
        asked.extend(wanted.effects)
        for key in wanted.effects:
            answer_effect(store, "w", key, answer)

    made.asks_user = says
    assert runner.run(take_turn(made, "Run it.")).ended == "said"
    runner.run(made.close())
    (result,) = results(seen[-1])
    assert len(asked) == 1
    assert ("send.result = 8" in result) == (answer == "approved")
    assert ("the user refused" in result) == (answer == "refused")
    runs = [name for name in result.split() if name.startswith("run-")]
    assert [step.attempt for step in list_run_steps(store, runs[0]) if step.alias == "first"] == [1]
