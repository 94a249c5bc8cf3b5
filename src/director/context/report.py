"""The report: what was given, what is sent, what was lost and why, by kind and by turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from director.context.notices import reference_of
from director.context.sizes import (
    context_size,
    result_size,
    section_size,
    summary_size,
    turn_size,
)
from director.context.units import find_protected, units
from director.context.values import AgentTurn, Budget, Call, Context, Counter, Turn

KINDS = ("system", "user", "agent", "calls", "results", "summary")


@dataclass(frozen=True, slots=True)
class Kind:
    """The tokens of one kind of content, as given and as sent."""

    name: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Loss:
    """What became smaller or left: where it stood, why, and the reference that brings it back."""

    turn: int
    what: str
    before: int
    after: int
    reference: str

    @property
    def handle(self) -> str:
        """The name of `reference` one release ago."""
        return self.reference


@dataclass(frozen=True, slots=True)
class Report:
    """A comparison of input and output, in the tokens of a named counter with a stated error."""

    before: int
    after: int
    limit: int
    warn: int | None
    counter: str
    error: float
    repairs: tuple[str, ...]
    given: Context
    sent: Context
    counting: Counter
    gone: tuple[int, ...] | None = None

    @property
    def fits(self) -> bool:
        """Whether what is sent is within the limit."""
        return self.after <= self.limit

    @property
    def warns(self) -> bool:
        """Whether a user should be told that the limit is near."""
        return self.warn is not None and self.after >= self.warn

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Tokens by kind of content, as given and as sent."""
        before, after = by_kind(self.given, self.counting), by_kind(self.sent, self.counting)
        return tuple(Kind(name, before[name], after[name]) for name in KINDS)

    @property
    def losses(self) -> tuple[Loss, ...]:
        """Everything that became smaller or left, the largest first."""
        found = [*_shrunk(self.sent, self.counting), *self._cut(), *self._list_folded()]
        return tuple(sorted(found, key=lambda loss: loss.after - loss.before))

    @property
    def floor(self) -> tuple[tuple[str, int], ...]:
        """What may not be removed, by name and size, the largest first."""
        parts = units(self.sent.turns)
        named = [
            (section.name, section_size(section, self.counting)) for section in self.sent.sections
        ]
        named += [
            (f"turn {turn.at}", turn_size(turn, self.counting))
            for i in sorted(find_protected(parts))
            for turn in parts[i]
        ]
        return tuple(sorted(named, key=lambda pair: -pair[1]))

    def _cut(self) -> Iterator[Loss]:
        for turn in self.sent.turns:
            if turn.original is not None:
                who = "agent" if isinstance(turn, AgentTurn) else "user"
                before, after = self.counting(turn.original), self.counting(turn.text)
                reference = reference_of(turn.original)
                yield Loss(turn.at, f"{who}'s turn cut", before, after, reference)

    def _list_folded(self) -> Iterator[Loss]:
        turns = self.sent.fold.turns if self.sent.fold else ()
        sizes = self.gone or [turn_size(turn, self.counting) for turn in turns]
        for turn, size in zip(turns, sizes, strict=True):
            what = "agent's turn folded" if isinstance(turn, AgentTurn) else "user's turn folded"
            yield Loss(turn.at, what, size, 0, f"t{turn.at}")

    def __str__(self) -> str:
        """One line for a person."""
        state = "fits" if self.fits else "does not fit"
        return (
            f"{self.before:,} → {self.after:,} of {self.limit:,} tokens ({state}; "
            f"counted by {self.counter} ±{self.error:.0%}; {len(self.losses)} parts smaller)"
        )


def report_on(  # noqa: PLR0913  each has a name
    given: Context,
    sent: Context,
    budget: Budget,
    *,
    before: int | None = None,
    repairs: tuple[str, ...] = (),
    gone: Sequence[int] | None = None,
) -> Report:
    """Compare what was given with what is sent.

    `before`, and the sizes of the turns that are `gone`, save counting what was counted.
    """
    counter = budget.counter
    size = context_size(given, counter) if before is None else before
    after = context_size(sent, counter)
    return Report(
        before=size,
        after=after,
        limit=budget.limit,
        warn=budget.warn,
        counter=counter.name,
        error=counter.error,
        repairs=repairs,
        given=given,
        sent=sent,
        counting=counter,
        gone=None if gone is None else tuple(gone),
    )


def by_kind(context: Context, counter: Counter) -> dict[str, int]:
    """Tokens of a context by kind of content."""
    sizes = dict.fromkeys(KINDS, 0)
    sizes["system"] = sum(section_size(section, counter) for section in context.sections)
    sizes["summary"] = summary_size(context.summary, counter)
    for turn in context.turns:
        size = turn_size(turn, counter)
        if not isinstance(turn, AgentTurn):
            sizes["user"] += size
            continue
        results = sum(result_size(call, counter) for call in turn.calls)
        said = turn_size(replace(turn, calls=()), counter)
        sizes["results"] += results
        sizes["calls"] += size - results - said
        sizes["agent"] += said
    return sizes


def _shrunk(context: Context, counter: Counter) -> Iterator[Loss]:
    for turn, call in calls_of(context.turns):
        if call.original is not None:
            yield Loss(
                turn.at,
                f"result of {call.tool} shrunk",
                counter(call.original),
                counter(call.result),
                reference_of(call.original),
            )


def calls_of(turns: tuple[Turn, ...]) -> Iterator[tuple[AgentTurn, Call]]:
    """Every call with its turn."""
    for turn in turns:
        if isinstance(turn, AgentTurn):
            for call in turn.calls:
                yield turn, call
