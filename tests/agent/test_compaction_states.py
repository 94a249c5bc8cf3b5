"""Walks that are kept: they give what a walk made anew gives, and read only what is new."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.office import asks, desk
from director.agent import take_turn
from director.agent.request_assembly import Walks
from director.context.sizes import context_size, turn_size
from director.context.values import (
    AgentTurn,
    Budget,
    Call,
    Context,
    Counter,
    Section,
    Turn,
    UserTurn,
)
from director.counting import Calibration
from director.models.script_values import Emit, Say, Seen
from director.settings import load_settings
from director.store import Store, open_store
from director.store.context_view import Once

WORDS = "amber birch cobalt dahlia ember fennel ginger hazel indigo juniper".split()


def counting(texts: list[str]) -> Calibration:
    """A measure by words, which notes whatever it is asked to count and remembers nothing."""

    def count(text: str) -> int:
        texts.append(text)
        return len(text.split())

    measure = Calibration(Counter(count, "words", 0.0))
    measure.base = Counter(count, "words", 0.0)
    return measure


def conversation(turns: int) -> tuple[Turn, ...]:
    """Questions and answers, each with a call; no two alike."""
    said: list[Turn] = []
    for at in range(1, 2 * turns, 2):
        text = f"{at} " + " ".join(WORDS[(at * nth) % 10] for nth in range(30))
        call = Call(f"c{at}", "look", f"{{page: {at}}}", f"{text} seen", trust="user")
        said += [UserTurn(at, f"page {at}"), AgentTurn(at + 1, f"done {at}", (call,))]
    return tuple(said)


def within(walks: Walks, measure: Calibration, context: Context, room: int) -> Context:
    """The context in a room, of a request of 1,000."""
    budget = Budget(room, counter=measure.counter())
    return walks.within(budget, context, strategy="hybrid", limit=1_000, measure=measure)


@given(
    st.lists(st.tuples(st.integers(1, 3), st.integers(250, 1_000)), min_size=1, max_size=10),
    st.floats(0.5, 2.0),
)
def test_a_walk_that_is_kept_gives_what_one_made_anew_gives(
    steps: list[tuple[int, int]], factor: float
) -> None:
    """However the room changes from request to request; and it is never passed."""
    turns, walks = conversation(30), Walks()
    measure = counting([])
    measure.observe(10_000, int(10_000 * factor))
    upto = 0
    for more, room in steps:
        upto = min(upto + 2 * more, len(turns))
        context = Context((Section("system", "Be brief."),), turns[:upto])
        sent = within(walks, measure, context, room)
        assert sent == within(Walks(), measure, context, room)
        assert context_size(sent, measure.counter()) <= room


def test_what_there_is_room_for_is_sent_as_it_is() -> None:
    """Up to the last token of the room, though marks are set at steps."""
    turns, measure, walks = conversation(6), counting([]), Walks()
    context = Context((), turns)
    size = context_size(context, measure.base)
    assert within(walks, measure, context, size) == context
    assert within(walks, measure, context, size - 1) != context


def test_a_request_counts_only_what_is_new() -> None:
    """Though most of the history was cut, and the room and the measure differ a little."""
    texts: list[str] = []
    turns, measure, walks = conversation(150), counting(texts), Walks()
    counted: list[int] = []
    for upto in range(2, len(turns) + 1, 2):
        texts.clear()
        measure.observe(10_000, 10_000 + upto % 7)
        within(walks, measure, Context((), turns[:upto]), 600 + upto % 5)
        walks.given.of(turns[:upto], measure)
        counted.append(sum(map(len, texts)))
    assert sum(counted[-25:]) < 1.5 * sum(counted[75:100])


def test_sizes_are_counted_once_and_measured_anew() -> None:
    """A turn that is gone is forgotten; another counter begins anew."""
    texts: list[str] = []
    turns, measure, walks = conversation(3), counting(texts), Walks()
    assert walks.given.of(turns, measure) == [turn_size(turn, measure.base) for turn in turns]
    measure.observe(100, 200)
    doubled = [2 * turn_size(turn, measure.base) for turn in turns]
    texts.clear()
    assert walks.given.of(turns, measure) == doubled
    assert texts == []
    other = counting([])
    assert walks.given.of(turns, other) == [turn_size(turn, other.base) for turn in turns]


def test_what_is_made_once_is_forgotten_with_its_turn() -> None:
    """And what is still there is the very same."""
    turns, once = conversation(3), Once[object]()
    made = once.of(turns, lambda _: object())
    assert all(one is other for one, other in zip(made, once.of(turns, _never), strict=True))
    once.of(turns[:2], _never)
    with pytest.raises(AssertionError):
        once.of(turns, _never)


def _never(_turn: Turn) -> object:
    raise AssertionError("made twice")


def endless(seen: Seen) -> Sequence[Emit]:
    """A call, then an answer; for a summary, nothing that could be used."""
    last = seen.items[-1]
    if "<conversation>" in last.text:
        return [Say(" ")]
    if last.kind == "result":
        return [Say("It is done, as was said. " * 60)]
    return [asks("get_current_plan", f"call_{len(seen.items)}")]


def talking(store: Store, seen: list[Context], *, keeps: bool) -> None:
    """Talk until the history is too large and can no longer be compressed, and on from there."""
    made = desk(store, endless)
    marks = {"warn_at": 11_000, "compress_at": 12_000, "compress_to": 3_000}
    made.settings = load_settings({**marks, "profile": "structured"}, environ={})

    async def talk() -> None:
        for nth in range(16):
            made.walks = made.walks if keeps else Walks()
            turn = await take_turn(made, f"Please do {nth}: {' '.join(WORDS)}")
            assert turn.ended == "said", turn

    asyncio.run(talk())
    seen += [one.report.sent for one in made.requests]


@pytest.mark.moves_prefix("the history is cut where it can no longer be compressed")
def test_where_compression_has_stopped_each_request_is_cut_as_if_made_alone(tmp_path: Path) -> None:
    """Whether the walks are kept from turn to turn or not."""
    kept: list[Context] = []
    anew: list[Context] = []
    for seen, name in ((kept, "kept.db"), (anew, "anew.db")):
        with open_store(tmp_path / name) as store:
            talking(store, seen, keeps=seen is kept)
    assert any(one.fold for one in kept)
    assert kept == anew


def test_a_turn_leaves_nothing_running(store: Store) -> None:
    """No task of a turn is there once the turn has ended and the loop went round."""

    async def talk() -> list[asyncio.Task[object]]:
        made = desk(store, lambda _: [Say("Done.")])
        for nth in range(3):
            await take_turn(made, f"message {nth}")
        await asyncio.sleep(0)
        gc.collect()
        return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    assert asyncio.run(talk()) == []
