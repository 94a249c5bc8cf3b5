"""Walks along a conversation that are kept between requests: each goes on where it stopped.

What a walk gives depends on the turns and on the marks it was begun with, never on whether it was
kept. What stands beside a history, and how far a counter is off, changes with every request; so
the marks are set at steps, and two requests seldom need different ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Generic, TypeAlias, TypeVar

from director.context.presets import PRESETS, Options
from director.context.resumable import ResumableCompaction
from director.context.sizes import context_size, turn_size
from director.context.unseen import cut_unseen
from director.context.values import Budget, Context, Counter, Section, Summary, Turn
from director.counting import Calibration

T = TypeVar("T")
_STEPS = 32
_EIGHTS = 8
_KEPT = 6

_Key: TypeAlias = tuple[str, tuple[Section, ...], Summary | None, Budget, bool]


class Once(Generic[T]):
    """Something worked out of turns, once for each turn that is still there."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Turn, T]] = {}

    def of(self, turns: Sequence[Turn], made: Callable[[Turn], T]) -> list[T]:
        """What is made of each of the turns; what was known of others is forgotten."""
        known = self._known
        found = [known.get(id(turn)) or (turn, made(turn)) for turn in turns]
        self._known = {id(turn): each for turn, each in zip(turns, found, strict=True)}
        return [one for _, one in found]


class Sizes:
    """The tokens of turns, each counted once, whatever is found out about the counter later."""

    def __init__(self) -> None:
        self._counter: Counter | None = None
        self._known: Once[int] = Once()

    def of(self, turns: Sequence[Turn], measure: Calibration) -> list[int]:
        """The tokens of each turn, as they are measured now."""
        counter, factor = measure.base, measure.factor
        if counter is not self._counter:
            self._counter, self._known = counter, Once()
        bare = self._known.of(turns, lambda turn: turn_size(turn, counter))
        return [round(size * factor) for size in bare]


class Walks:
    """The walks of one conversation, and the sizes of its turns; nothing outlives its turns."""

    def __init__(self) -> None:
        self.given, self.gone = Sizes(), Sizes()
        self._walks: dict[_Key, ResumableCompaction] = {}

    def within(
        self, room: Budget, context: Context, *, strategy: str, limit: int, measure: Calibration
    ) -> Context:
        """The context as it is if there is room for it, else cut.

        `limit` is that of the whole request, of which the room is left; `measure` that of the
        room's counter. A walk counts by the bare counter, which stays the same.
        """
        raw, factor = replace(room, counter=measure.base, warn=None), measure.factor
        wide = replace(raw, limit=limit * _EIGHTS // max(1, int(factor * _EIGHTS)))
        whole = self._walk(strategy, context, wide, whole=True)
        if not whole.cuts and context_size(whole.sent, room.counter) <= room.limit:
            return whole.sent
        step = max(1, limit // _STEPS)
        most = max(1, int(room.limit / factor))
        most = most // step * step or most
        cut = self._walk(strategy, context, replace(raw, limit=most)).sent
        if context_size(cut, room.counter) > room.limit and most > step:
            # Roundings of many small texts may add up to more than the room.
            cut = self._walk(strategy, context, replace(raw, limit=most - step)).sent
        return cut

    def _walk(
        self, strategy: str, context: Context, budget: Budget, *, whole: bool = False
    ) -> ResumableCompaction:
        key = (strategy, context.sections, context.summary, budget, whole)
        going = {at: walk for at, walk in self._walks.items() if walk.goes_on(context.turns)}
        start = replace(context, turns=())
        walk = going.pop(key, None) or ResumableCompaction(
            PRESETS[strategy](Options()), start, budget
        )
        if not (whole and walk.cuts):
            walk.advance(context.turns)
        self._walks = {**dict(list(going.items())[1 - _KEPT :]), key: walk}
        return walk


class SingleCut(Walks):
    """Cuts a history once, at its end: for how small it can be, not for what is sent."""

    def within(
        self, room: Budget, context: Context, *, strategy: str, limit: int, measure: Calibration
    ) -> Context:
        """The context cut to the room, without a look at the calls on the way there."""
        raw = replace(room, counter=measure.base, warn=None, limit=min(room.limit, limit))
        cutting = PRESETS[strategy](Options())
        smaller = cutting.cut(context, raw, raw.limit)
        return cut_unseen(smaller, raw, recalls=cutting.recalls)
