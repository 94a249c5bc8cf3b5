"""Results that no model call has seen yet: whole while they fit, else cut to fill the room.

Several results share the room by need: the small ones are whole, the large ones get equal parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from director.context.cut import NOTICE_SIZE, cut_text, words_of
from director.context.element_references import find_references
from director.context.memory import remember
from director.context.notices import is_lossless, shorten_range_notice, with_notice
from director.context.shapes.dispatch import PAGES, render_lossless, shape_of
from director.context.sizes import context_size, result_size, turn_size
from director.context.units import unseen_turn
from director.context.values import AgentTurn, Budget, Call, Context, Counter, UserTurn

_TRIES, _CLOSE, _FILLED = 8, 0.95, 0.75
_LATEST = 24


def share_by_need(needs: Sequence[int], room: int) -> list[int]:
    """A room shared out: whoever needs less than an equal part gets that, the rest share on."""
    given = [0] * len(needs)
    left, open_ = room, sorted(range(len(needs)), key=needs.__getitem__)
    for done, i in enumerate(open_):
        given[i] = min(needs[i], max(0, left) // (len(open_) - done))
        left -= given[i]
    return given


def unseen_size(context: Context, counter: Counter) -> int:
    """Tokens of the results that no model has seen yet."""
    at = unseen_turn(context.turns)
    turn = context.turns[at] if at is not None else None
    return sum(counter(c.result) for c in turn.calls) if isinstance(turn, AgentTurn) else 0


def rerender_unseen(context: Context, *, recalls: bool) -> Context:
    """The context with its unseen results in the notation that says the same in less, if any."""
    at = unseen_turn(context.turns)
    turn = context.turns[at] if at is not None else None
    if at is None or not isinstance(turn, AgentTurn):
        return context
    calls = tuple(_rerender(call, recalls=recalls) for call in turn.calls)
    if calls == turn.calls:
        return context
    turns = list(context.turns)
    turns[at] = replace(turn, calls=calls)
    return replace(context, turns=tuple(turns))


def _rerender(call: Call, *, recalls: bool) -> Call:
    if call.original is not None:
        return call
    text = with_notice(render_lossless(call.result), call.result, recalls=recalls, same=True)
    return _replace_result(call, text, call.result)


def restore_unseen(context: Context, given: Context, budget: Budget) -> Context:
    """The context with its unseen results as they were given, those that fit after all."""
    at, before = unseen_turn(context.turns), unseen_turn(given.turns)
    if at is None or before is None:
        return context
    turn, whole = context.turns[at], given.turns[before]
    if not isinstance(turn, AgentTurn) or not isinstance(whole, AgentTurn):
        return context
    if turn.calls == whole.calls or turn.at != whole.at:
        return context
    left = budget.limit - context_size(context, budget.counter)
    calls = []
    for call, came in zip(turn.calls, whole.calls, strict=True):
        more = result_size(came, budget.counter) - result_size(call, budget.counter)
        calls.append(came if more <= left else call)
        left -= more if more <= left else 0
    turns = list(context.turns)
    turns[at] = replace(turn, calls=tuple(calls))
    return replace(context, turns=tuple(turns))


def cut_unseen(context: Context, budget: Budget, *, recalls: bool) -> Context:
    """The context with its unseen results cut, only if it passes the limit.

    What the agent said last stays beside them: the long ones of them share the room.
    """
    if context_size(context, budget.counter) <= budget.limit:
        return context
    context = _shorten_note(context)
    size = context_size(context, budget.counter)
    agents = [(i, t) for i, t in enumerate(context.turns) if isinstance(t, AgentTurn)]
    if size <= budget.limit or not agents:
        return context
    at, turn = agents[-1]
    room = budget.limit - size + turn_size(turn, budget.counter)
    asked = [t.text for t in context.turns if isinstance(t, UserTurn)]
    # What shows how a page writes references may just have left: the page before this one.
    left = context.fold.turns[-_LATEST:] if context.fold else ()
    references = find_references((*left, *context.turns))
    cutting = Cutting(words_of([*asked[:1], *asked[-1:]]), references, recalls=recalls)
    smaller = _cut_turn(turn, room, budget.counter, cutting)
    return replace(context, turns=(*context.turns[:at], smaller, *context.turns[at + 1 :]))


def _cut_turn(turn: AgentTurn, room: int, counter: Counter, cutting: Cutting) -> AgentTurn:
    """A turn whose text and results share a room by need, the results what the text leaves."""
    originals = [call.result if call.original is None else call.original for call in turn.calls]
    needs = [counter(text) for text in originals]
    bare = replace(turn, text="", calls=tuple(replace(call, result="") for call in turn.calls))
    room = max(0, room - turn_size(bare, counter))
    turn = _cut_said(turn, share_by_need([*needs, counter(turn.text)], room)[-1], counter, cutting)
    calls = []
    rooms = share_by_need(needs, max(0, room - counter(turn.text)))
    for call, original, left in zip(turn.calls, originals, rooms, strict=True):
        if counter(call.result) <= left:
            calls.append(call)
            continue
        naming = replace(cutting, named=cutting.named | words_of([call.args]))
        calls.append(_replace_result(call, _cut_result(original, left, counter, naming), original))
    return replace(turn, calls=tuple(calls))


def _cut_said(turn: AgentTurn, room: int, counter: Counter, cutting: Cutting) -> AgentTurn:
    """What an agent said, cut to a room; beside thinking it stays whole."""
    if turn.thinking or counter(turn.text) <= room:
        return turn
    said = turn.text if turn.original is None else turn.original
    text = _cut_result(said, room, counter, cutting)
    return replace(turn, text=text, original=said) if len(text) < len(turn.text) else turn


def _shorten_note(context: Context) -> Context:
    """The context with the note of what left in fewest words."""
    summary = context.summary
    if summary is None:
        return context
    return replace(context, summary=replace(summary, text=shorten_range_notice(summary.text)))


@dataclass(frozen=True, slots=True)
class Cutting:
    """How a result is cut to a number of characters: what is named, which lines have references."""

    named: frozenset[str]
    references: re.Pattern[str]
    recalls: bool

    def __call__(self, text: str, room: int, /) -> str:
        """The result in its own shape where that loses nothing or fills the room, else by lines."""
        shape = shape_of(text)
        inside = room - NOTICE_SIZE
        plain = render_lossless(text)
        if len(plain) <= inside:
            return with_notice(plain, text, recalls=self.recalls, same=True)
        if shape in PAGES:
            smaller: str = shape.render(text, "medium", inside)
            if room * _FILLED <= len(smaller) <= inside:
                return with_notice(smaller, text, recalls=self.recalls)
        return cut_text(
            plain,
            room,
            named=self.named,
            references=self.references,
            recalls=self.recalls,
            original=text,
        )


def _replace_result(call: Call, smaller: str, original: str) -> Call:
    if len(smaller) >= len(call.result):
        return call
    return replace(call, result=smaller, original=original)


def fill_room(text: str, room: int, counter: Counter, cut: Callable[[str, int], str]) -> str:
    """The largest cut of a text that takes at most so many tokens, by a function of characters."""
    size = counter(text)
    if size <= room:
        return text
    chars = int(len(text) * room / max(1, size))
    best, smaller = "", text
    for _ in range(_TRIES):
        smaller = cut(text, chars)
        taken = counter(smaller)
        if taken <= room:
            best = smaller if len(smaller) > len(best) else best
            if taken >= room * _CLOSE or chars >= len(text) or is_lossless(smaller):
                break
            chars = int(chars * min(1.3, max(1.02, 0.99 * room / max(1, taken))))
        elif best:
            break
        else:
            chars = int(chars * max(0.5, min(0.98, 0.98 * room / max(1, taken))))
    return best or smaller


# A history is cut at each call of a model: what was cut at the last one is not cut again.
_cut_result = remember(fill_room)
