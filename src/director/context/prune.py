"""`prune`: whole units leave, the least important first, and all of them are in the fold."""

from __future__ import annotations

from director.context.importance import PruningRules, importance, says_the_same
from director.context.leaving import drop
from director.context.marks import Cut, Sticky
from director.context.sizes import context_size
from director.context.units import protected, units
from director.context.values import Budget, Context


def prune_cut(rules: PruningRules | None = None) -> Cut:
    """A cut that drops repetitions and what is below the threshold, then the least important."""
    rules = rules or PruningRules()

    def cut(context: Context, budget: Budget, low: int, /) -> Context:
        parts = units(context.turns)
        stay = protected(parts)
        loose = [i for i in range(len(parts)) if i not in stay]
        scores = importance(parts, rules)
        idle = {
            i
            for i in loose
            if scores[i] < rules.importance_threshold
            or (rules.merge_similar and says_the_same(parts, i))
        }
        smaller = drop(context, parts, sorted(idle), budget, 0)
        order = sorted(idle) + sorted(set(loose) - idle, key=lambda i: (scores[i], i))
        if context_size(smaller, budget.counter) > low:
            smaller = drop(context, parts, order, budget, low)
        return smaller

    return cut


def prune(rules: PruningRules | None = None) -> Sticky:
    """The strategy: at a crossing the least important units leave."""
    return Sticky(prune_cut(rules))
