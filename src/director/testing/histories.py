"""A seeded generator of histories: the same seed gives the same history, on every machine."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace

from director.context.values import (
    AgentTurn,
    Budget,
    Call,
    Context,
    Counter,
    Section,
    Turn,
    UserTurn,
    chars4,
)
from director.counting import remembering

_WORDS = (
    "order flight error refund must never 2024-05-18 HAT204 user_id=anna_k8 page click the and "
    "https://shop.test/item/7 failed total 41.50 checkout login cart done because 中文 naïve 😀 e12"
).split()


_LARGE_EVERY, _ALONE_EVERY = 10, 2


def _words_and_marks(text: str) -> int:
    return len(_TOKEN.findall(text))


_TOKEN = re.compile(r"\w{1,6}|[^\w\s]")
_marks = Counter(remembering(_words_and_marks), "words and marks", 0.3)


def make_history(seed: int) -> tuple[Context, Budget]:
    """One history and a budget that makes it tight, loose or impossible."""
    rng, other = (random.Random(each) for each in (seed, f"large {seed}"))  # noqa: S311  chance, not a secret
    sections = [Section("system", _text(rng, 12))]
    if rng.random() < 0.4:
        sections.append(Section("notes", _text(rng, 60), pinned=rng.random() < 0.3))
    turns = _turns(rng)
    alone = all(isinstance(turn, UserTurn) for turn in turns)
    if seed % (_ALONE_EVERY if alone else _LARGE_EVERY) == 1:
        turns = _with_large_request(turns, other)
    context = Context(tuple(sections), tuple(turns))
    size = sum(len(_all(turn)) for turn in turns) // 4 + 40
    share = rng.choice((0.2, 0.35, 0.5, 0.5, 0.7, 0.7, 1.5))
    limit = max(20, int(size * share))
    target = int(limit * 0.6) if rng.random() < 0.2 else None
    counter = rng.choice((chars4, chars4, _marks))
    if share > 1:  # a loose budget has room for the images too
        limit += counter.per_image * sum(_images(turn) for turn in turns)
    return context, Budget(limit, target=target, counter=counter)


def make_histories(count: int, start: int = 0) -> Iterator[tuple[Context, Budget]]:
    """Many histories, by consecutive seeds."""
    return (make_history(seed) for seed in range(start, start + count))


def _turns(rng: random.Random) -> list[Turn]:
    turns: list[Turn] = []
    thinking = rng.random() < 0.2
    for request in range(rng.randint(1, 3)):
        pinned = request > 0 and rng.random() < 0.1
        text = _text(rng, rng.choice((3, 12, 40)))
        turns.append(UserTurn(len(turns), text, pinned, request=request == 0))
        for _ in range(rng.choice((0, 1, 1, 2, 4))):
            turns.append(_agent(rng, len(turns), thinking=thinking))
    if rng.random() < 0.3:
        turns.append(UserTurn(len(turns), _text(rng, 5)))
    return turns


def _with_large_request(turns: list[Turn], rng: random.Random) -> list[Turn]:
    """The turns with what users paste in one of the requests, so that it may not fit alone."""
    places = [i for i, turn in enumerate(turns) if isinstance(turn, UserTurn)]
    at = rng.choice(places)
    turn = turns[at]
    lines = [_text(rng, 12) for _ in range(rng.choice((20, 60, 200)))]
    pasted = replace(turn, text="\n".join([turn.text, *lines, "What does it say?"]))
    return [*turns[:at], pasted, *turns[at + 1 :]]


def _agent(rng: random.Random, at: int, *, thinking: bool) -> AgentTurn:
    calls = tuple(_call(rng, f"c{at}_{n}") for n in range(rng.choice((0, 1, 1, 1, 2))))
    text = _text(rng, rng.choice((2, 8, 40))) if not calls or rng.random() < 0.5 else ""
    thought = ({"type": "thinking", "thinking": "hm", "signature": f"s{at}"},) if thinking else ()
    return AgentTurn(at, text, calls, thought)


def _call(rng: random.Random, ident: str) -> Call:
    args = json.dumps({"q": rng.choice(_WORDS), "n": rng.randint(1, 9)})
    failed = rng.random() < 0.15
    images = 1 if rng.random() < 0.03 else 0
    tool = rng.choice(("search", "browser_click", "shell", "get_order"))
    return Call(ident, tool, args, _result(rng), failed=failed, images=images)


def _result(rng: random.Random) -> str:
    kind = rng.random()
    rows = rng.choice((1, 2, 6, 24))
    if kind < 0.25:
        return json.dumps([{"id": f"R{n:03}", "word": rng.choice(_WORDS)} for n in range(rows)])
    if kind < 0.45:
        return "\n".join(
            f'- link "{rng.choice(_WORDS)} {n}" [ref=e{n}] [cursor=pointer]:\n  - /url: /p/{n}'
            for n in range(rows)
        )
    if kind < 0.6:
        return "\n".join(f"12:00:{n:02} INFO {rng.choice(_WORDS)} took {n} ms" for n in range(rows))
    return _text(rng, rows * 4)


def _text(rng: random.Random, most: int) -> str:
    return " ".join(rng.choice(_WORDS) for _ in range(rng.randint(1, max(1, most))))


def _all(turn: Turn) -> str:
    calls = turn.calls if isinstance(turn, AgentTurn) else ()
    return turn.text + "".join(call.args + call.result for call in calls)


def _images(turn: Turn) -> int:
    return sum(call.images for call in turn.calls) if isinstance(turn, AgentTurn) else 0
