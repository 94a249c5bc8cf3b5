"""Summaries that are checked: what a text lost of the turns it stands for, put back verbatim.

The check is mechanical: identifiers, numbers, addresses, selectors, constraints, decisions, errors
and open tasks are taken from the source. It never judges style and never asks a model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from director.context import excerpts
from director.context.compaction import SMALLEST_ROOM
from director.context.excerpt_choice import select
from director.context.literals import literals
from director.context.trust import trust_of
from director.context.values import AgentTurn, Counter, Fold, Summary

WORTHLESS = 0.1
_SAID = 0.5
_PLAIN = re.compile(r"\w{3,}")


def compute_kept_share(text: str, fold: Fold) -> float:
    """The share of the names and numbers in users' words and calls that a text still holds."""
    named = {
        word
        for turn in fold.turns
        for said in ([c.args for c in turn.calls] if isinstance(turn, AgentTurn) else [turn.text])
        for word in literals(said)
    }
    return sum(word in text for word in named) / len(named) if named else 1.0


def mechanical(fold: Fold, room: int, counter: Counter) -> Summary:
    """A summary in excerpts: the previous one and the folded turns, to the room."""
    found = excerpts.earlier(fold.previous)
    for turn in fold.turns:
        found += excerpts.extract(turn, SMALLEST_ROOM)
    found.sort(key=lambda piece: piece.at)
    chosen = select(found, room, counter)
    covers = _covers(fold)
    text = excerpts.write(chosen, covers)
    return Summary(text, covers, trust_of(fold.turns, fold.previous))


def repair_summary(written: str, fold: Fold, room: int, counter: Counter) -> Summary:
    """A model's summary with what it lost appended; a worthless one gives way to excerpts."""
    written = written.strip()
    if not written or compute_kept_share(written, fold) < WORTHLESS:
        return mechanical(fold, room, counter)
    found = _missing(written, fold)
    left = room - counter(written)
    chosen = select(found, left, counter, [written]) if found else []
    text = f"{written}\n{excerpts.write(chosen, _covers(fold))}" if chosen else written
    return Summary(text, _covers(fold), trust_of(fold.turns, fold.previous))


def find_lost(written: str, fold: Fold) -> list[excerpts.Excerpt]:
    """What a text lost of the turns and of the summary before them: the pieces, in their order.

    A piece is lost if a name or number of it is nowhere in the text, or if it tells what must or
    must not be, was decided, failed or is open, and little of its wording is there.
    """
    names = set(literals(written))
    return [
        piece
        for piece in _missing(written, fold)
        if excerpts.weighs(piece) or not names.issuperset(literals(piece.text))
    ]


def _missing(written: str, fold: Fold) -> list[excerpts.Excerpt]:
    """The pieces of which a name, a number or most of the wording is not in a text."""
    names, words = set(literals(written)), set(_plain(written))
    found = excerpts.earlier(fold.previous)
    for turn in fold.turns:
        found += excerpts.extract(turn, SMALLEST_ROOM)
    return [
        piece
        for piece in found
        if not names.issuperset(literals(piece.text)) or _share(_plain(piece.text), words) < _SAID
    ]


def _plain(text: str) -> list[tuple[str, str]]:
    """The pairs of neighbouring words: single ones stand in almost any text."""
    words = [word.lower() for word in _PLAIN.findall(text)]
    return list(pairwise(words))


def _share(said: Sequence[tuple[str, str]], words: set[tuple[str, str]]) -> float:
    return sum(word in words for word in said) / len(said) if said else 1.0


def _covers(fold: Fold) -> tuple[int, ...]:
    earlier = fold.previous.covers if fold.previous else ()
    return tuple(sorted({*earlier, *(turn.at for turn in fold.turns)}))
