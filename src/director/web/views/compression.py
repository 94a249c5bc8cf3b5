"""What can be compressed now, in units that can only leave together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from director.context.sizes import turn_size
from director.context.values import AgentTurn, Counter, Turn, UserTurn
from director.sections.section_texts import write_summary_spans
from director.store.context_view import View

_LINE = 90
SizeOf: TypeAlias = Callable[[Turn, Counter], int]


@dataclass(frozen=True, slots=True)
class Unit:
    """Turns that can only leave together: their numbers, a line about them, their tokens."""

    turns: tuple[int, ...]
    span: str
    line: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Offer:
    """How many messages can be compressed, and how many tokens they take."""

    user: int
    agent: int
    tokens: int
    builds_on: int
    units: tuple[Unit, ...]

    @property
    def count(self) -> int:
        """All of them."""
        return self.user + self.agent


def make_compression_offer(
    now: View, counter: Counter, *, units: bool = True, size: SizeOf = turn_size
) -> Offer | None:
    """What can be compressed, with its `units` if they are wanted; None if there is nothing."""
    turns: dict[int, list[Turn]] = {}
    for turn in now.context.turns:
        turns.setdefault(turn.at, []).append(turn)
    chosen = [at for seqs in now.units for at in seqs]
    if not chosen:
        return None
    user = sum(any(isinstance(turn, UserTurn) for turn in turns[at]) for at in chosen)
    covers = len(now.current.summary.covers) if now.current else 0
    tokens = sum(size(turn, counter) for at in chosen for turn in turns[at])
    listed = tuple(_unit(seqs, turns, counter) for seqs in now.units) if units else ()
    return Offer(user, len(chosen) - user, tokens, covers, listed)


def _unit(seqs: tuple[int, ...], turns: dict[int, list[Turn]], counter: Counter) -> Unit:
    every = [turn for at in seqs for turn in turns.get(at, ())]
    size = sum(turn_size(turn, counter) for turn in every)
    return Unit(seqs, write_summary_spans(seqs), _line(every), size)


def _line(turns: list[Turn]) -> str:
    said = next((turn.text for turn in turns if turn.text.strip()), "")
    calls = [call.tool for turn in turns if isinstance(turn, AgentTurn) for call in turn.calls]
    told = " ".join(said.split()) or ", ".join(dict.fromkeys(calls))
    if said and calls:
        told = f"{told[: _LINE - 20]} · {len(calls)} calls"
    return told if len(told) <= _LINE else f"{told[: _LINE - 1]}…"
