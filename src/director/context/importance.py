"""Importance: what a unit is worth, told by rules: role, recency, literals used later, errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from director.context.literals import literals
from director.context.units import Unit, has_error
from director.context.values import AgentTurn, UserTurn


@dataclass(frozen=True, slots=True)
class PruningRules:
    """What counts as important, and how far errors shine."""

    importance_threshold: float = 0.3
    merge_similar: bool = True
    keep_error_context: int = 5


def importance(parts: Sequence[Unit], rules: PruningRules) -> list[float]:
    """A score from 0 to 1 for each unit."""
    used: set[str] = set()
    later = [0.0] * len(parts)
    for i in range(len(parts) - 1, -1, -1):
        said = frozenset[str]().union(
            *(_literals(t) for turn in parts[i] for t in _list_texts(turn))
        )
        later[i] = min(1.0, len(said & used) / 4)
        used.update(*(_literals(text) for turn in parts[i] for text in _list_requests(turn)))
    failed = [i for i, unit in enumerate(parts) if has_error(unit)][-1:]
    return [
        min(
            1.0,
            (0.4 if isinstance(unit[0], UserTurn) else 0.15)
            + 0.25 * (i + 1) / len(parts)
            + 0.25 * later[i]
            + (0.3 if any(abs(i - j) <= rules.keep_error_context for j in failed) else 0.0),
        )
        for i, unit in enumerate(parts)
    ]


@lru_cache(maxsize=4_096)
def _literals(text: str) -> frozenset[str]:
    return frozenset(literals(text))


def _list_texts(turn: UserTurn | AgentTurn) -> list[str]:
    calls = turn.calls if isinstance(turn, AgentTurn) else ()
    return [turn.text, *(call.result for call in calls)]


def _list_requests(turn: UserTurn | AgentTurn) -> list[str]:
    return [call.args for call in turn.calls] if isinstance(turn, AgentTurn) else [turn.text]


def says_the_same(parts: Sequence[Unit], i: int) -> bool:
    """Whether the next unit of the same kind repeats this one word for word."""
    return i + 1 < len(parts) and _face(parts[i]) == _face(parts[i + 1])


def _face(unit: Unit) -> list[tuple[str, ...]]:
    return [
        (type(turn).__name__, turn.text)
        + (
            tuple(text for call in turn.calls for text in (call.tool, call.args, call.result))
            if isinstance(turn, AgentTurn)
            else ()
        )
        for turn in unit
    ]
