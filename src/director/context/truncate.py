"""Sections give way in order, one step after another, until they fit.

`truncate` shortens those that are not pinned, the last first; the pinned ones never, and a
shortened one says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from director.context.compaction import Compactor
from director.context.sizes import context_size, section_size
from director.context.values import Budget, Context, Counter, Section

NOTICE = "\n[… section shortened]"
S = TypeVar("S", bound=Section)


@dataclass(frozen=True, slots=True)
class TruncationStep(Generic[S]):
    """One step: its rule in words, the section that gives way, and the sections after it."""

    rule: str
    section: str
    shorten: Callable[[tuple[S, ...]], tuple[S, ...]]


@dataclass(frozen=True, slots=True)
class SectionCut:
    """A step that was taken: its rule, the section, the tokens of all before and after."""

    rule: str
    section: str
    before: int
    after: int


def truncate_in_order(
    sections: tuple[S, ...],
    limit: int,
    *,
    measure: Callable[[tuple[S, ...]], int],
    steps: Iterable[TruncationStep[S]],
) -> tuple[tuple[S, ...], tuple[SectionCut, ...]]:
    """The sections within the limit, if the steps can do it, and the cuts that were made."""
    cuts: list[SectionCut] = []
    size = measure(sections)
    for step in steps:
        if size <= limit:
            break
        shorter = step.shorten(sections)
        if shorter != sections:
            after = measure(shorter)
            cuts.append(SectionCut(step.rule, step.section, size, after))
            sections, size = shorter, after
    return sections, tuple(cuts)


def truncate_cut(context: Context, budget: Budget, low: int, /) -> Context:
    """Shorten or drop sections that are not pinned, the last first, down to the mark."""
    counter = budget.counter
    limit = low - context_size(replace(context, sections=()), counter)

    def measure(sections: tuple[Section, ...]) -> int:
        return sum(section_size(section, counter) for section in sections)

    def shorten_at(place: int) -> Callable[[tuple[Section, ...]], tuple[Section, ...]]:
        def shorten(sections: tuple[Section, ...]) -> tuple[Section, ...]:
            section = sections[place]
            room = section_size(section, counter) - (measure(sections) - limit)
            shorter = _shorten(section, room, counter)
            return (*sections[:place], *([shorter] if shorter else []), *sections[place + 1 :])

        return shorten

    steps = (
        TruncationStep("section shortened", section.name, shorten_at(place))
        for place, section in reversed(list(enumerate(context.sections)))
        if not section.pinned
    )
    sections, _ = truncate_in_order(context.sections, limit, measure=measure, steps=steps)
    return replace(context, sections=sections)


def _shorten(section: Section, room: int, counter: Counter) -> Section | None:
    """The beginning of a section within the room, None if nothing worth reading is left."""
    body = section.text.removesuffix(NOTICE)
    share = room / max(1, section_size(section, counter))
    keep = int(len(body) * share) - len(NOTICE)
    while keep > len(NOTICE):
        shorter = replace(section, text=body[:keep] + NOTICE, native=None)
        if section_size(shorter, counter) <= room:
            return shorter
        keep = int(keep * 0.8)
    return None


truncate = Compactor(truncate_cut)
