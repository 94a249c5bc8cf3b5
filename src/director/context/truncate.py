"""`truncate`: sections give way in order, the pinned ones never; a shortened one says so."""

from __future__ import annotations

from dataclasses import replace

from director.context.compaction import Compactor
from director.context.sizes import context_size, section_size
from director.context.values import Budget, Context, Counter, Section

NOTICE = "\n[… section shortened]"


def truncate_cut(context: Context, budget: Budget, low: int, /) -> Context:
    """Shorten or drop sections that are not pinned, the last first, down to the mark."""
    excess = context_size(context, budget.counter) - low
    sections = list(context.sections)
    for i in range(len(sections) - 1, -1, -1):
        if excess <= 0:
            break
        section = sections[i]
        if section.pinned:
            continue
        size = section_size(section, budget.counter)
        shorter = _shorten(section, size - excess, budget.counter)
        excess -= size - (section_size(shorter, budget.counter) if shorter else 0)
        if shorter:
            sections[i] = shorter
        else:
            del sections[i]
    return replace(context, sections=tuple(sections))


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
