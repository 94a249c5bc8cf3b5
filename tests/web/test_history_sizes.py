"""The sizes of a history that grows are those of a history that is counted anew."""

from __future__ import annotations

import random

from director.context.report import by_kind
from director.context.sizes import turn_size
from director.context.values import AgentTurn, Call, Context, Summary, Turn, UserTurn, chars4
from director.counting import counter_for
from director.services.history_sizes import HistorySizes


def a_turn(at: int, chance: random.Random) -> Turn:
    """A turn of the user, or one of the agent with calls."""
    text = "word " * chance.randint(1, 50)
    if chance.random() < 0.4:
        return UserTurn(at, text)
    calls = [Call(f"c{at}-{nth}", "read", "{}", text, failed=False) for nth in range(at % 3)]
    return AgentTurn(at, text, tuple(calls))


def test_what_was_counted_before_gives_the_same_sizes() -> None:
    """Also after turns left or were replaced, with another counter and another summary."""
    chance = random.Random(5)
    sizes = HistorySizes()
    turns: tuple[Turn, ...] = ()
    for step in range(60):
        turns += tuple(a_turn(100 * step + nth, chance) for nth in range(chance.randint(0, 3)))
        if turns and chance.random() < 0.2:
            turns = turns[chance.randrange(len(turns)) :]
        if turns and chance.random() < 0.2:
            turns = (*turns[:-1], a_turn(100 * step + 50, chance))
        counter = chars4 if chance.random() < 0.2 else counter_for("gpt-5")
        summary = Summary("All of it.", (1,)) if chance.random() < 0.5 else None
        context = Context((), turns, summary)
        assert sizes.by_kind(context, counter) == by_kind(context, counter)
        for turn in (*turns, a_turn(7, chance)):
            assert sizes.turn_size(turn, counter) == turn_size(turn, counter)
