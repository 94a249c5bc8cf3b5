"""`sliding_window`: the newest units stay, the oldest leave whole, and what leaves is in the fold.

Errors and turns that say the state changed leave late, the words of the user last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from director.context.compaction import Compactor, Cut
from director.context.sizes import context_size, head_size
from director.context.units import Unit, find_protected, has_error, units
from director.context.user_turns import drop, keep_users
from director.context.values import (
    AgentTurn,
    Budget,
    Context,
    Counter,
    Prices,
    UserTurn,
    messages,
)

_CHANGE = re.compile(r"logged in|cart updated|order completed|signed in|saved|created")


_SAID = 600


def window_cut(
    *, preserve_errors: bool = True, size: int | None = None, recalls: bool = True
) -> Cut:
    """A cut that drops the oldest units down to the target, preserved ones last.

    With a size, also back to that many messages once there are twice as many.
    """

    def cut(context: Context, budget: Budget, low: int, /) -> Context:
        window = _Window(preserve_errors, recalls)
        smaller = window.drop_oldest(context, budget, low)
        if size is None or context_size(smaller, messages) < 2 * size:
            return smaller
        return window.drop_oldest(smaller, message_budget(size), size)

    return cut


@dataclass(frozen=True, slots=True)
class _Window:
    """How a window drops: whether errors are preserved, and whether notices name references."""

    errors: bool
    recalls: bool

    def drop_oldest(self, context: Context, budget: Budget, low: int) -> Context:
        """The context without its oldest units, as many as it takes."""
        parts = units(context.turns)
        stay = find_protected(parts)
        cut_parts, users = keep_users(context, parts, budget, low=low, recalls=self.recalls)
        late = self._find_preserved(parts)
        loose = [i for i in range(len(parts)) if i not in stay | users]
        said = [i for i in loose if isinstance(parts[i][0], UserTurn)]
        done = [i for i in loose if i not in said]
        order = [i for i in done if i not in late] + [i for i in done if i in late] + said
        smaller = drop(context, parts, order, budget, low, recalls=self.recalls)
        if context_size(smaller, budget.counter) <= low or cut_parts == parts:
            return smaller
        shorter = replace(context, turns=tuple(turn for unit in cut_parts for turn in unit))
        return drop(shorter, cut_parts, order, budget, low, recalls=self.recalls)

    def _find_preserved(self, parts: Sequence[Unit]) -> set[int]:
        kept = {i for i, unit in enumerate(parts) if _changes_state(unit)}
        failed = {i for i, unit in enumerate(parts) if has_error(unit)} if self.errors else set()
        return kept | failed


def _changes_state(unit: Unit) -> bool:
    return any(
        _CHANGE.search(text.lower())
        for turn in unit
        if isinstance(turn, AgentTurn)
        for text in (turn.text, *(call.result[:_SAID] for call in turn.calls))
    )


def message_budget(size: int) -> Budget:
    """A budget that counts messages: reached at twice the size, back to the size."""
    return Budget(2 * size - 1, target=size, counter=messages, prices=Prices(minimum=0))


def by_messages(cut: Cut, counter: Counter) -> Cut:
    """A cut for a budget of messages: to half of the tokens, and then to the messages allowed."""
    window = window_cut()

    def cut_to_messages(context: Context, budget: Budget, low: int, /) -> Context:
        tokens = context_size(context, counter)
        half = (tokens + head_size(context, counter)) // 2
        return window(cut(context, Budget(tokens, counter=counter), half), budget, low)

    return cut_to_messages


def sliding_window(size: int | None = None, *, preserve_errors: bool = True) -> Compactor:
    """The strategy: cut to the target; with a size, back to `size` messages on reaching twice."""
    return Compactor(window_cut(preserve_errors=preserve_errors, size=size), messages=size)
