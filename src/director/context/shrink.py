"""`shrink`: less text for the same result, decided when it arrives and never again differently.

A pure function of one result, a level and a room that depends on the budget alone, so the cached
prefix stays. What went is said in one line that counts toward the size and carries a handle by
which the original can be read back.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from types import ModuleType

from director.context.marks import Arrive, Cut, Sticky, room_at
from director.context.memory import remembered
from director.context.shapes import (
    code,
    diff,
    html,
    log,
    prose,
    record,
    search,
    shell,
    snapshot,
    table,
)
from director.context.sizes import context_size
from director.context.values import AgentTurn, Budget, Call, Context, Level, Turn

SHAPES: tuple[ModuleType, ...] = (
    snapshot,
    html,
    diff,
    search,
    log,
    record,
    table,
    shell,
    code,
    prose,
)
_NOTICE = re.compile(r"\n\[(?:[\d,]+ of [\d,]+ characters|same facts); recall ([0-9a-f]{8})\]$")

SQUEEZES = (0.5, 0.25, 0.1)


@dataclass(frozen=True, slots=True)
class Shrinking:
    """How results shrink: the level, the shapes left alone, how deep a page is indented."""

    level: Level = "medium"
    skip: frozenset[str] = frozenset()
    depth: int = 12
    keeps_latest_image: bool = True


def handle_of(text: str) -> str:
    """The name by which an original can be recalled: a digest of its text."""
    return hashlib.blake2s(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def noticed(text: str) -> str | None:
    """The handle in the notice of a text that was shrunk before, or None."""
    found = _NOTICE.search(text[-80:])
    return found[1] if found else None


@remembered
def shrink_text(text: str, how: Shrinking, room: int) -> str:
    """The text in fewer characters with a notice, or the text itself where that gains nothing."""
    level = how.level
    if level == "none" or noticed(text):
        return text
    shape = next(shape for shape in SHAPES if shape.recognise(text))
    if shape.__name__.rpartition(".")[2] in how.skip:
        return text
    smaller: str = shape.render(text, level, room)
    lossless = smaller if level == "low" else shape.render(text, "low", room)
    if shape is snapshot and level != "low":
        smaller = _less_indented(smaller, how.depth)
    whole = with_notice(smaller, text, same=smaller == lossless)
    return whole if len(whole) < len(text) else text


def _less_indented(text: str, depth: int) -> str:
    deeper = re.compile(rf"^ {{{depth},}}", re.MULTILINE)
    return deeper.sub(" " * depth, text)


def with_notice(smaller: str, original: str, *, same: bool = False) -> str:
    """A shorter text with one line that says what went and how to read the original."""
    said = "same facts" if same else f"{len(smaller):,} of {len(original):,} characters"
    return f"{smaller}\n[{said}; recall {handle_of(original)}]"


def shrink_call(call: Call, how: Shrinking, room: int) -> Call:
    """The call with its result shrunk, the original kept beside it."""
    smaller = shrink_text(call.result, how, room)
    if smaller == call.result:
        return call
    return replace(call, result=smaller, original=call.result)


def shrink_turn(turn: Turn, how: Shrinking, room: int, larger_than: int = 0) -> Turn:
    """The turn with every result above a size shrunk; a user's turn as it is."""
    if not isinstance(turn, AgentTurn) or not turn.calls:
        return turn
    calls = tuple(
        shrink_call(call, how, room) if len(call.result) > larger_than else call
        for call in turn.calls
    )
    return turn if calls == turn.calls else replace(turn, calls=calls)


def on_arrival(how: Shrinking) -> Arrive:
    """Large results shrink when they arrive, small ones only once the limit was first passed."""

    def arrive(turn: Turn, room: int, crossed: bool, /) -> Turn:  # noqa: FBT001
        return shrink_turn(turn, how, room, 0 if crossed else room)

    return arrive


def shrink(level: Level = "medium") -> Sticky:
    """The strategy: large results shrink on arrival, the small ones at a crossing."""
    how = Shrinking(level)
    return Sticky(shrink_cut(how), on_arrival(how))


def shrink_cut(how: Shrinking) -> Cut:
    """A cut that shrinks every result that is not shrunk yet, and nothing else."""

    def cut(context: Context, budget: Budget, low: int, /) -> Context:
        room = room_at(low, budget)
        return replace(context, turns=tuple(shrink_turn(turn, how, room) for turn in context.turns))

    return cut


def squeeze_cut(context: Context, budget: Budget, low: int, /) -> Context:
    """The last resort: results rendered anew from their originals, with ever less room."""
    smaller = context
    for share in SQUEEZES:
        room = int(room_at(low, budget) * share)
        turns = tuple(_squeeze_turn(turn, room) for turn in context.turns)
        smaller = replace(context, turns=turns)
        if context_size(smaller, budget.counter) <= low:
            break
    return smaller


def _squeeze_turn(turn: Turn, room: int) -> Turn:
    if not isinstance(turn, AgentTurn):
        return turn
    return replace(turn, calls=tuple(_squeeze_call(call, room) for call in turn.calls))


def _squeeze_call(call: Call, room: int) -> Call:
    original = call.result if call.original is None else call.original
    smaller = shrink_text(original, Shrinking("high"), room)
    if len(smaller) >= len(call.result):
        return call
    return replace(call, result=smaller, original=original)
