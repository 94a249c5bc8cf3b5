"""`shrink`: the compact form of results, and the room of those that no model has seen yet.

The compact form is a pure function of one result, a level and a room. What went is said in one
line that counts toward the size. A result that no model has seen is whole as long as it fits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from director.context.compaction import Compactor, Cut, Ingest, room_at
from director.context.memory import remember
from director.context.notices import is_lossless, is_noticed, with_notice
from director.context.shapes import snapshot
from director.context.shapes.dispatch import render_lossless, shape_of
from director.context.sizes import context_size, turn_size
from director.context.units import unseen_turn
from director.context.values import AgentTurn, Budget, Call, Context, Level, Turn

SQUEEZES = (0.5, 0.25, 0.1)


@dataclass(frozen=True, slots=True)
class Shrinking:
    """How results shrink: the level, the shapes and tools left alone, how deep a page is indented.

    `levels` are those of single tools; the newest `keep_latest` results shrink only when nothing
    else is left; `recalls` says that a notice may name a reference, since something can open it.
    """

    level: Level = "medium"
    skip: frozenset[str] = frozenset()
    depth: int = 12
    keeps_latest_image: bool = True
    levels: tuple[tuple[str, Level], ...] = ()
    exclude_tools: frozenset[str] = frozenset()
    keep_latest: int = 0
    recalls: bool = True

    def level_of(self, tool: str) -> Level:
        """The level for the results of a tool."""
        if tool in self.exclude_tools:
            return "none"
        return dict(self.levels).get(tool, self.level)


@remember
def shrink_text(text: str, how: Shrinking, room: int) -> str:
    """The text in fewer characters with a notice, or the text itself where that gains nothing."""
    level = how.level
    if level == "none" or is_noticed(text):
        return text
    shape = shape_of(text)
    if shape.__name__.rpartition(".")[2] in how.skip:
        return text
    smaller: str = shape.render(text, level, room)
    lossless = smaller if level == "low" else render_lossless(text)
    if shape is snapshot and level != "low":
        smaller = _less_indented(smaller, how.depth)
    whole = with_notice(smaller, text, recalls=how.recalls, same=smaller == lossless)
    return whole if len(whole) < len(text) else text


def _less_indented(text: str, depth: int) -> str:
    deeper = re.compile(rf"^ {{{depth},}}", re.MULTILINE)
    return deeper.sub(" " * depth, text)


def shrink_call(call: Call, how: Shrinking, room: int, *, loses: bool = True) -> Call:
    """The call with its result shrunk, the original kept beside it; at "high" in half the room."""
    level = how.level_of(call.tool)
    room = room // 2 if level == "high" else room
    smaller = shrink_text(call.result, replace(how, level=level, levels=()), room)
    if smaller == call.result or not (loses or is_lossless(smaller)):
        return call
    return replace(call, result=smaller, original=call.result)


def shrink_turn(
    turn: Turn, how: Shrinking, room: int, larger_than: int = 0, *, loses: bool = True
) -> Turn:
    """The turn with every result above a size shrunk; a user's turn as it is.

    Unless it `loses`, only results whose compact form says the same facts are touched.
    """
    if not isinstance(turn, AgentTurn) or not turn.calls:
        return turn
    calls = tuple(
        shrink_call(call, how, room, loses=loses) if len(call.result) > larger_than else call
        for call in turn.calls
    )
    return turn if calls == turn.calls else replace(turn, calls=calls)


def on_ingest(how: Shrinking) -> Ingest:
    """Large results shrink on ingest, small ones only once there was a compaction: `thrift`."""

    def ingest(turn: Turn, room: int, compacted: bool, /) -> Turn:  # noqa: FBT001
        return shrink_turn(turn, how, room, 0 if compacted else room)

    return ingest


def shrink(level: Level = "medium") -> Compactor:
    """The strategy: at a compaction results take their compact form, the oldest first."""
    return Compactor(shrink_cut(Shrinking(level)))


def shrink_cut(how: Shrinking) -> Cut:
    """A cut that makes results smaller, the oldest first, and nothing else."""

    def cut(context: Context, budget: Budget, low: int, /) -> Context:
        return compact_results(context, budget, low, how)

    return cut


def compact_results(
    context: Context, budget: Budget, low: int, how: Shrinking, order: Sequence[int] | None = None
) -> Context:
    """Results in compact form, turn by turn in an order, until the target is reached.

    A form that says the same facts is taken by all of them: the prefix breaks anyway. The newest
    `keep_latest` and those that no model has seen are left alone.
    """
    room, counter = room_at(low, budget), budget.counter
    size = context_size(context, counter)
    turns = list(context.turns)
    unseen = unseen_turn(turns)
    with_calls = [i for i, turn in enumerate(turns) if isinstance(turn, AgentTurn) and turn.calls]
    wanted = [i for i in (with_calls if order is None else order) if i != unseen]
    seen = [i for i in with_calls if i != unseen]
    late = set(seen[-how.keep_latest :]) if how.keep_latest else set()
    order = [i for i in wanted if i not in late]
    for loses, i in [*((False, i) for i in order), *((True, i) for i in order)]:
        if loses and size <= low:
            break
        smaller = shrink_turn(turns[i], how, room, loses=loses)
        if smaller is not turns[i]:
            size += turn_size(smaller, counter) - turn_size(turns[i], counter)
            turns[i] = smaller
    return replace(context, turns=tuple(turns))


def squeeze(context: Context, budget: Budget, low: int, *, recalls: bool) -> Context:
    """The last resort: results that were seen, rendered anew with ever less room."""
    smaller = context
    unseen = unseen_turn(context.turns)
    if not any(isinstance(t, AgentTurn) and t.calls for t in context.turns[:unseen]):
        return smaller
    how = Shrinking("high", recalls=recalls)
    for share in SQUEEZES:
        if context_size(smaller, budget.counter) <= low:
            return smaller
        room = int(room_at(low, budget) * share)
        turns = tuple(
            turn if i == unseen else _squeeze_turn(turn, how, room)
            for i, turn in enumerate(context.turns)
        )
        smaller = replace(context, turns=turns)
    return smaller


def _squeeze_turn(turn: Turn, how: Shrinking, room: int) -> Turn:
    if not isinstance(turn, AgentTurn) or not turn.calls:
        return turn
    return replace(turn, calls=tuple(_squeeze_call(call, how, room) for call in turn.calls))


def _squeeze_call(call: Call, how: Shrinking, room: int) -> Call:
    original = call.result if call.original is None else call.original
    smaller = shrink_text(original, how, room)
    if len(smaller) >= len(call.result):
        return call
    return replace(call, result=smaller, original=original)
