"""`fold`: old turns become one summary that can be sent at once, and a `Fold` that asks for more.

What leaves first is what is said again later, then the bulk of old results, then old turns of the
agent, and the words of the user last. Every turn that left is named and in the fold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeAlias

from director.context import excerpts
from director.context.compaction import Compactor, Cut, keeps_summary, room_at
from director.context.element_references import find_references
from director.context.excerpt_choice import select
from director.context.excerpts import Excerpt
from director.context.importance import PruningRules, importance, says_the_same
from director.context.literals import form_of, literals
from director.context.notices import parse_named_turns, without_range_notice
from director.context.result_usage import turns_by_use, units_in_work
from director.context.shrink import Shrinking, compact_results, squeeze
from director.context.sizes import context_size, section_size, summary_size
from director.context.superseded import shorten_repeats
from director.context.trust import trust_of
from director.context.units import (
    Unit,
    find_protected,
    find_unresolved_errors,
    unit_size,
    units,
    without_thinking,
)
from director.context.user_turns import drop, fold_more, keep_users
from director.context.values import AgentTurn, Budget, Call, Context, Level, Summary, Turn

TAIL_SHARE, UNQUOTED, SMALLEST_PART = 0.15, 12, 80
UNIMPORTANT = 0.6
WORK_SHARE, NOW_SHARE = 0.6, 0.85
_Sizes: TypeAlias = tuple[Sequence[int], Callable[[Unit], int]]


@dataclass(frozen=True, slots=True)
class Folding:
    """How a cut folds: the summary's most tokens, its first lines, the share of whole turns."""

    how: Shrinking = field(default_factory=Shrinking)
    most: int | None = None
    heading: Sequence[str] = ()
    tail: float = TAIL_SHARE
    rules: PruningRules = field(default_factory=PruningRules)


def fold_cut(folding: Folding | None = None) -> Cut:
    """A cut that takes what is repeated, then the bulk of old results, then old turns."""
    plan = folding or Folding()

    def cut(context: Context, budget: Budget, low: int, /) -> Context:
        if plan.how.keep_latest:
            smaller = _cut(context, budget, low, plan)
            if context_size(smaller, budget.counter) <= low:
                return smaller
        return _cut(context, budget, low, replace(plan, how=replace(plan.how, keep_latest=0)))

    return cut


def _cut(context: Context, budget: Budget, low: int, plan: Folding) -> Context:
    how, counter = plan.how, budget.counter
    turns = shorten_repeats(context.turns, recalls=how.recalls)
    if how.level == "none":
        turns = list(context.turns)
    turns = _older_images_gone(turns, keep_latest=how.keeps_latest_image)
    whole = replace(context, turns=tuple(turns))
    smaller = compact_results(whole, budget, low, how, turns_by_use(turns))
    if context_size(smaller, counter) <= low:
        return smaller
    smaller = _fold_turns(smaller, whole, budget, low, plan)
    if context_size(smaller, counter) <= low:
        return smaller
    bare = replace(smaller, turns=tuple(without_thinking(smaller.turns)))
    if bare.turns != smaller.turns:
        smaller = _fold_turns(bare, bare, budget, low, plan)
    return smaller if how.keep_latest else squeeze(smaller, budget, low, recalls=how.recalls)


def fold(level: Level = "medium") -> Compactor:
    """The strategy: at a compaction, old turns become a summary and a fold."""
    return Compactor(fold_cut(Folding(Shrinking(level))))


def _fold_turns(
    context: Context, whole: Context, budget: Budget, low: int, plan: Folding
) -> Context:
    counter = budget.counter
    parts, full = units(context.turns), units(whole.turns)
    stay = find_protected(parts)
    parts, users = keep_users(context, parts, budget, low=low, recalls=plan.how.recalls)
    fixed = sum(section_size(section, counter) for section in context.sections)
    stay |= users | _find_latest(parts, plan.how.keep_latest)
    room = low - fixed - sum(unit_size(parts[i], counter) for i in stay)
    if any(isinstance(unit[0], AgentTurn) for unit in parts):
        # Only where an agent is at work: a transcript has no newest that matters more.
        sizes = (_find_favourites(parts, plan), lambda unit: unit_size(unit, counter))
        _keep_in_work(parts, full, stay, room, sizes[1])
        _keep_newest(parts, full, stay, int(room * plan.tail), sizes)
        room = low - fixed - sum(unit_size(parts[i], counter) for i in stay)
    worth = _weigh(parts, [i for i in range(len(parts)) if i not in stay], plan.rules)
    gone = [(turn, each) for i, each in worth.items() for turn in parts[i]]
    kept = tuple(turn for i, unit in enumerate(parts) if i in stay for turn in unit)
    if not gone and context.summary is None:
        return replace(context, turns=kept)
    room = room if plan.most is None else min(room, plan.most)
    smaller = replace(
        context,
        turns=kept,
        summary=_summary(replace(context, turns=kept), gone, budget, room, plan),
        fold=fold_more(context, [turn for turn, _ in gone]),
    )
    if context_size(smaller, counter) < context_size(context, counter):
        return smaller
    # The summary would be longer than what it stands for: the turns leave with a line at most.
    loose = [i for i in range(len(parts)) if i not in stay]
    return drop(context, parts, loose, budget, low, recalls=plan.how.recalls)


def _find_latest(parts: Sequence[Unit], count: int) -> set[int]:
    """The units that hold the newest results, as many as are to be kept."""
    found = [
        i
        for i, unit in enumerate(parts)
        if any(isinstance(turn, AgentTurn) and turn.calls for turn in unit)
    ]
    return set(found[-count:]) if count else set()


def _keep_in_work(
    parts: list[Unit],
    full: Sequence[Unit],
    stay: set[int],
    room: int,
    size_of: Callable[[Unit], int],
) -> None:
    """Add the units that show files in work to what stays, in a share of the room.

    The one in work now may take more than the share; small ones, which cost little, come next.
    """
    order = [i for i in units_in_work(full) if i not in stay]
    sizes = {i: size_of(full[i]) for i in order}
    small = [i for i in order[1:] if sizes[i] <= room // 25]
    left = int(room * WORK_SHARE)
    for i in dict.fromkeys([*order[:1], *small, *order]):
        if sizes[i] <= (int(room * NOW_SHARE) if i == order[0] else left):
            parts[i] = full[i]
            stay.add(i)
            left -= sizes[i]


def _keep_newest(
    parts: list[Unit], full: Sequence[Unit], stay: set[int], tail: int, sizes: _Sizes
) -> None:
    """Add the newest units to what stays, each whole if it can, as long as the tail lasts."""
    first, size_of = sizes
    for i in [*first, *range(len(parts) - 1, -1, -1)]:
        if i in stay:
            continue
        unit = next((unit for unit in (full[i], parts[i]) if size_of(unit) <= tail), None)
        if unit is not None:
            parts[i] = unit
            stay.add(i)
            tail -= size_of(unit)
        elif i not in first:
            break


def _find_favourites(parts: Sequence[Unit], plan: Folding) -> list[int]:
    """Units with results of excluded tools, and the last unresolved error with its neighbours."""
    found = [
        i
        for i, unit in enumerate(parts)
        for turn in unit
        if isinstance(turn, AgentTurn)
        and any(call.tool in plan.how.exclude_tools for call in turn.calls)
    ]
    far = plan.rules.keep_error_context
    for error in islice(find_unresolved_errors(parts), 1):
        near = range(max(0, error - far), min(len(parts), error + far + 1))
        found += sorted(near, key=lambda i: abs(i - error))
    return list(dict.fromkeys(found))


def _weigh(parts: Sequence[Unit], wanted: Sequence[int], rules: PruningRules) -> dict[int, float]:
    """How much the excerpts of units count; of what the next unit repeats, not at all.

    Units of the agent below the threshold of importance give way to those above it.
    """
    return {
        i: 0.0
        if rules.merge_similar and says_the_same(parts, i)
        else (0.85 + 0.3 * score) * (UNIMPORTANT if _is_idle(parts[i], score, rules) else 1.0)
        for i, score in importance(parts, rules, wanted).items()
    }


def _is_idle(unit: Unit, score: float, rules: PruningRules) -> bool:
    return isinstance(unit[0], AgentTurn) and score < rules.importance_threshold


def _summary(
    context: Context,
    gone: Sequence[tuple[Turn, float]],
    budget: Budget,
    room: int,
    plan: Folding,
) -> Summary:
    before = context.summary
    gone = [(turn, 1.0) for turn in _find_unquoted(context)] + list(gone)
    if before is not None and plan.most is None:
        # What was written before stays as it is, so that the provider's cache still holds it.
        free = room - summary_size(before, budget.counter)
        if keeps_summary(context, budget) and free >= (SMALLEST_PART if gone else 0):
            return _append_part(context, gone, budget, free, plan) if gone else before
    covered = set(before.covers) if before else set()
    covers = sorted(covered | {turn.at for turn, _ in gone})
    found = excerpts.earlier(before)
    found += _extract_all(context, gone, budget)
    found.sort(key=lambda excerpt: excerpt.at)
    named = budget.counter(excerpts.write([], covers, recalls=plan.how.recalls))
    inside = room - named - budget.counter.per_message
    top = excerpts.heading(plan.heading, min(room // 2, inside), budget.counter)
    chosen = _choose(context, found, budget, room - budget.counter(top))
    text = excerpts.write(chosen, covers, recalls=plan.how.recalls)
    return Summary(top + text, tuple(covers), trust_of([turn for turn, _ in gone], before))


def _append_part(
    context: Context, gone: Sequence[tuple[Turn, float]], budget: Budget, room: int, plan: Folding
) -> Summary:
    """The summary as it is, and one more part behind it for the turns that leave now."""
    before = context.summary
    assert before is not None  # noqa: S101  its caller looked
    covers = sorted(turn.at for turn, _ in gone)
    found = _extract_all(context, gone, budget)
    found.sort(key=lambda excerpt: excerpt.at)
    chosen = _choose(context, found, budget, room)
    text = f"{before.text}\n{excerpts.write(chosen, covers, recalls=plan.how.recalls)}"
    trust = trust_of([turn for turn, _ in gone], before)
    return Summary(text, tuple(sorted({*before.covers, *covers})), trust)


def _extract_all(
    context: Context, gone: Sequence[tuple[Turn, float]], budget: Budget
) -> list[Excerpt]:
    found = find_references([*(turn for turn, _ in gone), *context.turns])
    room = room_at(budget.limit, budget)
    return [one for turn, worth in gone for one in excerpts.extract(turn, room, worth, found)]


def _choose(context: Context, found: Sequence[Excerpt], budget: Budget, room: int) -> list[Excerpt]:
    elsewhere = [section.text for section in context.sections] + [
        text for turn in context.turns for text in _texts(turn)
    ]
    if any(excerpt.who == "→" for excerpt in found):
        shown = {line.strip() for text in elsewhere for line in text.splitlines()}
        found = [excerpt for excerpt in found if excerpt.who != "→" or excerpt.text not in shown]
    return select(found, room, budget.counter, elsewhere, _list_named_forms(context, found))


def _list_named_forms(context: Context, found: Sequence[Excerpt]) -> frozenset[str]:
    """The forms of the literals that calls of the run named as arguments."""
    args = [
        call.args for turn in context.turns if isinstance(turn, AgentTurn) for call in turn.calls
    ]
    args += [excerpt.text for excerpt in found if excerpt.who not in ("user", "agent", "→")]
    return frozenset(form_of(literal) for text in args for literal in literals(text))


def _find_unquoted(context: Context) -> list[Turn]:
    """The newest turns that left earlier, of which the summary says no more than that they did."""
    if context.fold is None:
        return []
    summary = context.summary
    covered = set(summary.covers) if summary else set()
    said = without_range_notice(summary.text).strip() if summary else ""
    if summary and parse_named_turns(summary.text) and not said:
        covered = set()
    # Not all of them: a compaction looks at what is new, however long the history is.
    return [turn for turn in context.fold.turns[-UNQUOTED:] if turn.at not in covered]


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
