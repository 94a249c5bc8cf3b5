"""How turns leave a context: whole units, in an order, into the fold, and never unnamed.

The words of the user leave last: up to their share of the budget they stay as they are, and one
that is too large to stay is cut like a result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from director.context.cut import cut_text, words_of
from director.context.notices import range_notice, without_range_notice
from director.context.sizes import context_size, section_size
from director.context.trust import trust_of
from director.context.units import Unit, find_protected, unit_size, units, user_share
from director.context.unseen import fill_room, share_by_need, unseen_size
from director.context.values import (
    AgentTurn,
    Budget,
    Context,
    Counter,
    Fold,
    Summary,
    Turn,
    UserTurn,
)

_WEIGHTY = re.compile(
    r"\b(?:must|never|always|only|not|don't|do not|cannot|should|need|prefer|instead|rather|wrong"
    r"|actually|correct(?:ion)?|change|remember|important|no[,.]|wait|please|budget|at most"
    r"|at least|deadline|except)\b"
)
SHORT_REQUEST, _SMALLEST_CUT = 200, 60
_ENDS = 0.25
_NOTE = 24
# Past their half the user's words still stay while all of them fit into this part of the room.
_MOST, _IN_CHATS, _IN_WORK = 0.9, 0.8, 0.7


def drop(  # noqa: PLR0913  each has a name
    context: Context,
    parts: Sequence[Unit],
    order: Sequence[int],
    budget: Budget,
    low: int,
    *,
    recalls: bool = True,
) -> Context:
    """Remove units in an order until the target is reached; what left is named and in the fold."""
    counter = budget.counter
    covered = context.summary.covers if context.summary else ()
    leaving = (turn.at for i in order for turn in parts[i])
    note = range_notice((*covered, *leaving), excerpts=True, recalls=recalls)
    size = context_size(context, counter) + counter(note) + counter.per_message
    gone: set[int] = set()
    for i in order:
        if size <= low:
            break
        gone.add(i)
        size -= unit_size(parts[i], counter)
    if not gone:
        return context
    left = [turn for i in sorted(gone) for turn in parts[i]]
    kept = tuple(turn for i, unit in enumerate(parts) if i not in gone for turn in unit)
    smaller = replace(
        context,
        turns=kept,
        summary=_add_note(context, left, recalls=recalls),
        fold=fold_more(context, left),
    )
    return smaller if context_size(smaller, counter) < context_size(context, counter) else context


def _add_note(context: Context, left: Sequence[Turn], *, recalls: bool) -> Summary:
    """The summary of a context, with the turns that left named in it."""
    before = context.summary
    covers = tuple(sorted({*(before.covers if before else ()), *(turn.at for turn in left)}))
    said = without_range_notice(before.text) if before else ""
    note = range_notice(covers, excerpts=bool(said), recalls=recalls)
    return Summary(f"{note}\n{said}".rstrip("\n"), covers, trust_of(left, before))


def fold_more(context: Context, gone: Sequence[Turn]) -> Fold:
    """The context's fold with more turns in it, in their order."""
    before = context.fold or Fold((), context.summary)
    turns = sorted((*before.turns, *gone), key=lambda turn: turn.at)
    return Fold(tuple(turns), before.previous)


def keep_users(
    context: Context, parts: Sequence[Unit], budget: Budget, *, low: int = 0, recalls: bool = True
) -> tuple[list[Unit], set[int]]:
    """The units with huge messages of the user cut, and which of the user's are to stay.

    All of them up to the share of the user; past it the first and the newest are favoured, and
    corrections and constraints before small talk. A huge one takes more where all the rest leaves
    room down to `low`.
    """
    counter, kept, stay = budget.counter, list(parts), find_protected(parts)
    fixed = sum(section_size(section, counter) for section in context.sections)
    sizes = {i: unit_size(parts[i], counter) for i in stay}
    fixed += sum(sizes.values())
    users = [i for i, unit in enumerate(parts) if isinstance(unit[0], UserTurn)]
    said = sum(sizes[i] for i in users if i in stay)
    # What no model has seen may be cut for their share of the budget, and for no more than that;
    # nothing else that stays may.
    unseen = unseen_size(context, counter)
    fixed -= unseen
    most = budget.limit - fixed - _NOTE
    share = min(user_share(budget) - said, most)
    loose = {i: unit_size(parts[i], counter) for i in users if i not in stay}
    wanted = sum(loose.values())
    room = _room_of_users(parts, wanted, share, max(share, most - unseen))
    if wanted > room and len(users) == len(parts):
        # A transcript has no newest that matters more: its excerpts are chosen from all of it.
        return kept, set()
    chosen = _choose_favoured(parts, loose, room, first=users[0] if users else -1)
    room -= sum(loose[i] for i in chosen)
    huge = [i for i in sorted(loose) if i not in chosen and loose[i] > max(room, _SMALLEST_CUT)]
    if huge:
        rest = context_size(context, counter) - sum(loose[i] for i in huge)
        unused = min(low - rest - _NOTE, most)
        rooms = share_by_need([loose[i] for i in huge], max(min(room, share), unused))
        shorter = _cut_huge(parts, dict(zip(huge, rooms, strict=True)), budget, recalls=recalls)
        chosen |= shorter.keys()
        kept = [shorter.get(i, unit) for i, unit in enumerate(parts)]
    return kept, chosen


def _cut_huge(
    parts: Sequence[Unit], rooms: Mapping[int, int], budget: Budget, *, recalls: bool
) -> dict[int, Unit]:
    """The huge messages of the user cut to their rooms, as far as that leaves anything to read."""
    users = [unit[0] for unit in parts if isinstance(unit[0], UserTurn)]
    named = words_of([users[-1].text])
    cut = {
        i: _cut_user(_without_images(parts[i][0]), room, budget, named, recalls=recalls)
        for i, room in rooms.items()
    }
    return {i: (shorter,) for i, shorter in cut.items() if shorter is not None}


def cut_requests(context: Context, budget: Budget, *, recalls: bool) -> Context:
    """The context with the requests of the user cut that are too large to stay.

    A request is whole as long as what must stay fits, and a short or pinned one always; up to half
    of the budget results give way first. How much a large one may take: `_room_of_requests`.
    """
    counter, parts = budget.counter, units(context.turns)
    stay = find_protected(parts)
    # By what they were before: to cut what was cut gives the same.
    sizes = {i: unit_size(tuple(map(_whole, parts[i])), counter) for i in stay}
    fixed = sum(section_size(section, counter) for section in context.sections)
    fixed += sum(sizes.values()) + (_NOTE if len(stay) < len(parts) or context.summary else 0)
    large = [i for i in sorted(stay) if sizes[i] > SHORT_REQUEST and _may_be_cut(parts[i][0])]
    said = sum(sizes[i] for i in stay if isinstance(parts[i][0], UserTurn))
    new = _size_that_gives_way(context.turns, counter)
    if fixed - (new if said <= user_share(budget) else 0) <= budget.limit or not large:
        return context
    free = budget.limit - (fixed - sum(sizes[i] for i in large) - new)
    answered = any(isinstance(unit[0], AgentTurn) for unit in parts[large[-1] :])
    room = _room_of_requests(context, free, new, budget, answered=answered)
    rooms = share_by_need([sizes[i] for i in large], room)
    short = (parts[i][0] for i in stay if i not in large)
    named = words_of([turn.text for turn in short if _may_be_cut(turn)])
    cut: dict[int, UserTurn] = {}
    for i, left in zip(large, rooms, strict=True):
        turn = parts[i][0]
        if left < sizes[i] and isinstance(turn, UserTurn):
            shorter = _cut_user(turn, left, budget, named, recalls=recalls)
            cut[turn.at] = shorter or turn
    return replace(context, turns=tuple(cut.get(turn.at, turn) for turn in context.turns))


def holds_cut_request(turns: Sequence[Turn]) -> bool:
    """Whether a message of the user is cut that no agent has answered."""
    for turn in reversed(turns):
        if isinstance(turn, AgentTurn):
            return False
        if turn.original is not None:
            return True
    return False


def _size_that_gives_way(turns: Sequence[Turn], counter: Counter) -> int:
    """Tokens of what an agent said and got last, as it came: what is cut where all else stays."""
    for turn in reversed(turns):
        if isinstance(turn, AgentTurn):
            whole = _whole(turn)
            results = unseen_size(Context(turns=(whole,)), counter)
            return results + (0 if turn.thinking else counter(whole.text))
    return 0


def _whole(turn: Turn) -> Turn:
    """The turn as it came, before anything of it was cut."""
    if turn.original is not None:
        turn = replace(turn, text=turn.original)
    if not isinstance(turn, AgentTurn) or all(call.original is None for call in turn.calls):
        return turn
    return replace(
        turn,
        calls=tuple(
            call if call.original is None else replace(call, result=call.original)
            for call in turn.calls
        ),
    )


def with_whole_requests(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns with each message whole that was cut and no agent has answered."""
    answered = max((i for i, turn in enumerate(turns) if isinstance(turn, AgentTurn)), default=-1)
    return turns[: answered + 1] + tuple(
        replace(turn, text=turn.original, original=None) if turn.original is not None else turn
        for turn in turns[answered + 1 :]
    )


def _room_of_requests(
    context: Context, free: int, new: int, budget: Budget, *, answered: bool
) -> int:
    """How much of what is free the large requests take: all but new results until it is answered.

    Beside work they share half of the budget, or of what is free for them and for results; in a
    chat without tools most of it.
    """
    if not answered:
        return free - min(new, free // 2)
    if any(isinstance(turn, AgentTurn) and turn.calls for turn in context.turns):
        return min(user_share(budget), free // 2)
    return int(_IN_CHATS * free)


def _may_be_cut(turn: Turn) -> bool:
    return isinstance(turn, UserTurn) and not turn.pinned


def _room_of_users(parts: Sequence[Unit], wanted: int, share: int, most: int) -> int:
    """How much of what is free the user's words may take: all they need, or their share."""
    if wanted <= max(share, _MOST * most):
        return wanted
    if any(isinstance(turn, AgentTurn) and turn.calls for unit in parts for turn in unit):
        return max(share, int(_IN_WORK * most))
    # In a chat without tools all that is known came from the user; the answers leave first.
    return max(share, int(_IN_CHATS * most))


def _choose_favoured(
    parts: Sequence[Unit], loose: Mapping[int, int], room: int, *, first: int
) -> set[int]:
    """The messages of the user that fit into a room, by size, the favoured ones first."""
    chosen: set[int] = set()
    favours = {i: _favour(parts, i, first=i == first) for i in loose}
    for i in sorted(loose, key=lambda i: -favours[i]):
        if loose[i] <= room:
            chosen.add(i)
            room -= loose[i]
    return chosen


def _favour(parts: Sequence[Unit], i: int, *, first: bool) -> float:
    """How early a message of the user is taken into what stays."""
    weighty = 0.3 if _is_weighty(parts[i][0].text) else 0.0
    return (0.5 if first else 0.0) + weighty + (i + 1) / len(parts)


@lru_cache(maxsize=4_096)
def _is_weighty(text: str) -> bool:
    """Whether a message corrects, forbids or asks for something."""
    return _WEIGHTY.search(text[:4_000].lower()) is not None


def _without_images(turn: Turn) -> Turn:
    return replace(turn, images=0) if isinstance(turn, UserTurn) else turn


def _cut_user(
    turn: Turn, room: int, budget: Budget, named: frozenset[str], *, recalls: bool
) -> UserTurn | None:
    """A message of the user cut to fill a room, None where that leaves nothing worth reading.

    What the latest request names stays in it, and so do its images.
    """
    if not isinstance(turn, UserTurn):
        return None
    room -= budget.counter.per_message + turn.images * budget.counter.per_image
    if room < _SMALLEST_CUT:
        return None
    original = turn.text if turn.original is None else turn.original
    text = fill_room(
        original,
        room,
        budget.counter,
        lambda text, chars: cut_text(text, chars, named=named, recalls=recalls, ends=_ENDS),
    )
    shorter = replace(turn, text=text, original=original)
    fits = budget.counter(text) <= room
    return shorter if fits and len(text) < len(turn.text) else None
