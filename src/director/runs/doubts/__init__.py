"""Doubts: before a run counts as passed, reasons why it may be wrong. Pure functions on values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from director.runs.doubts.column_changes import find_column_doubts
from director.runs.doubts.doubt import Doubt, RowReading, doubt_from, is_dismissed
from director.runs.doubts.effects_done import EffectSeen, find_effect_doubts
from director.runs.doubts.failed_rounds import LoopSeen, find_failed_rounds
from director.runs.doubts.fewer_rows import find_fewer_rows
from director.runs.doubts.repeated_rows import find_repeated_rows
from director.runs.doubts.row_counts import find_missing_rows
from director.workflow.values import Config, Json

__all__ = ["Doubt", "EffectSeen", "LoopSeen", "RowReading", "doubt_from", "find_doubts"]


def find_doubts(
    readings: Sequence[RowReading],
    effects: Sequence[EffectSeen] = (),
    loops: Sequence[LoopSeen] = (),
    *,
    earlier: Mapping[str, Sequence[Json]] | None = None,
    checks: Mapping[str, Sequence[Config]] | None = None,
) -> list[Doubt]:
    """Every doubt about a run that nobody has dismissed, each once.

    `earlier` are the rows that each node read in the last run that passed, and `checks` those of
    the nodes that act.
    """
    found: list[Doubt] = []
    for reading in readings:
        before = (earlier or {}).get(reading.node, ())
        doubts: list[Doubt] = []
        if not reading.only_counts:
            doubts += find_missing_rows(reading)
            doubts += find_repeated_rows(reading)
            doubts += find_column_doubts(reading, before)
        if not any(each.kind in ("total", "nothing", "next") for each in doubts):
            doubts += find_fewer_rows(reading, before)
        found += [each for each in doubts if not is_dismissed(each, reading.checks)]
    for seen in effects:
        known = (checks or {}).get(seen.node, ())
        found += [each for each in find_effect_doubts(seen) if not is_dismissed(each, known)]
    for loop in loops:
        known = (checks or {}).get(loop.node, ())
        found += [each for each in find_failed_rounds(loop) if not is_dismissed(each, known)]
    return list({(each.node, each.kind, each.sentence): each for each in found}.values())
