"""What the model that writes a summary is asked: the rules, the state, and the conversation.

The conversation itself is written by the engine; here it gets what is needed to understand it, and
nothing in it can pass for the end of the conversation or for another turn. Pure: who is asked, and
whether the answer is any good, is decided elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import replace

from director.context.request import request
from director.context.sizes import section_size
from director.context.values import AgentTurn, Context, Counter, Fold, Section, Turn, UserTurn
from director.sections.boundary import NAMES, bounded, guarded
from director.sections.render import section
from director.sections.state import State
from director.sections.system import prompt

BESIDE = ("description", "plan", "workflow", "variables", "browser")
_WITHIN = (*NAMES, "conversation", "earlier_summary")
# How a turn begins in the conversation, and only there.
_TURN = re.compile(r"^(\\*\[\d+\])", re.MULTILINE)


def compression_sections(state: State, tokens: int) -> tuple[Section, ...]:
    """The rules for a summary of so many tokens, the system prompt, and the state as it is now."""
    rules = guarded(prompt("compress").replace("{tokens}", f"{tokens:,}"))
    beside = (section(name, state) for name in BESIDE)
    return (
        Section("compress", rules),
        bounded("system", prompt("system"), "system"),
        *(one for one in beside if one is not None),
    )


def compression_request(
    state: State, fold: Fold, *, tokens: int, counter: Counter, room: int
) -> Context:
    """The whole request for a summary of folded turns, which fits into the room."""
    sections = compression_sections(state, tokens)
    left = room - sum(section_size(one, counter) for one in sections) - counter.per_message
    asked = request(_guarded(fold), tokens, counter, max(0, left))
    return Context(sections, (UserTurn(1, asked),))


def _guarded(fold: Fold) -> Fold:
    previous = fold.previous
    if previous is not None:
        # Its lines may begin with the turns that they cite.
        previous = replace(previous, text=guarded(previous.text, _WITHIN))
    return Fold(tuple(_turn(turn) for turn in fold.turns), previous)


def _turn(turn: Turn) -> Turn:
    if isinstance(turn, UserTurn):
        return replace(turn, text=_marked(turn.text))
    calls = tuple(
        replace(call, args=_marked(call.args), result=_marked(call.result)) for call in turn.calls
    )
    return AgentTurn(turn.at, _marked(turn.text), calls)


def _marked(text: str) -> str:
    return _TURN.sub(r"\\\1", guarded(text, _WITHIN))
