"""The conformance suite: any strategy against the laws, over generated histories."""

from __future__ import annotations

from dataclasses import dataclass

from director.context.laws import Broken, find_broken_laws
from director.context.strategy import Strategy
from director.context.values import Budget, Context
from director.testing.histories import make_history


@dataclass(frozen=True, slots=True)
class Conformance:
    """How many histories were tried, and the first that broke a law, if one did."""

    tried: int
    seed: int | None = None
    broken: tuple[Broken, ...] = ()
    context: Context | None = None
    budget: Budget | None = None

    @property
    def holds(self) -> bool:
        """Whether every law held on every history."""
        return not self.broken

    def __str__(self) -> str:
        """One sentence, or one a line for each law that broke."""
        if self.holds:
            return f"all laws hold on {self.tried:,} histories"
        lines = [f"history {self.seed} (of {self.tried:,} tried) breaks:"]
        return "\n".join([*lines, *(f"- {each.law}: {each.how}" for each in self.broken)])


def check_strategy(strategy: Strategy, count: int = 1_000, start: int = 0) -> Conformance:
    """Try a strategy on `count` generated histories; stop at the first that breaks a law."""
    for tried, seed in enumerate(range(start, start + count), 1):
        context, budget = make_history(seed)
        broken = find_broken_laws(strategy, context, budget)
        if broken:
            return Conformance(tried, seed, tuple(broken), context, budget)
    return Conformance(count)
