"""`recall`: reads back what a notice or a citation names."""

from __future__ import annotations

from director.context.notices import reference_of
from director.context.report import calls_of
from director.context.values import AgentTurn, Context, Turn


def recall(context: Context, reference: str) -> str:
    """The original text behind a reference: `t12` a whole turn, eight hex digits what was cut."""
    turns = (*(context.fold.turns if context.fold else ()), *context.turns)
    if reference.startswith("t") and reference[1:].isdigit():
        for turn in turns:
            if turn.at == int(reference[1:]):
                return whole(turn)
    for turn in turns:
        if turn.original is not None and reference_of(turn.original) == reference:
            return turn.original
    for _, call in calls_of(turns):
        original = call.result if call.original is None else call.original
        if reference_of(original) == reference:
            return original
    message = (
        f"nothing is known by the reference {reference!r}: it is 't' and a turn's number, "
        "or the eight hex digits of a notice"
    )
    raise KeyError(message)


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
