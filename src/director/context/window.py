"""`sliding_window`: the newest units stay, the oldest leave whole, and what leaves is in the fold.

Errors that are not resolved yet, and turns that say the state changed, leave last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from director.context.leaving import drop
from director.context.marks import Cut, Sticky
from director.context.sizes import context_size, head_size
from director.context.units import Unit, has_error, protected, units
from director.context.values import Budget, Context, Counter, Prices, messages

_CHANGE = re.compile(
    r"logged in|cart updated|order completed|signed in|saved|created", re.IGNORECASE
)


def window_cut(*, preserve_errors: bool = True, size: int | None = None) -> Cut:
    """A cut that drops the oldest units down to the mark, preserved ones last.

    With a size, also back to that many messages once there are twice as many.
    """

    def cut(context: Context, budget: Budget, low: int, /) -> Context:
        smaller = _oldest_gone(context, budget, low, errors=preserve_errors)
        if size is None or context_size(smaller, messages) < 2 * size:
            return smaller
        return _oldest_gone(smaller, message_budget(size), size, errors=preserve_errors)

    return cut


def _oldest_gone(context: Context, budget: Budget, low: int, *, errors: bool) -> Context:
    parts = units(context.turns)
    stay = protected(parts)
    last = _preserved(parts, errors=errors)
    loose = [i for i in range(len(parts)) if i not in stay]
    order = [i for i in loose if i not in last] + [i for i in loose if i in last]
    return drop(context, parts, order, budget, low)


def _preserved(parts: Sequence[Unit], *, errors: bool) -> set[int]:
    failed = [i for i, unit in enumerate(parts) if has_error(unit)]
    kept = {i for i, unit in enumerate(parts) if _CHANGE.search(unit[-1].text)}
    return kept | set(failed[-1:]) if errors else kept


def message_budget(size: int) -> Budget:
    """A budget that counts messages: reached at twice the size, back to the size."""
    return Budget(2 * size - 1, target=size, counter=messages, prices=Prices(minimum=0))


def by_messages(cut: Cut, counter: Counter) -> Cut:
    """A cut for a budget of messages: to half of the tokens, and then to the messages allowed."""
    window = window_cut()

    def counted(context: Context, budget: Budget, low: int, /) -> Context:
        tokens = context_size(context, counter)
        half = (tokens + head_size(context, counter)) // 2
        return window(cut(context, Budget(tokens, counter=counter), half), budget, low)

    return counted


def sliding_window(size: int | None = None, *, preserve_errors: bool = True) -> Sticky:
    """The strategy: cut to the low mark; with a size, back to `size` messages on reaching twice."""
    return Sticky(window_cut(preserve_errors=preserve_errors, size=size), messages=size)
