"""`prune`: whole units leave, the least important first, and all of them are in the fold."""

from __future__ import annotations

from dataclasses import replace

from director.context.compaction import Compactor, Cut
from director.context.importance import PruningRules, importance, says_the_same
from director.context.sizes import context_size
from director.context.units import find_protected, units
from director.context.user_turns import drop, keep_users
from director.context.values import AgentTurn, Budget, Context, UserTurn


def prune_cut(rules: PruningRules | None = None) -> Cut:
    """A cut that drops repetitions and what is below the threshold, then the least important."""
    rules = rules or PruningRules()

    def cut(context: Context, budget: Budget, low: int, /) -> Context:
        parts = units(context.turns)
        stay = find_protected(parts)
        cut_parts, users = keep_users(context, parts, budget)
        if cut_parts != parts:
            context = replace(context, turns=tuple(turn for unit in cut_parts for turn in unit))
            parts = cut_parts
        loose = [i for i in range(len(parts)) if i not in stay | users]
        scores = importance(parts, rules, range(len(parts)))
        idle = {
            i
            for i in loose
            if isinstance(parts[i][0], AgentTurn)
            and (
                scores[i] < rules.importance_threshold
                or (rules.merge_similar and says_the_same(parts, i))
            )
        }
        smaller = drop(context, parts, sorted(idle), budget, 0)
        said = [i for i in loose if isinstance(parts[i][0], UserTurn)]
        done = set(loose) - idle - set(said)
        order = [*sorted(idle), *sorted(done, key=lambda i: (scores[i], i)), *said]
        if context_size(smaller, budget.counter) > low:
            smaller = drop(context, parts, order, budget, low)
        return smaller

    return cut


def prune(rules: PruningRules | None = None) -> Compactor:
    """The strategy: at a compaction the least important units leave."""
    return Compactor(prune_cut(rules))
