"""The laws on every leaf, combinator and preset, over generated histories."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chats import Message, chats
from context.history_shapes import SHAPES, exclude, shapes_of
from director import (
    Budget,
    Context,
    Strategy,
    UserTurn,
    adaptive,
    chain,
    checkpoint,
    fold,
    hybrid,
    prune,
    shrink,
    sliding_window,
    truncate,
    until_fits,
)
from director.context.presets import PRESETS, Options
from director.context.values import Section
from director.context.wire import parse
from director.testing import check_strategy, find_broken_laws, make_histories, make_history

STRATEGIES: dict[str, Strategy] = {
    "sliding_window": sliding_window(),
    "shrink low": shrink("low"),
    "shrink medium": shrink(),
    "shrink high": shrink("high"),
    "prune": prune(),
    "truncate": truncate,
    "fold": fold(),
    "chain": chain(shrink(), truncate, sliding_window()),
    "until_fits": until_fits(shrink(), truncate, prune(), fold()),
    "preset sliding_window": PRESETS["sliding_window"](Options()),
    "preset checkpoint": checkpoint(),
    "preset hybrid": hybrid(),
    "preset adaptive": adaptive(),
}
COSTLY = {
    "fold",
    "until_fits",
    "preset sliding_window",
    "preset checkpoint",
    "preset hybrid",
    "preset adaptive",
}
CHEAP_PAIRS, COSTLY_PAIRS, ALL_PAIRS, PARTS = 2_450, 500, 8_000, 2
ELSEWHERE = 1_000_000


def pairs(name: str) -> int:
    """On how many histories a strategy is held to the laws in the first tier."""
    return COSTLY_PAIRS if name in COSTLY else CHEAP_PAIRS


@pytest.mark.promise("B1")
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", STRATEGIES)
def test_the_laws_hold(name: str, part: int) -> None:
    """Over 20,000 pairs of history and strategy in all; the histories meet every shape."""
    count = pairs(name) // PARTS
    result = check_strategy(STRATEGIES[name], count, start=part * count)
    assert result.holds, str(result)


@pytest.mark.slow
@pytest.mark.promise("B1")
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", STRATEGIES)
def test_the_laws_hold_on_many_more(name: str, part: int) -> None:
    """Over 100,000 other pairs."""
    count = ALL_PAIRS // PARTS
    result = check_strategy(STRATEGIES[name], count, start=ELSEWHERE + part * count)
    assert result.holds, str(result)


def test_the_pairs_are_as_many_as_the_page_says() -> None:
    """13 strategies: 20,000 pairs at once, 100,000 more behind `--all`, none of them twice."""
    assert sum(map(pairs, STRATEGIES)) >= 20_000
    assert ALL_PAIRS * len(STRATEGIES) >= 100_000
    assert not any(count % PARTS for count in (CHEAP_PAIRS, COSTLY_PAIRS, ALL_PAIRS))
    assert CHEAP_PAIRS <= ELSEWHERE


def test_the_histories_meet_every_shape_and_every_two_of_them() -> None:
    """Each shape in twenty or more of the fewest, and each two that can meet in one."""
    met: Counter[frozenset[str]] = Counter()
    for context, budget in make_histories(COSTLY_PAIRS):
        shapes = sorted(shapes_of(context, budget))
        met.update(frozenset(two) for two in combinations_with_replacement(shapes, 2))
    assert {name: met[frozenset({name})] for name in SHAPES if met[frozenset({name})] < 20} == {}
    assert [
        f"{one} and {other}"
        for one, other in combinations(SHAPES, 2)
        if not met[frozenset({one, other})] and not exclude(one, other)
    ] == []


@given(chats(), st.integers(40, 2_000), st.sampled_from(sorted(STRATEGIES)))
def test_the_laws_hold_on_histories_that_shrink(
    messages: list[Message], limit: int, name: str
) -> None:
    """Read from the wire, natives and all; a failure is shrunk to the smallest history."""
    assert find_broken_laws(STRATEGIES[name], parse(messages).context, Budget(limit)) == []


def slices_by_message(context: Context, budget: Budget, /) -> Context:  # noqa: ARG001
    """Keep the last two turns, whatever they are."""
    return replace(context, turns=context.turns[-2:])


def drops_the_request(context: Context, budget: Budget, /) -> Context:
    """Fit by dropping what the user said last."""
    smaller = fold()(context, budget)
    users = [turn for turn in smaller.turns if isinstance(turn, UserTurn)]
    return replace(smaller, turns=tuple(t for t in smaller.turns if t not in users[-1:]))


def grows_by_a_note(context: Context, budget: Budget, /) -> Context:  # noqa: ARG001
    """Add a friendly reminder."""
    return replace(context, sections=(*context.sections, Section("note", "Please be brief.")))


def rewrites_every_call(context: Context, budget: Budget, /) -> Context:
    """Fold at every call to just what fits, as a rolling window does."""
    size = len(context.turns) % 3
    return sliding_window()(context, replace(budget, limit=budget.limit - size * 20, target=None))


def splits_a_thinking_loop(context: Context, budget: Budget, /) -> Context:
    """Drop every second turn."""
    kept = tuple(t for i, t in enumerate(context.turns) if i % 2 == 0 or isinstance(t, UserTurn))
    smaller = fold()(context, budget)
    return replace(smaller, turns=kept)


def shrinks_what_is_new(context: Context, budget: Budget, /) -> Context:
    """Shrink on ingest, as `thrift` does, however much room there is."""
    tight = replace(budget, limit=max(20, budget.limit // 3), target=None)
    return PRESETS["hybrid"](Options(thrift=True))(context, tight)


def drops_the_user(context: Context, budget: Budget, /) -> Context:
    """Fit by dropping what the user said in between."""
    smaller = fold()(context, budget)
    users = [turn for turn in smaller.turns if isinstance(turn, UserTurn) and not turn.pinned]
    kept = tuple(turn for turn in smaller.turns if turn not in users[:-1])
    return replace(smaller, turns=kept)


@pytest.mark.parametrize(
    ("broken", "laws"),
    [
        (
            slices_by_message,
            {
                "what is pinned survives",
                "every folded turn is accounted for",
                "nothing leaves unnamed",
            },
        ),
        (
            shrinks_what_is_new,
            {"identity below the trigger", "what no model has seen is whole"},
        ),
        (drops_the_user, {"the user's words stay", "nothing leaves unnamed"}),
        (drops_the_request, {"the requests survive"}),
        (grows_by_a_note, {"never grows", "never invents or reorders", "twice is once"}),
        (rewrites_every_call, {"sticky"}),
        (splits_a_thinking_loop, {"a thinking loop is whole or gone"}),
    ],
)
def test_a_broken_strategy_is_caught(broken: Strategy, laws: set[str]) -> None:
    """Each sabotage breaks the laws it should, within 300 histories."""
    missed = set(laws)
    for seed in range(300):
        missed -= {each.law for each in find_broken_laws(broken, *make_history(seed))}
        if not missed:
            return
    pytest.fail(f"300 histories show no breach of {missed}")


def test_the_report_of_a_failure_names_the_seed_and_the_law() -> None:
    """What broke can be found again."""
    result = check_strategy(grows_by_a_note, 10)
    assert not result.holds
    assert str(result).startswith("history 0 (of 1 tried) breaks:")
    assert "never grows" in str(result)
