"""Compaction: when a history is made smaller, and how far.

Below the trigger nothing changes. Compaction breaks the provider's cached prefix, so it happens
only when the trigger would be passed, and then in one batch down to the target. Every decision is a
function of the history up to a model call, so feeding the whole history gives what feeding it call
by call gave.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import TypeAlias

from director.context.sizes import context_size, head_size, summary_size, turn_size
from director.context.units import floor_size, thoughts, unthinking
from director.context.unseen import cut_unseen, rerender_unseen, restore_unseen, unseen_size
from director.context.user_turns import cut_requests, holds_cut_request
from director.context.values import AgentTurn, Budget, Context, Turn, messages

Cut: TypeAlias = Callable[[Context, Budget, int], Context]
Ingest: TypeAlias = Callable[[Turn, int, bool], Turn]

EXPECTED_CALLS = 6
BREAK_SHARE = 0.25
SHALLOWEST, DEEPEST, BESIDE_HEAD = 0.98, 0.35, 0.25
SMALLEST_ROOM, SHARE = 1_500, 0.1
ABOVE_MINIMUM = 1.1
BESIDE_FLOOR, BESIDE_UNSEEN, CACHED_HEAD = 0.3, 0.25, 0.2
MOST_KEPT = 0.5
FILLED = 1.0


def target_size(head: int, per_call: float, budget: Budget) -> int:
    """Where a compaction ends: as high as its price allows, spread over the calls until the next.

    `per_call` is what a call brings. At a target m the prefix behind the head is written anew every
    (limit - m) / per_call calls; that may cost a share of what reading the cache costs anyway.
    """
    limit = budget.compacts_above
    if budget.target is not None:
        return min(budget.target, limit)
    if limit < budget.prices.minimum:
        # Nothing so small is cached: to write it anew costs no more than to send it again.
        return limit
    rest = max(0, limit - head)
    breaking = (budget.prices.write - budget.prices.read) * per_call
    reading = BREAK_SHARE * budget.prices.read * limit
    wanted = (head * breaking + limit * reading) / max(1e-9, breaking + reading)
    # Beside a large head, which stays cached, writing the small rest anew is cheap.
    share = DEEPEST + BESIDE_HEAD * head / max(1, limit)
    deep = max(head + share * rest, _cacheable(budget))
    return int(min(head + SHALLOWEST * rest, max(deep, wanted), limit))


def room_at(size: int, budget: Budget) -> int:
    """Characters that the compact form of one result may take in a context of a size.

    A share of the budget, never less than a paragraph. Below the smallest prefix that a provider
    caches every token is paid in full at every call, so up to there shrinking saves nothing.
    """
    share = max(SMALLEST_ROOM, int(budget.limit * 4 * SHARE))
    return max(share, (_cacheable(budget) - size) * 4)


def _cacheable(budget: Budget) -> int:
    """The size from which a context is cached, if the limit leaves room above it."""
    enough = int(budget.prices.minimum * ABOVE_MINIMUM)
    return enough if budget.limit >= enough * ABOVE_MINIMUM else 0


def as_it_is(turn: Turn, _room: int, _compacted: bool, /) -> Turn:  # noqa: FBT001
    """Take a turn in unchanged."""
    return turn


def keeps_summary(context: Context, budget: Budget, floor: int | None = None) -> bool:
    """Whether the summary stays as it is at a compaction, and a part is added behind it.

    What is written anew costs its full price; what stays is still cached. A summary that takes
    too much of what is not fixed is merged instead. With a set target there is no such choice.
    """
    if context.summary is None or budget.target is not None:
        return False
    free = budget.compacts_above - (floor_size(context, budget) if floor is None else floor)
    return summary_size(context.summary, budget.counter) <= MOST_KEPT * free


class CompactionState:
    """A walk along a history: what is kept so far, and what the next decision depends on."""

    def __init__(self, start: Context, budget: Budget, strategy: Compactor) -> None:
        """Begin at a context without turns."""
        self.budget, self.cut, self.ingest = budget, strategy.cut, strategy.ingest
        self.messages, self.recalls = strategy.messages, strategy.recalls
        self.cuts_requests = strategy.cuts_requests
        self.start, self.given_sections = start, start.sections
        self.turns: list[Turn] = []
        self.size = context_size(start, budget.counter)
        self.count = context_size(start, messages)
        self.ingested = 0
        self.calls = self.seen = 0
        self.compacted = start.summary is not None
        self.loop_broken = False
        # What a call here would send; copies share it until either walks on.
        self.cuts: dict[tuple[Cut, int], Context] = {}
        self.shown: Context | None = None

    def copy(self) -> CompactionState:
        """The same state, free to walk on without changing this one."""
        other = CompactionState.__new__(CompactionState)
        other.__dict__.update(self.__dict__)
        other.turns = self.turns.copy()
        return other

    def add(self, turn: Turn) -> None:
        """Walk over one turn; an agent's turn shows that the model was called before it."""
        if isinstance(turn, AgentTurn):
            self.call()
            if self.loop_broken and turn.thinking:
                turn = unthinking(turn)
        else:
            self.loop_broken = False
        turn = self.ingest(turn, room_at(self.size, self.budget), self.compacted)
        self.turns.append(turn)
        size = turn_size(turn, self.budget.counter)
        self.size += size
        self.count += turn_size(turn, messages)
        self.ingested += size
        self.seen += 1
        self.cuts, self.shown = {}, None

    def call(self) -> None:
        """The model is called here: compact if the trigger would be passed.

        Where a request was cut that nobody has answered, only what is sent is smaller: once it is
        answered, or more is asked of it, it is cut for that.
        """
        self.calls += 1
        self.shown = None
        crowded = self.messages is not None and self.count >= 2 * self.messages
        if self.size <= self.budget.compacts_above and not crowded:
            return
        given = context = self.context()
        floor = floor_size(context, self.budget)
        if floor > self.budget.limit:
            # What is new has to give way: first its notation, before anything that is known.
            context = rerender_unseen(context, recalls=self.recalls)
            if self.cuts_requests:
                context = cut_requests(context, self.budget, recalls=self.recalls)
            floor = floor_size(context, self.budget)
        low = self._target(context, floor)
        if (self.cut, low) not in self.cuts:
            smaller = self.cut(context, self.budget, low)
            smaller = cut_unseen(smaller, self.budget, recalls=self.recalls)
            self.cuts[self.cut, low] = restore_unseen(smaller, given, self.budget)
        smaller = self.cuts[self.cut, low]
        if holds_cut_request(smaller.turns) and not holds_cut_request(given.turns):
            self.shown = smaller
            return
        self.compacted = True
        size = context_size(smaller, self.budget.counter)
        if size < self.size:
            self.loop_broken = self.loop_broken or self._breaks_loop(smaller)
            self.turns, self.size = list(smaller.turns), size
            self.count = context_size(smaller, messages)
            self.start = Context(smaller.sections, (), smaller.summary, smaller.fold)
            self.cuts = {}

    def _target(self, context: Context, floor: int) -> int:
        """Where this compaction ends; what may not be touched leaves half of the rest."""
        limit, counter = self.budget.compacts_above, self.budget.counter
        if self.size <= limit:
            return limit
        keeps = keeps_summary(context, self.budget, floor)
        kept = summary_size(context.summary, counter) if keeps else 0
        head = head_size(context, counter) + kept
        low = target_size(head, self._per_call(), self.budget)
        if self.budget.target is not None:
            return low
        floor += kept
        if floor >= limit:
            return limit
        # What no model has seen gives way at the next compaction; the rest of the floor stays.
        lasting = floor - unseen_size(context, counter)
        cached = head / max(1, limit)
        beside = (
            floor + (BESIDE_UNSEEN + CACHED_HEAD * cached) * (limit - floor),
            lasting + (BESIDE_FLOOR + CACHED_HEAD * cached) * (limit - lasting),
        )
        low = max(low, int(max(beside)))
        # A gap that the next call fills anyway spares no break: better filled with what is known.
        return limit if limit - low < FILLED * self._per_call() else low

    def _per_call(self) -> float:
        """Tokens that a call brings; before a second one is seen there is no prefix to spare."""
        if self.calls == 1:
            return 0.0
        return self.ingested / max(self.calls, self.seen / 2)

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
        return self.shown or replace(self.start, turns=tuple(self.turns))


class Compactor:
    """A strategy made of a cut and a way to take turns in; `begin` lets a caller resume."""

    def __init__(
        self,
        cut: Cut,
        ingest: Ingest = as_it_is,
        *,
        messages: int | None = None,
        recalls: bool = True,
        cuts_requests: bool = True,
    ) -> None:
        """Remember what to do at a compaction and with each turn that comes in.

        With `messages`, twice as many messages are a trigger too. `recalls` says that the notice
        of a text that had to be cut may name a reference. Unless it `cuts_requests`, one that is
        too large is left for the caller to refuse.
        """
        self.cut, self.ingest, self.messages, self.recalls = cut, ingest, messages, recalls
        self.cuts_requests = cuts_requests

    def with_cut(self, cut: Cut) -> Compactor:
        """The same strategy by another cut."""
        other = copy(self)
        other.cut = cut
        return other

    def begin(self, start: Context, budget: Budget) -> CompactionState:
        """Begin a walk at a context without turns."""
        return CompactionState(start, budget, self)

    def __call__(self, context: Context, budget: Budget, /) -> Context:
        """Walk the whole history, as if it had been fed call by call."""
        state = self.begin(replace(context, turns=()), budget)
        for turn in context.turns:
            state.add(turn)
        state.call()
        return state.context()
