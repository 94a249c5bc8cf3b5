"""`checkpoint`: the phases behind us as one short entry: where we are, what is done, what matters.

Phases are named by the caller or found by their words. An entry never passes its size.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from director.context.compaction import Compactor, Cut
from director.context.fold import Folding, fold_cut
from director.context.page_history import line, page
from director.context.shrink import Shrinking
from director.context.units import find_protected, units
from director.context.values import AgentTurn, Budget, Context, Turn

_DONE = re.compile(
    r"\b(?:done|completed|finished|succeeded|success(?:fully)?|confirmed|logged in|submitted)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Phases:
    """The names to look for, and the phases that the caller named, by the turn they began at."""

    names: tuple[str, ...] = ("login", "cart", "checkout")
    named: tuple[tuple[int, str], ...] = ()
    most: int = 500

    def at(self, turns: Sequence[Turn]) -> list[str]:
        """The phases that these turns went through, in order, each once."""
        found = [name for start, name in self.named if any(turn.at >= start for turn in turns)]
        if not found:
            words = [
                (name, re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)) for name in self.names
            ]
            found = [
                name for turn in turns for name, word in words if word.search(_join_texts(turn))
            ]
        return list(dict.fromkeys(found))


def _join_texts(turn: Turn) -> str:
    calls = turn.calls if isinstance(turn, AgentTurn) else ()
    return "\n".join((turn.text, *(f"{call.tool} {call.args}" for call in calls)))


def state_lines(turns: Sequence[Turn], phases: Phases) -> list[str]:
    """Phase, page and what was done, as lines that each fit on a screen."""
    through = phases.at(turns)
    lines = [f"Phase: {through[-1]}"] if through else []
    if through[:-1]:
        lines.append(f"Completed phases: {', '.join(through[:-1])}")
    agents = [turn for turn in turns if isinstance(turn, AgentTurn)]
    pages = [
        call.original or call.result
        for turn in agents
        for call in turn.calls
        if page(call.original or call.result)
    ]
    lines += [f"Page: {line(pages[-1])[:200]}"] if pages else []
    done = [
        said.strip()[:120]
        for turn in agents
        for said in turn.text.splitlines()
        if _DONE.search(said)
    ]
    return lines + [f"Done: {said}" for said in dict.fromkeys(done[-4:])]


def checkpoint_cut(how: Shrinking | None = None, phases: Phases | None = None) -> Cut:
    """A cut that folds all but the open unit into one checkpoint of at most its size."""
    phases = phases or Phases()

    def cut(context: Context, budget: Budget, low: int, /) -> Context:
        parts = units(context.turns)
        stay = find_protected(parts)
        gone = [turn for i, unit in enumerate(parts) if i not in stay for turn in unit]
        heading = state_lines([*(context.fold.turns if context.fold else ()), *gone], phases)
        plan = Folding(how or Shrinking(), phases.most, heading, tail=0.0)
        return fold_cut(plan)(context, budget, low)

    return cut


def checkpoint(how: Shrinking | None = None, phases: Phases | None = None) -> Compactor:
    """The preset: at a compaction the past is one checkpoint."""
    return Compactor(checkpoint_cut(how, phases))


__all__ = ["Phases", "checkpoint", "checkpoint_cut", "state_lines"]
