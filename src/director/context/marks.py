"""The high and the low mark: when a history is rewritten, and how far.

A rewrite breaks the provider's cached prefix, so it happens only when the limit would be passed,
and then in one batch down to the low mark. Every decision is a function of the history up to a
model call, so feeding the whole history gives what feeding it call by call gave.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from director.context.sizes import context_size, head_size, turn_size
from director.context.units import thoughts, unthinking
from director.context.values import AgentTurn, Budget, Context, Turn, messages

Cut: TypeAlias = Callable[[Context, Budget, int], Context]
Arrive: TypeAlias = Callable[[Turn, int, bool], Turn]

EXPECTED_CALLS = 6
REWRITE_SHARE = 0.25
SHALLOWEST, DEEPEST, BESIDE_HEAD = 0.98, 0.49, 0.3
SMALLEST_ROOM, SHARE = 1_500, 0.1
ABOVE_MINIMUM = 1.1


def low_mark(head: int, arriving: float, budget: Budget) -> int:
    """Where a rewrite ends: as high as its price allows, spread over the calls until the next.

    `arriving` is what a call brings. At a mark m the prefix behind the head is written anew every
    (limit - m) / arriving calls; that may cost a share of what reading the cache costs anyway.
    """
    if budget.target is not None:
        return min(budget.target, budget.limit)
    rest = max(0, budget.limit - head)
    rewriting = (budget.prices.write - budget.prices.read) * arriving
    reading = REWRITE_SHARE * budget.prices.read * budget.limit
    wanted = (head * rewriting + budget.limit * reading) / max(1e-9, rewriting + reading)
    # Beside a large head, which stays cached, a rewrite of the small rest is cheap.
    share = DEEPEST + BESIDE_HEAD * max(0.0, 1 - 2 * rest / max(1, head))
    deep = max(head + share * rest, _cacheable(budget))
    return int(min(head + SHALLOWEST * rest, max(deep, wanted), budget.limit))


def room_at(size: int, budget: Budget) -> int:
    """Characters that one result may take when it arrives at a context of a size.

    A share of the budget, never less than a paragraph. Below the smallest prefix that a provider
    caches every token is paid in full at every call, so up to there shrinking saves nothing.
    """
    share = max(SMALLEST_ROOM, int(budget.limit * 4 * SHARE))
    return max(share, (_cacheable(budget) - size) * 4)


def _cacheable(budget: Budget) -> int:
    """The size from which a context is cached, if the limit leaves room above it."""
    enough = int(budget.prices.minimum * ABOVE_MINIMUM)
    return enough if budget.limit >= enough * ABOVE_MINIMUM else 0


def as_it_is(turn: Turn, room: int, crossed: bool, /) -> Turn:  # noqa: ARG001, FBT001
    """Let a turn arrive unchanged."""
    return turn


class Scan:
    """A walk along a history: what is kept so far, and the marks passed on the way."""

    def __init__(self, start: Context, budget: Budget, strategy: Sticky) -> None:
        """Begin at a context without turns."""
        self.budget, self.cut, self.arrive = budget, strategy.cut, strategy.arrive
        self.messages = strategy.messages
        self.start, self.given_sections = start, start.sections
        self.turns: list[Turn] = []
        self.size = context_size(start, budget.counter)
        self.count = context_size(start, messages)
        self.arrived = 0
        self.calls = self.seen = 0
        self.crossed = start.summary is not None
        self.loop_broken = False
        # What a call here would send; copies share it until either walks on.
        self.cuts: dict[tuple[Cut, int], Context] = {}

    def copy(self) -> Scan:
        """The same state, free to walk on without changing this one."""
        other = Scan.__new__(Scan)
        other.budget, other.cut, other.arrive = self.budget, self.cut, self.arrive
        other.messages, other.count = self.messages, self.count
        other.start, other.given_sections = self.start, self.given_sections
        other.turns = self.turns.copy()
        other.size, other.arrived = self.size, self.arrived
        other.calls, other.seen = self.calls, self.seen
        other.crossed, other.loop_broken = self.crossed, self.loop_broken
        other.cuts = self.cuts
        return other

    def add(self, turn: Turn) -> None:
        """Walk over one turn; an agent's turn shows that the model was called before it."""
        if isinstance(turn, AgentTurn):
            self.call()
            if self.loop_broken and turn.thinking:
                turn = unthinking(turn)
        else:
            self.loop_broken = False
        turn = self.arrive(turn, room_at(self.size, self.budget), self.crossed)
        self.turns.append(turn)
        size = turn_size(turn, self.budget.counter)
        self.size += size
        self.count += turn_size(turn, messages)
        self.arrived += size
        self.seen += 1
        self.cuts = {}

    def call(self) -> None:
        """The model is called here: rewrite if the limit would be passed."""
        self.calls += 1
        crowded = self.messages is not None and self.count >= 2 * self.messages
        if self.size <= self.budget.limit and not crowded:
            return
        context = self.context()
        head = head_size(context, self.budget.counter)
        low = self.budget.limit
        if self.size > low:
            low = low_mark(head, self._per_call(), self.budget)
        if (self.cut, low) not in self.cuts:
            self.cuts[self.cut, low] = self.cut(context, self.budget, low)
        smaller = self.cuts[self.cut, low]
        self.crossed = True
        size = context_size(smaller, self.budget.counter)
        if size < self.size:
            self.loop_broken = self.loop_broken or self._breaks_loop(smaller)
            self.turns, self.size = list(smaller.turns), size
            self.count = context_size(smaller, messages)
            self.start = Context(smaller.sections, (), smaller.summary, smaller.fold)
            self.cuts = {}

    def _per_call(self) -> float:
        """Tokens that a call brings; before a second one is seen there is no prefix to spare."""
        if self.calls == 1:
            return 0.0
        return self.arrived / max(self.calls, self.seen / 2)

    def _breaks_loop(self, smaller: Context) -> bool:
        """Whether a turn of the open loop left or lost its thinking."""
        kept = {turn.at: turn for turn in smaller.turns}
        for turn in reversed(self.turns):
            if not isinstance(turn, AgentTurn):
                return False
            left = kept.get(turn.at)
            if thoughts(turn) and not (isinstance(left, AgentTurn) and thoughts(left)):
                return True
        return False

    def context(self) -> Context:
        """What would be sent now."""
        start = self.start
        return Context(start.sections, tuple(self.turns), start.summary, start.fold)


class Sticky:
    """A strategy made of a cut and a way to arrive; `scan` lets a caller resume the walk."""

    def __init__(self, cut: Cut, arrive: Arrive = as_it_is, *, messages: int | None = None) -> None:
        """Remember what to do at a crossing and on arrival.

        With `messages`, twice as many messages are a crossing too.
        """
        self.cut, self.arrive, self.messages = cut, arrive, messages

    def scan(self, start: Context, budget: Budget) -> Scan:
        """Begin a walk at a context without turns."""
        return Scan(start, budget, self)

    def __call__(self, context: Context, budget: Budget, /) -> Context:
        """Walk the whole history, as if it had been fed call by call."""
        scan = self.scan(Context(context.sections, (), context.summary, context.fold), budget)
        for turn in context.turns:
            scan.add(turn)
        scan.call()
        return scan.context()
