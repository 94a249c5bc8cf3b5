"""Units: the smallest runs of turns that a provider lets us remove, and which of them must stay.

A provider's own compaction stands among the thinking of its turn, is opaque, and stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from director.context.errors import is_error
from director.context.sizes import section_size, turn_size
from director.context.values import AgentTurn, Budget, Context, Counter, Turn, UserTurn, messages
from director.context.wire.shape import word

Unit: TypeAlias = tuple[Turn, ...]


def units(turns: Sequence[Turn]) -> list[Unit]:
    """Split turns into units: a turn each, but a loop of agent turns that holds thinking is one."""
    if not any(isinstance(turn, AgentTurn) and turn.thinking for turn in turns):
        return [(turn,) for turn in turns]
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


def find_protected(parts: Sequence[Unit]) -> set[int]:
    """Indices of the units that no strategy may remove.

    These are the pinned turns, the first and the latest request of the user, the latest
    compaction by the provider, and the last agent unit with all that follows it.
    """
    stay: set[int] = set()
    user = agent = compaction = -1
    for i, unit in enumerate(parts):
        first = unit[0]
        if isinstance(first, UserTurn):
            user = i
            if first.pinned or first.request:
                stay.add(i)
        else:
            agent = i
            if any(turn.thinking for turn in unit if isinstance(turn, AgentTurn)):
                compaction = i if any(map(_compacts, unit)) else compaction
    stay.update(i for i in (user, compaction) if i >= 0)
    if agent >= 0:
        stay.update(range(agent, len(parts)))
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
    return (
        isinstance(turn, AgentTurn)
        and bool(turn.thinking)
        and len(thoughts(turn)) < len(turn.thinking)
    )


def has_error(unit: Unit) -> bool:
    """Whether a call of the unit failed, by its flag or by what its result says."""
    for turn in unit:
        for call in turn.calls if isinstance(turn, AgentTurn) else ():
            if call.failed or is_error(call.result if call.original is None else call.original):
                return True
    return False


def find_unresolved_errors(parts: Sequence[Unit]) -> Iterator[int]:
    """The units with an error that no later call got past by the same tool, the latest first."""
    passed: set[tuple[str, str]] = set()
    for i in range(len(parts) - 1, -1, -1):
        calls = [call for turn in parts[i] if isinstance(turn, AgentTurn) for call in turn.calls]
        if not calls:
            continue
        if not has_error(parts[i]):
            passed.update((call.tool, call.args) for call in calls)
        elif not all((call.tool, call.args) in passed for call in calls):
            yield i


def unseen_turn(turns: Sequence[Turn]) -> int | None:
    """The index of the turn whose results no model call has seen yet, None if there is none."""
    for i in range(len(turns) - 1, -1, -1):
        turn = turns[i]
        if isinstance(turn, AgentTurn):
            return i if turn.calls else None
    return None


def unit_size(unit: Unit, counter: Counter) -> int:
    """Tokens of a unit."""
    if len(unit) == 1:
        return turn_size(unit[0], counter)
    return sum(turn_size(turn, counter) for turn in unit)


def user_share(budget: Budget) -> int:
    """How much of a budget the words of the user may take before one of them leaves."""
    if budget.counter is messages and budget.target is not None:
        return budget.target // 2
    return budget.limit // 2


def floor_size(context: Context, budget: Budget) -> int:
    """What no compaction touches while it fits.

    These are the sections, what is protected, and the user's words up to their share.
    """
    counter, parts = budget.counter, units(context.turns)
    stay = find_protected(parts)
    users = {i for i, unit in enumerate(parts) if isinstance(unit[0], UserTurn)}
    sizes = {i: unit_size(parts[i], counter) for i in users | stay}
    said = sum(sizes[i] for i in users & stay)
    more = sum(sizes[i] for i in users - stay)
    fixed = sum(section_size(section, counter) for section in context.sections)
    fixed += sum(sizes[i] for i in stay)
    return fixed + min(more, max(0, user_share(budget) - said))
