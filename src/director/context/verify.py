"""Summaries that are checked: what a text lost of the turns it stands for, put back verbatim.

The check is mechanical: identifiers, numbers, addresses, paths, constraints and errors are taken
from the source. It never judges style and never asks a model.
"""

from __future__ import annotations

from collections.abc import Sequence

from director.context import digest
from director.context.literals import literals
from director.context.marks import SMALLEST_ROOM
from director.context.values import AgentTurn, Counter, Fold, Summary, Trust, Turn

WORTHLESS = 0.1
_TRUSTS: tuple[Trust, ...] = ("system", "user", "agent", "web")


def trust_of(turns: Sequence[Turn], before: Summary | None = None) -> Trust:
    """A summary is as untrusted as the least trusted text it covers."""
    found: list[Trust] = [before.trust] if before else []
    for turn in turns:
        found += [call.trust for call in turn.calls] if isinstance(turn, AgentTurn) else []
        found.append("agent" if isinstance(turn, AgentTurn) else "user")
    return max(found, key=_TRUSTS.index, default="agent")


def kept_share(text: str, fold: Fold) -> float:
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
    found = digest.earlier(fold.previous)
    for turn in fold.turns:
        found += digest.pieces(turn, SMALLEST_ROOM)
    found.sort(key=lambda piece: piece.at)
    chosen = digest.select(found, room, counter)
    return Summary(digest.write(chosen), _covers(fold), trust_of(fold.turns, fold.previous))


def repaired(written: str, fold: Fold, room: int, counter: Counter) -> Summary:
    """A model's summary with what it lost appended; a worthless one gives way to excerpts."""
    written = written.strip()
    if not written or kept_share(written, fold) < WORTHLESS:
        return mechanical(fold, room, counter)
    there = set(literals(written))
    found = [
        piece
        for turn in fold.turns
        for piece in digest.pieces(turn, SMALLEST_ROOM)
        if not there.issuperset(literals(piece.text))
    ]
    left = room - counter(written)
    chosen = digest.select(found, left, counter, [written]) if found else []
    text = f"{written}\n{digest.write(chosen)}" if chosen else written
    return Summary(text, _covers(fold), trust_of(fold.turns, fold.previous))


def _covers(fold: Fold) -> tuple[int, ...]:
    earlier = fold.previous.covers if fold.previous else ()
    return tuple(sorted({*earlier, *(turn.at for turn in fold.turns)}))
