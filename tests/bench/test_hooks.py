"""The engine through each way in: what comes out is what the engine gives by itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2] / "bench"))

from hooks import HOOKS, making
from material import recorded

from director.audit.support import compute_budget
from director.audit.support_replay import Manage, RecordedRun, replay
from director.testing.replay import make

pytestmark = pytest.mark.slow

SHARE = 0.4
# On Anthropic's wire the instructions are a turn of their own, so that turns have other numbers.
NUMBERED_OTHERWISE = {"client, Anthropic", "proxy, Anthropic", "pydantic-ai"}


@cache
def run() -> RecordedRun:
    """The first calls of a recorded run in a terminal, a crossing among them."""
    whole = recorded("terminal")[0]
    return RecordedRun(whole.name, whole.messages[:30], whole.times)


def sent(made: Callable[[], Manage]) -> list[Any]:
    """All that would be sent, call by call, as far as a model reads it."""
    manage, budget = made(), compute_budget(run().messages, SHARE)
    return [
        [
            (m["role"], (m.get("content") or "").strip(), m.get("tool_calls") or [])
            for m in manage(run().messages[:at], budget)
        ]
        for at, _ in run().calls()
    ]


@cache
def by_itself(*, recall: bool) -> list[Any]:
    """What the engine sends without any framework, to a model that can open references or not."""
    return sent(partial(make, recall=recall))


@pytest.mark.parametrize("name", sorted(HOOKS.keys() - NUMBERED_OTHERWISE))
def test_a_way_in_sends_what_the_engine_gives(name: str) -> None:
    """Call by call, through the hook; references are named only where a tool opens them."""
    assert sent(making(HOOKS[name])) in [by_itself(recall=True), by_itself(recall=False)]


@pytest.mark.parametrize("name", sorted(NUMBERED_OTHERWISE))
def test_a_way_in_with_other_numbers_keeps_as_much(name: str) -> None:
    """What the next call needs is there as often, and every request is valid."""
    alike = ("hard %", "hard_ctx %", "rewrites %", "valid openai %", "crashes", "mutations")
    through, alone = (replay(each, [run()], SHARE).row() for each in (making(HOOKS[name]), make))
    assert {one: through[one] for one in alike} == {one: alone[one] for one in alike}
