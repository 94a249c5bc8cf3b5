"""A history that is compacted call by call: each call goes on where the one before it stopped.

What is sent depends on the turns and on the budget, never on whether the state was kept: feeding
the whole history at once gives the same.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import is_

from director.context.compaction import CompactionState, Compactor, Cut
from director.context.values import Budget, Context, Section, Turn


class ResumableCompaction:
    """One history on its way: the turns that were taken in, and what was sent at the last call.

    `cuts` counts the times that the strategy cut anything on the way.
    """

    def __init__(self, strategy: Compactor, start: Context, budget: Budget) -> None:
        """Begin at a context without turns."""
        self.cuts = 0
        self.sent = start
        self._fed: list[Turn] = []
        self._ahead: tuple[Turn, CompactionState] | None = None
        self._state = strategy.with_cut(self._count_cuts(strategy.cut)).begin(start, budget)

    @property
    def length(self) -> int:
        """How many turns were taken in for good."""
        return len(self._fed)

    @property
    def fold_turns(self) -> tuple[Turn, ...]:
        """The turns that left so far, without those that leave at the latest call only."""
        fold = self._state.start.fold
        return fold.turns if fold else ()

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections as they were given."""
        return self._state.given_sections

    def goes_on(self, turns: Sequence[Turn]) -> bool:
        """Whether turns begin with those that were taken in, the very same."""
        return len(self._fed) <= len(turns) and all(map(is_, self._fed, turns))

    def change_strategy(self, strategy: Compactor) -> None:
        """Cut by another strategy from here on."""
        self._state.cut = self._count_cuts(strategy.cut)
        self._ahead = None

    def advance(
        self, turns: Sequence[Turn], *, settled: int | None = None, gone: Collection[int] = ()
    ) -> Context:
        """Take in what is new, and what is sent if the model is called here.

        Turns from `settled` on may still change: they are looked at, not taken in. Turns whose
        place is in `gone` are covered by a summary already.
        """
        settled = len(turns) if settled is None else settled
        for turn in turns[len(self._fed) : settled]:
            if turn.at not in gone:
                self._take_in(turn)
            self._fed.append(turn)
        # The turn after a call makes it again, so that nothing depends on a call that failed.
        ahead = self._state.copy()
        for turn in turns[settled:]:
            ahead.add(turn)
            self._ahead = (turn, ahead.copy())
        ahead.call()
        self.sent = ahead.context()
        return self.sent

    def _take_in(self, turn: Turn) -> None:
        """Add a turn for good; where the look ahead went there already, it is the state."""
        looked, self._ahead = self._ahead, None
        if looked is not None and looked[0] is turn:
            self._state = looked[1]
        else:
            self._state.add(turn)

    def _count_cuts(self, cut: Cut) -> Cut:
        def count_and_cut(context: Context, budget: Budget, low: int, /) -> Context:
            self.cuts += 1
            return cut(context, budget, low)

        return count_and_cut
