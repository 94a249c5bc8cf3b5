"""Fitting: sections give way in a fixed order until the written whole is within the budget. Pure.

What is counted is the whole, with tags, joiners and notices. Task, vision, decisions and what an
agent is told to do are never altered; if they do not fit, nothing is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from director.context.values import Counter
from director.planning import shorten
from director.planning.section_format import (
    DEEP,
    ORDER,
    PROTECTED,
    TaggedSection,
    render_context,
    render_section,
)
from director.planning.shorten import Ways
from director.planning.values import ProjectError


class TooLarge(ProjectError):
    """What may not be cut is larger than the budget."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The budget of a context: a share of a window, counted by a counter."""

    window: int
    counter: Counter
    share: float = 0.3

    @property
    def tokens(self) -> int:
        """The most tokens that the written whole may have."""
        return self.window * self.parts // 10_000

    @property
    def parts(self) -> int:
        """The share in ten-thousandths: whole numbers, so that no rounding decides."""
        return round(self.share * 10_000)


@dataclass(frozen=True, slots=True)
class Cut:
    """One step that was taken: its rule, the section, the tokens of the whole before and after."""

    rule: str
    tag: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class FittingRules:
    """What the steps need to know: who it is for, the task's words, what could stand instead."""

    planning: bool = False
    building: bool = False
    task_line: str = ""
    words: frozenset[str] = frozenset()
    summaries: tuple[TaggedSection, ...] = ()
    unrelated: tuple[str, ...] = ()
    order: tuple[str, ...] = ORDER


@dataclass(frozen=True, slots=True)
class FittedSections:
    """Sections that fit, their size, the size before anything was cut, and what was cut."""

    sections: tuple[TaggedSection, ...]
    tokens: int
    whole: int
    cuts: tuple[Cut, ...] = ()


Plan = tuple[TaggedSection, ...]
Step = tuple[str, str, Callable[[Plan], Iterator[tuple[int, Callable[[int], Plan]]]]]


@dataclass(slots=True)
class _Room:
    """Counting plans against a limit; what was written or counted once is remembered."""

    limit: Limit
    order: Sequence[str]
    cuts: list[Cut] = field(default_factory=list)
    sizes: dict[Plan, int] = field(default_factory=dict)
    texts: dict[TaggedSection, str] = field(default_factory=dict)

    def size(self, plan: Plan) -> int:
        if plan not in self.sizes:
            self.sizes[plan] = self.limit.counter(render_context(plan, self.order, self._render))
        return self.sizes[plan]

    def _render(self, section: TaggedSection) -> str:
        if section not in self.texts:
            self.texts[section] = render_section(section)
        return self.texts[section]

    def fits(self, plan: Plan) -> bool:
        return self.size(plan) <= self.limit.tokens

    def least(self, plan: Plan, count: int, after: Callable[[int], Plan]) -> Plan:
        """The plan after the first step that fits; if none does, after the last if smaller."""
        if count == 0:
            return plan
        if not self.fits(last := after(count - 1)):
            return last if self.size(last) < self.size(plan) else plan
        low, high = 0, count - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.fits(after(middle)) else (middle + 1, high)
        return after(high)


def fit(sections: Sequence[TaggedSection], limit: Limit, rules: FittingRules) -> FittedSections:
    """The sections within the limit, with as little lost as the order of the steps allows."""
    room = _Room(limit, rules.order)
    plan: Plan = tuple(sections)
    whole = room.size(plan)
    for rule, tag, ways in _steps(plan, room, rules):
        if room.fits(plan):
            break
        for count, after in ways(plan):
            smaller = room.least(plan, count, after)
            if smaller != plan:
                room.cuts.append(Cut(rule, tag, room.size(plan), room.size(smaller)))
                plan = smaller
    if not room.fits(plan):
        raise TooLarge(_floor(plan, room))
    return FittedSections(plan, room.size(plan), whole, tuple(room.cuts))


def _steps(plan: Plan, room: _Room, rules: FittingRules) -> Iterator[Step]:
    """The order: see docs/fresh-contexts.md. Later steps are only taken if earlier ones fail."""
    shallow = tuple(one for one in plan if one.tag not in DEEP)
    deep_first = not (rules.planning or rules.building) and room.fits(shallow)
    general, deep = list(_general(rules)), list(_deep(rules))
    yield from deep + general if deep_first else general + deep
    yield _way("project_state is shortened", "project_state", _position)
    yield _way("gameplan is shortened", "gameplan", _focus)
    kept = _never_dropped(rules)
    for tag in kept:
        yield _way(f"{tag} is shortened, last of all", tag, shorten.from_the_end)
    for tag in ("recent_changes", "current_step", *DEEP, "project_state", "gameplan"):
        if tag not in kept:
            yield _remove_section(tag)
    yield _way("reference documents are taken out", "instructions", _bare)


def _general(rules: FittingRules) -> Iterator[Step]:
    yield _way("git log first: fewer commits", "recent_changes", shorten.commits)
    yield _way(
        "reference docs second: only what bears on the task",
        "instructions",
        lambda one: shorten.references(one, rules.words),
    )
    yield _way("output of commands", "instructions", shorten.outputs)

    def shorten_plan(plan: Plan) -> Iterator[tuple[int, Callable[[int], Plan]]]:
        decided = any(one.tag == "decisions" for one in plan)
        yield from _ways(
            plan,
            "current_step",
            lambda one: shorten.summarise_step(one, rules.task_line, decided=decided),
        )

    yield "step context third: told in short", "current_step", shorten_plan


def _deep(rules: FittingRules) -> Iterator[Step]:
    for tag in ("research", "codebase"):
        yield f"summaries over specifics: {tag}", tag, _summary(tag, rules)
    if not rules.planning:
        for tag in ("research", "step_research", "research_summary"):
            yield _way(f"research before codebase: {tag} gives way", tag, shorten.from_the_end)
    if rules.unrelated:
        yield _way(
            "unrelated domains are left out",
            "codebase",
            lambda one: shorten.fewer(one, [[name] for name in rules.unrelated]),
        )
    if not rules.building:
        for tag in ("codebase", "codebase_summary"):
            yield _way(f"{tag} gives way", tag, shorten.from_the_end)


def _never_dropped(rules: FittingRules) -> tuple[str, ...]:
    planning = ("research", "step_research", "research_summary") if rules.planning else ()
    return planning + (("codebase", "codebase_summary") if rules.building else ())


def _summary(
    tag: str, rules: FittingRules
) -> Callable[[Plan], Iterator[tuple[int, Callable[[int], Plan]]]]:
    """The summary in the place of the files it sums up."""
    instead = next((one for one in rules.summaries if one.tag == f"{tag}_summary"), None)

    def ways(plan: Plan) -> Iterator[tuple[int, Callable[[int], Plan]]]:
        found = next((one for one in plan if one.tag == tag), None)
        if found is None or instead is None:
            return
        rest = tuple(one for one in plan if one.tag not in (tag, instead.tag))
        yield 1, lambda _: (*rest, shorten.standing_for(instead, found))

    return ways


def _way(rule: str, tag: str, ways: Callable[[TaggedSection], Ways]) -> Step:
    return rule, tag, lambda plan: _ways(plan, tag, ways)


def _ways(
    plan: Plan, tag: str, ways: Callable[[TaggedSection], Ways]
) -> Iterator[tuple[int, Callable[[int], Plan]]]:
    for at, section in enumerate(plan):
        if section.tag == tag:
            found = ways(section)
            yield found.count, _replace_section(plan, at, found)


def _replace_section(plan: Plan, at: int, ways: Ways) -> Callable[[int], Plan]:
    def after(step: int) -> Plan:
        section = ways.after(step)
        return (*plan[:at], *([section] if section else []), *plan[at + 1 :])

    return after


def _remove_section(tag: str) -> Step:
    return _way(f"{tag} goes, with its notice", tag, lambda _: Ways(1, lambda _step: None))


def _position(section: TaggedSection) -> Ways:
    return shorten.from_the_end(section, ["Current Position"])


def _focus(section: TaggedSection) -> Ways:
    return shorten.from_the_end(section, ["Current Focus"])


def _bare(section: TaggedSection) -> Ways:
    kept = [one for one in section.sources if one.kind != "reference"]
    return Ways(1 if len(kept) < len(section.sources) else 0, lambda _: section.only(*kept))


def _floor(plan: Plan, room: _Room) -> str:
    """The figures: what may not be cut, by name and size, and how much is missing."""
    count = room.limit.counter
    size = room.size(plan)
    parts = sorted(((count(render_section(one)), one.tag) for one in plan), reverse=True)
    told = ", ".join(
        f"{tag} {tokens:,}{'' if tag in PROTECTED else ' (already at its shortest)'}"
        for tokens, tag in parts
    )
    need = -(-size * 10_000 // room.limit.parts)
    return (
        f"What may not be cut takes {size:,} tokens, the budget is {room.limit.tokens:,} "
        f"({room.limit.share:.0%} of a window of {room.limit.window:,}): {told}. "
        f"Nothing was written. Shorten one of these, or use a window of at least {need:,}."
    )
