"""Units: the smallest runs of turns that a provider lets us remove, and which of them must stay.

A provider's own compaction stands among the thinking of its turn, is opaque, and stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from director.context.values import AgentTurn, Turn, UserTurn
from director.context.wire.shape import word

Unit: TypeAlias = tuple[Turn, ...]


def units(turns: Sequence[Turn]) -> list[Unit]:
    """Split turns into units: a turn each, but a loop of agent turns that holds thinking is one."""
    found: list[Unit] = []
    loop: list[AgentTurn] = []
    for turn in turns:
        if isinstance(turn, AgentTurn):
            loop.append(turn)
            continue
        found += _loop_units(loop)
        loop = []
        found.append((turn,))
    return found + _loop_units(loop)


def _loop_units(loop: list[AgentTurn]) -> list[Unit]:
    if any(map(thoughts, loop)):
        return [tuple(loop)]
    return [(turn,) for turn in loop]


def protected(parts: Sequence[Unit]) -> set[int]:
    """Indices of the units that no strategy may remove.

    These are the pinned turns, the latest request of the user, the latest compaction by the
    provider, and the last agent unit with all that follows it.
    """
    stay = {i for i, unit in enumerate(parts) if isinstance(unit[0], UserTurn) and unit[0].pinned}
    users = [i for i, unit in enumerate(parts) if isinstance(unit[0], UserTurn)]
    agents = [i for i, unit in enumerate(parts) if isinstance(unit[0], AgentTurn)]
    stay.update(users[-1:])
    stay.update([i for i in agents if any(map(_compacts, parts[i]))][-1:])
    if agents:
        stay.update(range(agents[-1], len(parts)))
    return stay


def without_thinking(turns: Sequence[Turn]) -> list[Turn]:
    """The same turns with their thinking gone, so that a loop may be cut anywhere."""
    return [
        unthinking(turn) if isinstance(turn, AgentTurn) and turn.thinking else turn
        for turn in turns
    ]


def unthinking(turn: AgentTurn) -> AgentTurn:
    """The turn without its thinking."""
    thought = thoughts(turn)
    return replace(turn, thinking=tuple(b for b in turn.thinking if b not in thought))


def thoughts(turn: AgentTurn) -> tuple[object, ...]:
    """The thinking of a turn that is no compaction."""
    if not turn.thinking:
        return ()
    return tuple(block for block in turn.thinking if word(block, "type") != "compaction")


def _compacts(turn: Turn) -> bool:
    return isinstance(turn, AgentTurn) and len(thoughts(turn)) < len(turn.thinking)


def has_error(unit: Unit) -> bool:
    """Whether a call of the unit failed."""
    return any(call.failed for turn in unit if isinstance(turn, AgentTurn) for call in turn.calls)
