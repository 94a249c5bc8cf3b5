"""Doubts: before a run counts as passed, reasons why it may be wrong. Pure functions on values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from director.runs.doubts.doubt import (
    Doubt,
    RowReading,
    explain_doubt,
    is_dismissed,
    parse_doubt,
)
from director.runs.doubts.effects_done import EffectSeen, find_effect_doubts
from director.runs.doubts.failed_rounds import LoopSeen, find_failed_rounds
from director.runs.doubts.fewer_rows import find_fewer_rows, find_short_page
from director.runs.doubts.hidden_rows import find_hidden_rows
from director.runs.doubts.left_by_limit import find_left_rounds, find_left_rows
from director.runs.doubts.notice_rows import find_notice_rows
from director.runs.doubts.other_pages import find_other_pages
from director.runs.doubts.repeated_rows import find_repeated_rows
from director.runs.doubts.row_counts import find_missing_rows, find_undrawn
from director.runs.doubts.value_doubts import find_value_doubts
from director.workflow.values import Config, Json

__all__ = ["Doubt", "EffectSeen", "LoopSeen", "RowReading", "find_doubts", "parse_doubt"]


def find_doubts(  # noqa: PLR0913  each kind of thing that can be doubted
    readings: Sequence[RowReading],
    effects: Sequence[EffectSeen] = (),
    loops: Sequence[LoopSeen] = (),
    told: Sequence[Doubt] = (),
    *,
    earlier: Mapping[str, Sequence[Json]] | None = None,
    checks: Mapping[str, Sequence[Config]] | None = None,
) -> list[Doubt]:
    """Every doubt about a run that no person has dismissed, each once.

    `told` are those that a step told itself. `earlier` are the rows that each node read in the last
    run that passed, and `checks` those of the nodes that act.
    """
    found: list[Doubt] = [*told]
    known = dict(checks or {})
    for reading in readings:
        known.setdefault(reading.node, reading.checks)
        shares = sum(each.kind == reading.kind for each in readings) > 1 and bool(reading.kind)
        before = (earlier or {}).get(reading.node, ())
        found += [
            doubt
            for doubt in _doubt_reading(reading, before, counts=not shares)
            if not _has_told(doubt, told)
        ]
    for reading in _join_readings(readings):
        found += find_missing_rows(reading)
    for seen in effects:
        found += find_effect_doubts(seen)
    for loop in loops:
        found += find_failed_rounds(loop)
        found += find_left_rounds(loop)
    open_ = [
        explain_doubt(each, known.get(each.node, ()))
        for each in found
        if not is_dismissed(each, known.get(each.node, ()))
    ]
    return list({(each.node, each.kind, each.sentence): each for each in open_}.values())


def _has_told(doubt: Doubt, told: Sequence[Doubt]) -> bool:
    """Whether a step told itself that its list has other items, or pages that it did not read."""
    same = [each for each in told if (each.node, each.kind) == (doubt.node, doubt.kind)]
    return doubt.kind in ("total", "next") and bool(same)


def _join_readings(readings: Sequence[RowReading]) -> list[RowReading]:
    """Nodes that read the same of a list into records of one type, together as the last of them."""
    kinds: dict[str, list[RowReading]] = {}
    for reading in readings:
        kinds.setdefault(reading.kind, []).append(reading)
    return [
        replace(same[-1], visits=tuple(visit for one in same for visit in one.visits))
        for kind, same in kinds.items()
        if kind and len(same) > 1
    ]


def _doubt_reading(
    reading: RowReading, before: Sequence[Json], *, counts: bool = True
) -> list[Doubt]:
    """Doubts about a node; those about counts only if no other reads the same list."""
    doubts = [*find_other_pages(reading)]
    if not reading.only_counts:
        known = {each.kind for each in doubts}
        missing = find_missing_rows(reading) if counts else ()
        doubts += [each for each in missing if each.kind not in known]
        if not any(each.kind in ("total", "nothing") for each in doubts):
            doubts += find_hidden_rows(reading)
        doubts += find_repeated_rows(reading)
        doubts += find_value_doubts(reading, before)
        doubts += find_notice_rows(reading)
        doubts += find_left_rows(reading)
    else:
        doubts += find_undrawn(reading, reading.visits)
    if not any(each.kind in ("total", "nothing", "next", "early") for each in doubts):
        doubts += [*find_short_page(reading)] or [*find_fewer_rows(reading, before)]
    return doubts


# Names of one release ago; they go with the next.
doubt_from = parse_doubt
