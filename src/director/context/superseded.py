"""What a later turn says again: older pages, older reads of a file, repeated results.

The newest copy stays as it is; an older one becomes what it alone says, and a reference. Never
touches a result that no model has seen yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from director.context.memory import remember
from director.context.notices import is_noticed, with_notice
from director.context.page_history import page, shorten_older_pages
from director.context.units import unseen_turn
from director.context.values import AgentTurn, Call, Turn

_NUMBERED = re.compile(r"^\s*\d+(?:[:|→\t]|\s{2})")
_SHINGLE = 3
_SHORTEST_RUN, _SHORTEST_TEXT = 6, 400


def shorten_repeats(turns: Sequence[Turn], *, recalls: bool = True) -> list[Turn]:
    """The turns with everything that a later turn repeats replaced by where it stands."""
    shorter = shorten_older_pages(turns, recalls=recalls)
    unseen = unseen_turn(shorter)
    newer: dict[tuple[str, ...], int] = {}
    whole: dict[str, int] = {}
    for i in range(len(shorter) - 1, -1, -1):
        turn = shorter[i]
        if not isinstance(turn, AgentTurn) or not turn.calls:
            continue
        if i != unseen:
            calls = tuple(_without_repeats(call, newer, whole, recalls) for call in turn.calls)
            if calls != turn.calls:
                shorter[i] = turn = replace(turn, calls=calls)
        for call in turn.calls:
            if call.original is None and not is_noticed(call.result):
                whole.setdefault(call.result, turn.at)
                for shingle in _shingles(call.result):
                    newer.setdefault(shingle, turn.at)
    return shorter


def _without_repeats(
    call: Call,
    newer: dict[tuple[str, ...], int],
    whole: dict[str, int],
    recalls: bool,  # noqa: FBT001
) -> Call:
    text = call.result
    if call.original is not None or len(text) < _SHORTEST_TEXT or page(text):
        return call
    if text in whole:
        said = with_notice("", text, recalls=recalls, said=f"same as in t{whole[text]}")
        return replace(call, result=said, original=text)
    lines, plain = text.split("\n"), _plain_lines(text)
    out: list[str] = []
    at = 0
    for start, end, where in _runs(plain, newer):
        out += [*lines[at:start], f"… {end - start} lines, again in t{where}"]
        at = end
    if not out:
        return call
    smaller = with_notice("\n".join([*out, *lines[at:]]), text, recalls=recalls)
    return replace(call, result=smaller, original=text) if len(smaller) < len(text) else call


def _runs(
    plain: Sequence[str], newer: dict[tuple[str, ...], int]
) -> Iterator[tuple[int, int, int]]:
    """The runs of lines that stand in one newer result, in order: start, end, and its turn."""
    at = 0
    while at + _SHINGLE <= len(plain):
        where = newer.get(tuple(plain[at : at + _SHINGLE]))
        end = at
        while where is not None and newer.get(tuple(plain[end : end + _SHINGLE])) == where:
            end += 1
        end += _SHINGLE - 1 if end > at else 0
        if where is not None and end - at >= _SHORTEST_RUN:
            yield at, end, where
            at = end
        else:
            at = max(at + 1, end - _SHINGLE + 1)


@remember
def _plain_lines(text: str) -> tuple[str, ...]:
    """The lines of a text without the numbers that a reader puts before them."""
    return tuple(_NUMBERED.sub("", line).rstrip() for line in text.split("\n"))


@remember
def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    lines = _plain_lines(text)
    return frozenset(
        lines[i : i + _SHINGLE]
        for i in range(len(lines) - _SHINGLE + 1)
        if any(len(line) > 3 for line in lines[i : i + _SHINGLE])
    )
