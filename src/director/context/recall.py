"""`recall`: reads back what a notice or a citation names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from director.context.notices import reference_of
from director.context.report import calls_of
from director.context.values import AgentTurn, Context, Turn

_TURNS = re.compile(r"t(\d{1,9})(?:\s*(?:-|–|\.\.)\s*t?(\d{1,9}))?")


def recall(context: Context, reference: str) -> str:
    """The original behind a reference: `t12` a whole turn, `t3–t5` several, hex digits a text."""
    turns = (*(context.fold.turns if context.fold else ()), *context.turns)
    named = _TURNS.fullmatch(reference)
    if named is not None:
        first, last = int(named[1]), int(named[2] or named[1])
        found = _find_turns(turns, first, last)
        if found:
            return "\n".join(found)
    for turn in turns:
        original = turn.text if turn.original is None else turn.original
        if reference_of(original) == reference:
            return original
    for _, call in calls_of(turns):
        original = call.result if call.original is None else call.original
        if reference_of(original) == reference:
            return original
    message = (
        f"nothing is known by the reference {reference!r}: it is 't' and a turn's number, "
        "or the eight hex digits of a notice"
    )
    raise KeyError(message)


def _find_turns(turns: Sequence[Turn], first: int, last: int) -> list[str]:
    """The turns of a range as texts, each with its number where there are several."""
    found = [turn for turn in sorted(turns, key=lambda turn: turn.at) if first <= turn.at <= last]
    if last <= first:
        return [whole(turn) for turn in found]
    return [f"t{turn.at}: {whole(turn)}" for turn in found]


def whole(turn: Turn) -> str:
    """All of a turn as text: what was said, and each call with its result as it came."""
    said = turn.text if turn.original is None else turn.original
    if not isinstance(turn, AgentTurn):
        return said
    lines = [said] if said else []
    for call in turn.calls:
        result = call.result if call.original is None else call.original
        lines.append(f"{call.tool} {call.args}\n{result}")
    return "\n".join(lines)
