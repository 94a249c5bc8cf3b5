"""Importance: what a unit is worth, told by rules: role, recency, literals used later, errors."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from director.context.literals import literals
from director.context.units import Unit, has_error
from director.context.values import AgentTurn, Turn, UserTurn


@dataclass(frozen=True, slots=True)
class PruningRules:
    """What counts as important, and how far errors shine."""

    importance_threshold: float = 0.3
    merge_similar: bool = True
    keep_error_context: int = 5


def importance(
    parts: Sequence[Unit], rules: PruningRules, wanted: Sequence[int]
) -> dict[int, float]:
    """A score from 0 to 1 for each unit that is asked for, by its place, in their order."""
    if not wanted:
        return {}
    later = _count_used_later(parts, frozenset(wanted))
    errors = (i for i in range(len(parts) - 1, -1, -1) if has_error(parts[i]))
    failed = next(errors, None)
    return {
        i: min(
            1.0,
            (0.4 if isinstance(parts[i][0], UserTurn) else 0.15)
            + 0.25 * (i + 1) / len(parts)
            + 0.25 * min(1.0, later[i] / 4)
            + (0.3 if failed is not None and abs(i - failed) <= rules.keep_error_context else 0.0),
        )
        for i in wanted
    }


def _count_used_later(parts: Sequence[Unit], wanted: Collection[int]) -> dict[int, int]:
    """How many literals of each unit that is asked for a later request names."""
    used: set[str] = set()
    later: dict[int, int] = {}
    for i in range(len(parts) - 1, min(wanted) - 1, -1):
        if i in wanted:
            said = (_literals(text) for turn in parts[i] for text in _list_texts(turn))
            later[i] = len(frozenset[str]().union(*(used & found for found in said)))
        for turn in parts[i]:
            for text in _list_requests(turn):
                used |= _literals(text)
    return later


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
    if i + 1 >= len(parts) or len(parts[i]) != len(parts[i + 1]):
        return False
    return all(map(_are_same, parts[i], parts[i + 1]))


def _are_same(one: Turn, other: Turn) -> bool:
    if type(one) is not type(other) or one.text != other.text:
        return False
    return _list_calls(one) == _list_calls(other)


def _list_calls(turn: Turn) -> list[tuple[str, str, str]]:
    calls = turn.calls if isinstance(turn, AgentTurn) else ()
    return [(call.tool, call.args, call.result) for call in calls]
