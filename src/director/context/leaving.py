"""How turns leave a context: whole units, in an order, and all of them into the fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from director.context.sizes import context_size, turn_size
from director.context.units import Unit
from director.context.values import Budget, Context, Fold, Turn


def drop(
    context: Context, parts: Sequence[Unit], order: Sequence[int], budget: Budget, low: int
) -> Context:
    """Remove units in an order until the mark is reached; all that leaves is in the fold."""
    size = context_size(context, budget.counter)
    gone: set[int] = set()
    for i in order:
        if size <= low:
            break
        gone.add(i)
        size -= sum(turn_size(turn, budget.counter) for turn in parts[i])
    if not gone:
        return context
    left = [turn for i in sorted(gone) for turn in parts[i]]
    kept = tuple(turn for i, unit in enumerate(parts) if i not in gone for turn in unit)
    summary = context.summary
    if summary:
        covers = tuple(sorted({*summary.covers, *(turn.at for turn in left)}))
        summary = replace(summary, covers=covers)
    return replace(context, turns=kept, summary=summary, fold=folded_away(context, left))


def folded_away(context: Context, gone: Sequence[Turn]) -> Fold:
    """The context's fold with more turns in it, in their order."""
    before = context.fold or Fold((), context.summary)
    turns = sorted((*before.turns, *gone), key=lambda turn: turn.at)
    return Fold(tuple(turns), before.previous)
