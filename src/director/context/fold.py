"""`fold`: old turns become one summary that can be sent at once, and a `Fold` that asks for more.

The newest units stay whole, the request of the user and what is pinned stay verbatim, and every
turn that left is in the fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from director.context import digest
from director.context.importance import PruningRules, importance, says_the_same
from director.context.leaving import drop, folded_away
from director.context.lineage import older_snapshots_brief
from director.context.marks import Cut, Sticky, room_at
from director.context.shrink import Shrinking, shrink_turn, squeeze_cut
from director.context.sizes import context_size, section_size, turn_size
from director.context.units import Unit, protected, units, without_thinking
from director.context.values import (
    AgentTurn,
    Budget,
    Call,
    Context,
    Level,
    Summary,
    Turn,
)
from director.context.verify import trust_of

TAIL_SHARE = 0.15


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a cut folds: the summary's most tokens, its first lines, the share of whole turns."""

    most: int | None
    heading: Sequence[str]
    tail: float
    rules: PruningRules


def fold_cut(
    how: Shrinking | None = None,
    *,
    most: int | None = None,
    heading: Sequence[str] = (),
    tail: float = TAIL_SHARE,
    rules: PruningRules | None = None,
) -> Cut:
    """A cut that shrinks what is left to shrink, then folds the oldest turns into a summary."""
    plan = _Plan(most, heading, tail, rules or PruningRules())
    shrinking = how or Shrinking()

    def cut(context: Context, budget: Budget, low: int, /) -> Context:
        room = room_at(low, budget)
        turns = [shrink_turn(turn, shrinking, room) for turn in context.turns]
        if shrinking.level != "none":
            turns = older_snapshots_brief(turns)
        turns = _older_images_gone(turns, keep_latest=shrinking.keeps_latest_image)
        smaller = replace(context, turns=tuple(turns))
        if context_size(smaller, budget.counter) <= low:
            return smaller
        smaller = _folded(smaller, budget, low, plan)
        if context_size(smaller, budget.counter) > low:
            smaller = _folded(
                replace(smaller, turns=tuple(without_thinking(smaller.turns))), budget, low, plan
            )
        if context_size(smaller, budget.counter) > low:
            smaller = squeeze_cut(smaller, budget, low)
        return smaller

    return cut


def fold(level: Level = "medium") -> Sticky:
    """The strategy: at a crossing, old turns become a summary and a fold."""
    return Sticky(fold_cut(Shrinking(level)))


def _folded(context: Context, budget: Budget, low: int, plan: _Plan) -> Context:
    counter = budget.counter
    parts = units(context.turns)
    sizes = [sum(turn_size(turn, counter) for turn in unit) for unit in parts]
    fixed = sum(section_size(section, counter) for section in context.sections)
    stay = _staying(parts, sizes, low - fixed, plan)
    left = low - fixed - sum(sizes[i] for i in stay)
    worth = _worth(parts, plan.rules) if len(stay) < len(parts) else []
    gone = [(turn, worth[i]) for i, unit in enumerate(parts) if i not in stay for turn in unit]
    kept = tuple(turn for i, unit in enumerate(parts) if i in stay for turn in unit)
    if not gone and context.summary is None:
        return context
    room = left if plan.most is None else min(left, plan.most)
    smaller = replace(
        context,
        turns=kept,
        summary=_summary(replace(context, turns=kept), gone, budget, room, plan.heading),
        fold=folded_away(context, [turn for turn, _ in gone]),
    )
    if context_size(smaller, counter) < context_size(context, counter):
        return smaller
    # The summary would be longer than what it stands for: the turns leave without one.
    loose = [i for i in range(len(parts)) if i not in stay]
    return drop(context, parts, loose, budget, low)


def _staying(parts: Sequence[Unit], sizes: Sequence[int], room: int, plan: _Plan) -> set[int]:
    """The units that stay whole: the protected ones, and the newest while their share lasts."""
    stay = protected(parts)
    if not any(isinstance(turn, AgentTurn) for unit in parts for turn in unit):
        return stay
    tail = (room - sum(sizes[i] for i in stay)) * plan.tail
    for i in range(len(parts) - 1, -1, -1):
        if i in stay:
            continue
        tail -= sizes[i]
        if tail < 0:
            break
        stay.add(i)
    return stay


def _worth(parts: Sequence[Unit], rules: PruningRules) -> list[float]:
    """How much a unit's pieces count in the summary; what the next unit repeats, not at all."""
    return [
        0.0 if rules.merge_similar and says_the_same(parts, i) else 0.85 + 0.3 * score
        for i, score in enumerate(importance(parts, rules))
    ]


def _summary(
    context: Context,
    gone: Sequence[tuple[Turn, float]],
    budget: Budget,
    room: int,
    heading: Sequence[str],
) -> Summary:
    before = context.summary
    covered = set(before.covers) if before else set()
    gone = [(turn, 1.0) for turn in _dropped(context, covered)] + list(gone)
    covers = sorted(covered | {turn.at for turn, _ in gone})
    found = digest.earlier(before)
    for turn, worth in gone:
        found += digest.pieces(turn, room_at(budget.limit, budget), worth)
    found.sort(key=lambda piece: piece.at)
    elsewhere = [section.text for section in context.sections] + [
        text for turn in context.turns for text in _texts(turn)
    ]
    top = digest.heading(heading, room // 2, budget.counter)
    chosen = digest.select(found, room - budget.counter(top), budget.counter, elsewhere)
    return Summary(
        top + digest.write(chosen), tuple(covers), trust_of([turn for turn, _ in gone], before)
    )


def _dropped(context: Context, covered: set[int]) -> list[Turn]:
    """The turns that left earlier without a summary."""
    return [turn for turn in context.fold.turns if turn.at not in covered] if context.fold else []


def _texts(turn: Turn) -> list[str]:
    calls = turn.calls if isinstance(turn, AgentTurn) else ()
    return [turn.text, *(text for call in calls for text in (call.args, call.result))]


def _older_images_gone(turns: list[Turn], *, keep_latest: bool) -> list[Turn]:
    """Only the latest turn with images keeps them, if any does."""
    newest = max((i for i, turn in enumerate(turns) if _images(turn)), default=-1)
    newest = newest if keep_latest else len(turns)
    return [
        replace(turn, calls=tuple(_image_gone(call) for call in turn.calls))
        if i < newest and isinstance(turn, AgentTurn) and _images(turn)
        else turn
        for i, turn in enumerate(turns)
    ]


def _images(turn: Turn) -> int:
    return sum(call.images for call in turn.calls) if isinstance(turn, AgentTurn) else 0


def _image_gone(call: Call) -> Call:
    if not call.images:
        return call
    original = call.result if call.original is None else call.original
    noted = f"{call.result}\n[{call.images} image(s) left out]".lstrip("\n")
    return replace(call, images=0, result=noted, original=original)
