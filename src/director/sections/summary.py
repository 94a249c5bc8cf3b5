"""The summary section: what older turns said, in short, as trusted as the least of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from director.context.values import Section, Summary
from director.sections.boundary import wrap_section

_MOST = 12


@lru_cache(maxsize=2)
def render_summary_section(summary: Summary | None) -> Section | None:
    """The newest summary, and the turns that it stands for; the same until the next one."""
    if summary is None:
        return None
    covers = f"In place of turns {_name_turns(summary.covers)}, which recall can read:\n"
    return wrap_section(
        "summary", f"{covers if summary.covers else ''}{summary.text}", summary.trust
    )


def _name_turns(covers: Sequence[int]) -> str:
    """The turns, as long as they can be named in a few words; a section must not grow with them."""
    named = write_summary_spans(covers)
    if named.count(",") < _MOST:
        return named
    return f"{min(covers)}-{max(covers)}, but for those that are shown"


def write_summary_spans(numbers: Iterable[int]) -> str:
    """Numbers in order, runs of them as `1-9`."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)
