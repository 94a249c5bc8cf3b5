"""Page history: the newest snapshot of a page in full, an older one as a difference or a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from director.context.memory import remember
from director.context.notices import with_notice
from director.context.shapes.snapshot_history import difference, headline, page_of
from director.context.units import unseen_turn
from director.context.values import AgentTurn, Call, Turn

page = remember(page_of)
line = remember(headline)
_gone = remember(difference)


def shorten_older_pages(turns: Sequence[Turn], *, recalls: bool = True) -> list[Turn]:
    """The turns with every snapshot that a later one of the same page replaces made brief."""
    newest: dict[str, str] = {}
    out: list[Turn] = []
    unseen = unseen_turn(turns)
    for i in range(len(turns) - 1, -1, -1):
        turn = turns[i]
        if isinstance(turn, AgentTurn) and turn.calls:
            calls = tuple(
                _brief(call, newest, unseen=i == unseen, recalls=recalls) for call in turn.calls
            )
            out.append(turn if calls == turn.calls else replace(turn, calls=calls))
        else:
            out.append(turn)
    return out[::-1]


def _brief(call: Call, newest: dict[str, str], *, unseen: bool, recalls: bool) -> Call:
    original = call.result if call.original is None else call.original
    shown = page(original)
    if shown is None:
        return call
    if shown not in newest or unseen:
        newest.setdefault(shown, original)
        return call
    gone = _gone(original, newest[shown])
    said = f"{line(original)}\n{gone}" if gone else line(original)
    smaller = with_notice(said, original, recalls=recalls)
    if len(smaller) >= len(call.result):
        return call
    return replace(call, result=smaller, original=original)
