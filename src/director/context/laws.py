"""The laws that every strategy keeps, as functions that return what broke.

A law takes a strategy, a context and a budget and returns a list of sentences, empty if it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import is_
from types import MappingProxyType
from typing import TypeAlias

from director.context.compaction import Compactor, Cut
from director.context.notices import IMAGES, is_noticed, parse_named_turns
from director.context.sizes import context_size, section_size, summary_size, turn_size
from director.context.strategy import Strategy
from director.context.truncate import NOTICE
from director.context.units import (
    find_protected,
    floor_size,
    thoughts,
    unit_size,
    units,
    unseen_turn,
    unthinking,
    user_share,
)
from director.context.unseen import unseen_size
from director.context.user_turns import SHORT_REQUEST
from director.context.values import (
    AgentTurn,
    Budget,
    Call,
    Context,
    Counter,
    Section,
    Turn,
    UserTurn,
)
from director.context.wire import WIRES, bare, emit, problems

# What the line that names the turns that left takes at most.
_NOTE = 60
Law: TypeAlias = Callable[[Strategy, Context, Budget], list[str]]


@dataclass(frozen=True, slots=True)
class Broken:
    """A law that did not hold, and how."""

    law: str
    how: str


def same_in_same_out(strategy: Strategy, context: Context, budget: Budget) -> list[str]:
    """Law 1: the same input gives the same output."""
    same = strategy(context, budget) == strategy(context, budget)
    return [] if same else ["two calls gave two results"]


def never_grows(strategy: Strategy, context: Context, budget: Budget) -> list[str]:
    """Law 2: the output is never larger than the input."""
    before = context_size(context, budget.counter)
    after = context_size(strategy(context, budget), budget.counter)
    return [f"grew from {before} to {after}"] if after > before else []


def never_invents(strategy: Strategy, context: Context, budget: Budget) -> list[str]:
    """Law 3: nothing is made up or reordered; what is new is marked as such."""
    out = strategy(context, budget)
    given = {turn.at: turn for turn in context.turns}
    wrong = [] if [t.at for t in out.turns] == sorted(t.at for t in out.turns) else ["reordered"]
    wrong += [
        f"turn {turn.at} says what was not said"
        for turn in out.turns
        if turn.at not in given or not _comes_from(turn, given[turn.at])
    ]
    if out.summary and out.summary != context.summary and not parse_named_turns(out.summary.text):
        wrong.append("a summary is not marked as one")
    sections = {section.name: section for section in context.sections}
    return wrong + [
        f"section {section.name!r} says what it did not say"
        for section in out.sections
        if not _is_part_of(section, sections.get(section.name))
    ]


def _comes_from(turn: Turn, given: Turn) -> bool:
    said = given.text if given.original is None else given.original
    cut = turn.original == said and is_noticed(turn.text)
    if isinstance(turn, UserTurn) or isinstance(given, UserTurn):
        return turn == given or (isinstance(turn, UserTurn) and cut)
    plain = replace(turn, calls=given.calls, thinking=given.thinking)
    if cut:
        plain = replace(plain, text=given.text, original=given.original)
    return (
        plain == given
        and turn.thinking in (unthinking(given).thinking, given.thinking)
        and len(turn.calls) == len(given.calls)
        and all(map(_is_rendering, turn.calls, given.calls))
    )


def _is_rendering(call: Call, given: Call) -> bool:
    if call == given:
        return True
    source = given.result if given.original is None else given.original
    marked = is_noticed(IMAGES.sub("", call.result)) or call.images < given.images
    same = replace(call, result=given.result, original=given.original, images=given.images)
    return same == given and call.original == source and marked


def _is_part_of(section: Section, given: Section | None) -> bool:
    if given is None:
        return False
    return section.text == given.text or given.text.startswith(section.text.removesuffix(NOTICE))


def pinned_survives(strategy: Strategy, context: Context, budget: Budget) -> list[str]:
    """Law 4: what is pinned survives verbatim."""
    out = strategy(context, budget)
    wrong = [s.name for s in context.sections if s.pinned and s not in out.sections]
    wrong += [
        f"turn {turn.at}"
        for turn in context.turns
        if isinstance(turn, UserTurn) and turn.pinned and turn not in out.turns
    ]
    return [f"{name} was pinned and is gone" for name in wrong]


def requests_survive(strategy: Strategy, context: Context, budget: Budget) -> list[str]:
    """Law 5: the first and the latest request of the user survive, verbatim while they fit.

    One that does not fit beside what else must stay is cut, if it is not short, and says so.
    """
    said = [turn for turn in context.turns if isinstance(turn, UserTurn)]
    requests = [turn for turn in said if turn.request or turn is said[-1]]
    out = strategy(context, budget).turns
    lost = [turn for turn in requests if turn not in out]
    kept = {turn.at: turn for turn in out if isinstance(turn, UserTurn) and is_noticed(turn.text)}
    gone = [turn for turn in lost if turn.at not in kept]
    if not lost or gone:
        return [f"the request of turn {turn.at} is gone" for turn in gone]
    calls = _calls(context)
    full = any(_size_of_protected(call, budget.counter) + _NOTE > budget.limit for call in calls)
    short = (turn for turn in lost if turn_size(turn, budget.counter) <= SHORT_REQUEST)
    cut = short if full else lost
    return [f"the request of turn {turn.at} was cut, although it fits" for turn in cut]


def valid_on_every_wire(strategy: Strategy, context: Context, budget: Budget) -> list[str]:
    """Law 6: every provider would accept the result."""
    out = bare(strategy(context, budget))
    return [
        f"{wire}: {problem}"
        for wire in WIRES
        if wire != "langchain"
        for problem in problems(emit(out, wire), wire)
    ]


def thinking_whole_or_gone(strategy: Strategy, context: Context, budget: Budget) -> list[str]:
    """Law 7: a loop keeps all of its thinking, or none."""
    out = {turn.at: turn for turn in strategy(context, budget).turns}
    wrong = []
    for unit in units(context.turns):
        thinking = [turn for turn in unit if isinstance(turn, AgentTurn) and thoughts(turn)]
        left = (out.get(turn.at) for turn in thinking)
        kept = [turn for turn in left if isinstance(turn, AgentTurn) and thoughts(turn)]
        if kept and (len(kept) < len(thinking) or any(turn.at not in out for turn in unit)):
            wrong.append(f"the loop from turn {unit[0].at} was split")
    return wrong


def twice_is_once(strategy: Strategy, context: Context, budget: Budget) -> list[str]:
    """Law 8: applying it twice changes nothing."""
    once = strategy(context, budget)
    return [] if strategy(once, budget) == once else ["the second application changed something"]


def all_accounted_for(strategy: Strategy, context: Context, budget: Budget) -> list[str]:
    """Law 9: every turn that left is in the fold, whole, and in the summary's coverage."""
    out = strategy(context, budget)
    there = {turn.at for turn in out.turns}
    folded = {turn.at for turn in out.fold.turns} if out.fold else set()
    lost = [turn.at for turn in context.turns if turn.at not in there | folded]
    uncovered = (
        sorted(folded - set(out.summary.covers)) if out.summary and not context.summary else []
    )
    return [f"turn {at} left without a trace" for at in lost] + [
        f"turn {at} is folded, but the summary does not cover it" for at in uncovered
    ]


def sticky(
    strategy: Strategy, context: Context, budget: Budget, marks: tuple[Budget, ...] = ()
) -> list[str]:
    """Law 10: fed call by call, the prefix breaks only at the trigger, and down to the target.

    `marks` are further limits that the strategy minds, such as a number of messages. A request that
    was cut before it was answered counts as the whole that it is.
    """
    wrong: list[str] = []
    before: Context | None = None
    shown: Context | None = None
    for call in _calls(context):
        out = strategy(call, budget)
        if before is not None and shown is not None and not _extends(out, shown):
            added = call.turns[len(before.turns) :]
            grown = replace(shown, turns=_with_whole_requests(shown.turns) + added)
            wrong += _break_faults(strategy, grown, out, budget, marks)
        before, shown = call, out
    return wrong


def _with_whole_requests(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    answered = max((i for i, turn in enumerate(turns) if isinstance(turn, AgentTurn)), default=-1)
    return turns[: answered + 1] + tuple(
        replace(turn, text=turn.original, original=None) if turn.original is not None else turn
        for turn in turns[answered + 1 :]
    )


def _calls(context: Context) -> list[Context]:
    """The contexts at which the model was called: before each turn of the agent, and now."""
    points = [i for i, turn in enumerate(context.turns) if isinstance(turn, AgentTurn) and i]
    return [replace(context, turns=context.turns[:i]) for i in points] + [context]


def _extends(out: Context, shown: Context) -> bool:
    return (
        out.sections == shown.sections
        and out.summary == shown.summary
        and out.turns[: len(shown.turns)] == shown.turns
    )


def _break_faults(
    strategy: Strategy,
    grown: Context,
    out: Context,
    budget: Budget,
    marks: tuple[Budget, ...],
) -> list[str]:
    passed = [m for m in (budget, *marks) if context_size(grown, m.counter) > m.compacts_above]
    if not passed:
        return [f"the prefix broke at turn {grown.turns[-1].at} although nothing was passed"]
    high = [mark for mark in passed if context_size(out, mark.counter) > _low(mark)]
    above = [m for m in high if context_size(out, m.counter) > _floor_with_summary(out, m)]
    if not above or _at_floor(strategy, out, budget):
        return []
    return [f"a compaction ended at {context_size(out, budget.counter)}, above its target"]


def _low(budget: Budget) -> int:
    limit = budget.compacts_above
    return limit if budget.target is None else min(budget.target, limit)


def _floor_with_summary(out: Context, budget: Budget) -> int:
    return floor_size(out, budget) + summary_size(out.summary, budget.counter)


def _at_floor(strategy: Strategy, out: Context, budget: Budget) -> bool:
    """Whether the strategy cannot make it smaller, but for what no model has seen."""
    cut: Cut | None = getattr(strategy, "cut", None)
    low = _low(budget)
    smaller = cut(out, budget, low) if cut else strategy(out, replace(budget, limit=low))
    return _size_without_unseen(smaller, budget.counter) >= _size_without_unseen(
        out, budget.counter
    )


def _size_without_unseen(context: Context, counter: Counter) -> int:
    return context_size(context, counter) - unseen_size(context, counter)


def identity_below_the_trigger(strategy: Strategy, context: Context, budget: Budget) -> list[str]:
    """Law 11: while the context fits, the identical objects come back."""
    if context_size(context, budget.counter) > budget.compacts_above:
        return []
    out = strategy(context, budget)
    same = (
        out == context
        and all(map(is_, out.turns, context.turns))
        and all(map(is_, out.sections, context.sections))
    )
    return [] if same else ["changed although it fits"]


def unseen_is_whole(strategy: Strategy, context: Context, budget: Budget) -> list[str]:
    """Law 12: results that no model has seen are whole while they fit beside what is protected.

    One that alone does not fit is cut, last of all and to fill the room.
    """
    at = unseen_turn(context.turns)
    if at is None:
        return []
    given = context.turns[at]
    out = strategy(context, budget)
    kept = next((turn for turn in out.turns if turn.at == given.at), None)
    if not isinstance(given, AgentTurn) or not isinstance(kept, AgentTurn):
        return [f"turn {given.at}, which no model has seen, is gone"]
    cut = [
        call.tool
        for call, before in zip(kept.calls, given.calls, strict=True)
        if call.result != before.result
    ]
    if not cut:
        return []
    counter = budget.counter
    lost = sum(map(lambda a, b: counter(b.result) - counter(a.result), kept.calls, given.calls))
    size = context_size(out, counter)
    if size + lost <= budget.limit:
        return [f"a result of {cut[0]} was cut, although it fits"]
    if out.fold and floor_size(context, budget) + _NOTE <= budget.limit:
        return [f"a result of {cut[0]} was cut before turns that could leave"]
    return []


def _size_of_protected(context: Context, counter: Counter) -> int:
    parts = units(context.turns)
    sections = sum(section_size(section, counter) for section in context.sections)
    return sections + sum(unit_size(parts[i], counter) for i in find_protected(parts))


def user_words_stay(strategy: Strategy, context: Context, budget: Budget) -> list[str]:
    """Law 13: the user's words stay verbatim up to half of the budget, beside what is protected.

    What left at a call at which there was no room for it does not come back.
    """
    out = strategy(context, budget).turns
    lost = [turn for turn in context.turns if isinstance(turn, UserTurn) and turn not in out]
    if not lost or any(_users_crowd(call, budget) for call in _calls(context)):
        return []
    return [f"the user's turn {turn.at} is gone" for turn in lost]


def _users_crowd(context: Context, budget: Budget) -> bool:
    """Whether the user's words exceed their share, or do not fit beside what is protected."""
    counter, parts = budget.counter, units(context.turns)
    said = [turn for turn in context.turns if isinstance(turn, UserTurn)]
    stay = {turn.at for i in find_protected(parts) for turn in parts[i]}
    more = sum(turn_size(turn, counter) for turn in said if turn.at not in stay)
    fixed = _size_of_protected(context, counter) - unseen_size(context, counter)
    fits = fixed + more + _NOTE <= budget.limit
    return not fits or sum(turn_size(turn, counter) for turn in said) > user_share(budget)


def nothing_leaves_unnamed(strategy: Strategy, context: Context, budget: Budget) -> list[str]:
    """Law 14: every turn that left is named in what the model sees."""
    out = strategy(context, budget)
    named = set(parse_named_turns(out.summary.text)) if out.summary else set()
    there = {turn.at for turn in out.turns}
    return [
        f"turn {turn.at} left unnamed"
        for turn in context.turns
        if turn.at not in there and turn.at not in named
    ]


LAWS: Mapping[str, Law] = MappingProxyType(
    {
        "same in, same out": same_in_same_out,
        "never grows": never_grows,
        "never invents or reorders": never_invents,
        "what is pinned survives": pinned_survives,
        "the requests survive": requests_survive,
        "valid on every wire": valid_on_every_wire,
        "a thinking loop is whole or gone": thinking_whole_or_gone,
        "twice is once": twice_is_once,
        "every folded turn is accounted for": all_accounted_for,
        "sticky": sticky,
        "identity below the trigger": identity_below_the_trigger,
        "what no model has seen is whole": unseen_is_whole,
        "the user's words stay": user_words_stay,
        "nothing leaves unnamed": nothing_leaves_unnamed,
    }
)


def _cut_once(cut: Cut) -> Cut:
    """The same cut, made once of the same objects: the laws walk one history again and again."""
    made: dict[tuple[int, ...], tuple[object, Context]] = {}

    def reuse_cut(context: Context, budget: Budget, low: int, /) -> Context:
        parts = (budget, context.sections, context.summary, context.fold, *context.turns)
        key = (low, *map(id, parts))
        if key not in made:
            # The parts are kept, so that nothing else gets their identity.
            made[key] = (parts, cut(context, budget, low))
        return made[key][1]

    return reuse_cut


def find_broken_laws(strategy: Strategy, context: Context, budget: Budget) -> list[Broken]:
    """Check all laws; empty if they hold."""
    walked = strategy
    if isinstance(strategy, Compactor):
        walked = strategy.with_cut(_cut_once(strategy.cut))
    first = walked(context, budget)

    def reuse_first(given: Context, wanted: Budget, /) -> Context:
        """Laws look at one output from many sides; it need not be made many times."""
        return first if given is context and wanted is budget else walked(given, wanted)

    reuse_first.cut = getattr(walked, "cut", None)  # type: ignore[attr-defined]
    broken = [
        Broken(name, how) for name, law in LAWS.items() for how in law(reuse_first, context, budget)
    ]
    if strategy(context, budget) != first:
        broken.append(Broken("same in, same out", "two calls gave two results"))
    return broken
