"""`recall`: reads back what a notice or a citation names."""

from __future__ import annotations

from director.context.notices import reference_of
from director.context.report import calls_of
from director.context.values import AgentTurn, Context, Turn


def recall(context: Context, handle: str) -> str:
    """The original text behind a handle: `t12` a whole turn, eight hex digits a result."""
    turns = (*(context.fold.turns if context.fold else ()), *context.turns)
    if handle.startswith("t") and handle[1:].isdigit():
        for turn in turns:
            if turn.at == int(handle[1:]):
                return whole(turn)
    for _, call in calls_of(turns):
        original = call.result if call.original is None else call.original
        if reference_of(original) == handle:
            return original
    message = (
        f"nothing is known by the handle {handle!r}: a handle is 't' and a turn's number, "
        "or the eight hex digits of a notice"
    )
    raise KeyError(message)


def whole(turn: Turn) -> str:
    """All of a turn as text: what was said, and each call with its result as it came."""
    if not isinstance(turn, AgentTurn):
        return turn.text
    lines = [turn.text] if turn.text else []
    for call in turn.calls:
        result = call.result if call.original is None else call.original
        lines.append(f"{call.tool} {call.args}\n{result}")
    return "\n".join(lines)
