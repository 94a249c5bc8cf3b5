"""The presets, by the names that users give: sliding_window, checkpoint, hybrid, adaptive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

from director.context.checkpoint import Phases, checkpoint_cut
from director.context.compaction import EXPECTED_CALLS, Compactor, Cut, Ingest, as_it_is
from director.context.fold import Folding, fold_cut
from director.context.importance import PruningRules
from director.context.shrink import Shrinking, on_ingest, shrink_cut, squeeze
from director.context.sizes import context_size, head_size
from director.context.strategy import in_turn
from director.context.values import Budget, Context
from director.context.window import window_cut

StrategyName: TypeAlias = Literal["sliding_window", "checkpoint", "hybrid", "adaptive"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a preset can be told.

    With `thrift` large results shrink on ingest, before the model has seen them: the cheapest run,
    at the price of what a result says beside its compact form. Unless it `cuts_requests`, a request
    of the user that is too large to be sent stays as it is, so that the caller can refuse it.
    """

    shrinking: Shrinking = field(default_factory=Shrinking)
    preserve_errors: bool = True
    phases: Phases = field(default_factory=Phases)
    rules: PruningRules = field(default_factory=PruningRules)
    thrift: bool = False
    cuts_requests: bool = True

    @property
    def ingest(self) -> Ingest:
        """What happens to a turn that comes in."""
        return on_ingest(self.shrinking) if self.thrift else as_it_is

    def compactor(self, cut: Cut) -> Compactor:
        """A strategy of a cut under these options."""
        return Compactor(
            cut,
            self.ingest,
            recalls=self.shrinking.recalls,
            cuts_requests=self.cuts_requests,
        )

    @property
    def folding(self) -> Folding:
        """How old turns are folded."""
        return Folding(self.shrinking, rules=self.rules)


def hybrid(options: Options | None = None) -> Compactor:
    """At a compaction results take their compact form, and old turns become one summary."""
    options = options or Options()
    return options.compactor(fold_cut(options.folding))


def adaptive(options: Options | None = None) -> Compactor:
    """Like hybrid until a compaction; there the cheapest of the presets that fits."""
    options = options or Options()
    cuts = (
        fold_cut(options.folding),
        checkpoint_cut(options.shrinking, options.phases),
        _window(options),
    )
    return options.compactor(cheapest(cuts))


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
    recalls = options.shrinking.recalls
    window = window_cut(preserve_errors=options.preserve_errors, recalls=recalls)

    def last_resort(context: Context, budget: Budget, low: int, /) -> Context:
        return squeeze(context, budget, low, recalls=recalls)

    return in_turn((shrink_cut(options.shrinking), window, last_resort))


def _sliding(options: Options) -> Compactor:
    return options.compactor(_window(options))


def _checkpoint(options: Options) -> Compactor:
    return options.compactor(checkpoint_cut(options.shrinking, options.phases))


PRESETS: Mapping[str, Callable[[Options], Compactor]] = MappingProxyType(
    {
        "sliding_window": _sliding,
        "checkpoint": _checkpoint,
        "hybrid": hybrid,
        "adaptive": adaptive,
    }
)
