"""The one interface, and the combinators that are strategies too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from director.context.compaction import Compactor, Cut, Ingest
from director.context.sizes import context_size
from director.context.values import Budget, Context, Turn


class Strategy(Protocol):
    """Turns a context into one that fits the budget better. Pure: same in, same out."""

    def __call__(self, context: Context, budget: Budget, /) -> Context:
        """Return the context to send."""
        ...


def chain(*strategies: Strategy) -> Strategy:
    """Apply strategies one after the other."""
    parts = [each for each in strategies if isinstance(each, Compactor)]
    if len(parts) == len(strategies):
        return _one(parts, stop=False)

    def apply_all(context: Context, budget: Budget, /) -> Context:
        for strategy in strategies:
            context = strategy(context, budget)
        return context

    return apply_all


def until_fits(*strategies: Strategy) -> Strategy:
    """Apply strategies, least loss first, and stop as soon as the context fits."""
    parts = [each for each in strategies if isinstance(each, Compactor)]
    if len(parts) == len(strategies):
        return _one(parts, stop=True)

    def escalate(context: Context, budget: Budget, /) -> Context:
        for strategy in strategies:
            context = strategy(context, budget)
            if context_size(context, budget.counter) <= budget.limit:
                break
        return context

    return escalate


def _one(parts: list[Compactor], *, stop: bool) -> Compactor:
    sizes = [part.messages for part in parts if part.messages]
    cut = in_turn([part.cut for part in parts], stop=stop)
    recalls = all(part.recalls for part in parts)
    cuts_requests = all(part.cuts_requests for part in parts)
    return Compactor(
        cut,
        _ingest_all(parts),
        messages=min(sizes, default=None),
        recalls=recalls,
        cuts_requests=cuts_requests,
    )


def in_turn(cuts: Sequence[Cut], *, stop: bool = True) -> Cut:
    """One compaction for all: were each to compact by itself, the prefix would break each time."""

    def cut(context: Context, budget: Budget, low: int, /) -> Context:
        size = context_size(context, budget.counter) + 1
        while low < context_size(context, budget.counter) < size:
            size = context_size(context, budget.counter)
            for each in cuts:
                if stop and context_size(context, budget.counter) <= low:
                    break
                context = each(context, budget, low)
        return context

    return cut


def _ingest_all(parts: list[Compactor]) -> Ingest:
    def ingest(turn: Turn, room: int, compacted: bool, /) -> Turn:  # noqa: FBT001
        for part in parts:
            turn = part.ingest(turn, room, compacted)
        return turn

    return ingest
