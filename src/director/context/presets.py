"""The presets, by the names that users give: sliding_window, checkpoint, hybrid, adaptive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

from director.context.checkpoint import Phases, checkpoint, checkpoint_cut
from director.context.fold import fold_cut
from director.context.importance import PruningRules
from director.context.marks import EXPECTED_CALLS, Cut, Sticky
from director.context.shrink import Shrinking, on_arrival, shrink_cut, squeeze_cut
from director.context.sizes import context_size, head_size
from director.context.strategy import in_turn
from director.context.values import Budget, Context
from director.context.window import window_cut

StrategyName: TypeAlias = Literal["sliding_window", "checkpoint", "hybrid", "adaptive"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a preset can be told."""

    shrinking: Shrinking = field(default_factory=Shrinking)
    preserve_errors: bool = True
    phases: Phases = field(default_factory=Phases)
    rules: PruningRules = field(default_factory=PruningRules)


def hybrid(options: Options | None = None) -> Sticky:
    """Large results shrink on arrival; at a crossing old turns become one summary."""
    options = options or Options()
    return Sticky(fold_cut(options.shrinking, rules=options.rules), on_arrival(options.shrinking))


def adaptive(options: Options | None = None) -> Sticky:
    """Like hybrid until a crossing; there the cheapest of the presets that fits."""
    options = options or Options()
    cuts = (
        fold_cut(options.shrinking, rules=options.rules),
        checkpoint_cut(options.shrinking, options.phases),
        _window(options),
    )
    return Sticky(cheapest(cuts), on_arrival(options.shrinking))


def cheapest(cuts: tuple[Cut, ...]) -> Cut:
    """The cut whose result costs least until the next one, among those that fit.

    What was cut from view comes back at a rate, at full price: a cut to the bone is not free.
    """

    def cut(context: Context, budget: Budget, low: int, /) -> Context:
        before = context_size(context, budget.counter)
        head = head_size(context, budget.counter)

        def cost(smaller: Context) -> tuple[bool, float]:
            size = context_size(smaller, budget.counter)
            read = budget.prices.read if size >= budget.prices.minimum else budget.prices.write
            return size > low, (
                budget.prices.write * (size - head)
                + EXPECTED_CALLS * read * size
                + EXPECTED_CALLS * budget.prices.recall * budget.prices.write * (before - size)
            )

        best = min((each(context, budget, low) for each in cuts), key=cost)
        size = context_size(best, budget.counter)
        return cut(best, budget, low) if low < size < before else best

    return cut


def _window(options: Options) -> Cut:
    window = window_cut(preserve_errors=options.preserve_errors)
    return in_turn((shrink_cut(options.shrinking), window, squeeze_cut))


def _sliding(options: Options) -> Sticky:
    return Sticky(_window(options), on_arrival(options.shrinking))


def _checkpoint(options: Options) -> Sticky:
    return checkpoint(options.shrinking, options.phases)


PRESETS: Mapping[str, Callable[[Options], Sticky]] = MappingProxyType(
    {
        "sliding_window": _sliding,
        "checkpoint": _checkpoint,
        "hybrid": hybrid,
        "adaptive": adaptive,
    }
)
