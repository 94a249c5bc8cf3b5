"""Fitting: sections give way in a fixed order until the written whole is within the budget. Pure.

What is counted is the whole, with tags, joiners and notices. Task, vision, decisions and what an
agent is told to do are never altered; if they do not fit, nothing is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from director.context.truncate import TruncationStep, truncate_in_order
from director.planning import shorten
from director.planning.budget_report import ContextReport, Limit, report_on_sections
from director.planning.section_format import DEEP, ORDER, TaggedSection, render_context
from director.planning.shorten import Ways
from director.planning.values import ProjectError


class TooLarge(ProjectError):
    """What may not be cut is larger than the budget."""


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


Plan = tuple[TaggedSection, ...]
Step = TruncationStep[TaggedSection]


@dataclass(slots=True)
class _Room:
    """Counting plans against a limit; what was counted once is remembered."""

    limit: Limit
    order: Sequence[str]
    sizes: dict[Plan, int] = field(default_factory=dict)

    def size(self, plan: Plan) -> int:
        if plan not in self.sizes:
            self.sizes[plan] = self.limit.counter(render_context(plan, self.order))
        return self.sizes[plan]

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

    def way(self, rule: str, tag: str, ways: Callable[[TaggedSection], Ways]) -> Step:
        """The step by which the section of a tag loses as little as is needed."""

        def shorten_plan(plan: Plan) -> Plan:
            at = next((place for place, one in enumerate(plan) if one.name == tag), None)
            if at is None:
                return plan
            found = ways(plan[at])

            def after(step: int) -> Plan:
                section = found.after(step)
                return (*plan[:at], *([section] if section else []), *plan[at + 1 :])

            return self.least(plan, found.count, after)

        return TruncationStep(rule, tag, shorten_plan)

    def remove(self, tag: str) -> Step:
        """The step by which a section goes."""
        rule = f"{tag} goes, with its notice"
        return self.way(rule, tag, lambda _: Ways(1, lambda _step: None))

    def summary(self, tag: str, rules: FittingRules) -> Step:
        """The summary in the place of the files it sums up."""
        instead = next((one for one in rules.summaries if one.name == f"{tag}_summary"), None)

        def replace_files(plan: Plan) -> Plan:
            found = next((one for one in plan if one.name == tag), None)
            if found is None or instead is None:
                return plan
            rest = tuple(one for one in plan if one.name not in (tag, instead.name))
            return self.least(
                plan, 1, lambda _: (*rest, shorten.shorten_summary_to_files(instead, found))
            )

        return TruncationStep(f"summaries over specifics: {tag}", tag, replace_files)


def fit_section_budget(
    sections: Sequence[TaggedSection], limit: Limit, rules: FittingRules
) -> ContextReport:
    """The sections within the limit, with as little lost as the order of the steps allows."""
    room = _Room(limit, rules.order)
    given: Plan = tuple(sections)
    steps = _steps(given, room, rules)
    plan, cuts = truncate_in_order(given, limit.tokens, measure=room.size, steps=steps)
    report = report_on_sections(given, plan, limit, sizes=(room.size(given), room.size(plan)))
    if not report.fits:
        raise TooLarge(_explain_floor(report))
    return replace(report, cuts=cuts)


def _steps(plan: Plan, room: _Room, rules: FittingRules) -> Iterator[Step]:
    """The order: see docs/fresh-contexts.md. Later steps are only taken if earlier ones fail."""
    shallow = tuple(one for one in plan if one.name not in DEEP)
    deep_first = not (rules.planning or rules.building) and room.fits(shallow)
    decided = any(one.name == "decisions" for one in plan)
    general, deep = list(_general(room, rules, decided=decided)), list(_deep(room, rules))
    yield from deep + general if deep_first else general + deep
    yield room.way("project_state is shortened", "project_state", _position)
    yield room.way("gameplan is shortened", "gameplan", _focus)
    kept = _never_dropped(rules)
    for tag in kept:
        yield room.way(f"{tag} is shortened, last of all", tag, shorten.shorten_from_the_end)
    for tag in ("recent_changes", "current_step", *DEEP, "project_state", "gameplan"):
        if tag not in kept:
            yield room.remove(tag)
    yield room.way("reference documents are taken out", "instructions", _bare)


def _general(room: _Room, rules: FittingRules, *, decided: bool) -> Iterator[Step]:
    yield room.way("git log first: fewer commits", "recent_changes", shorten.shorten_commits)
    yield room.way(
        "reference docs second: only what bears on the task",
        "instructions",
        lambda one: shorten.shorten_references(one, rules.words),
    )
    yield room.way("output of commands", "instructions", shorten.shorten_outputs)
    yield room.way(
        "step context third: told in short",
        "current_step",
        lambda one: shorten.shorten_step(one, rules.task_line, decided=decided),
    )


def _deep(room: _Room, rules: FittingRules) -> Iterator[Step]:
    for tag in ("research", "codebase"):
        yield room.summary(tag, rules)
    if not rules.planning:
        for tag in ("research", "step_research", "research_summary"):
            rule = f"research before codebase: {tag} gives way"
            yield room.way(rule, tag, shorten.shorten_from_the_end)
    if rules.unrelated:
        yield room.way(
            "unrelated domains are left out",
            "codebase",
            lambda one: shorten.shorten_file_lists(one, [[name] for name in rules.unrelated]),
        )
    if not rules.building:
        for tag in ("codebase", "codebase_summary"):
            yield room.way(f"{tag} gives way", tag, shorten.shorten_from_the_end)


def _never_dropped(rules: FittingRules) -> tuple[str, ...]:
    planning = ("research", "step_research", "research_summary") if rules.planning else ()
    return planning + (("codebase", "codebase_summary") if rules.building else ())


def _position(section: TaggedSection) -> Ways:
    return shorten.shorten_from_the_end(section, ["Current Position"])


def _focus(section: TaggedSection) -> Ways:
    return shorten.shorten_from_the_end(section, ["Current Focus"])


def _bare(section: TaggedSection) -> Ways:
    kept = [one for one in section.sources if one.kind != "reference"]
    return Ways(1 if len(kept) < len(section.sources) else 0, lambda _: section.only(*kept))


def _explain_floor(report: ContextReport) -> str:
    """The figures: what may not be cut, by name and size, and how much is missing."""
    pinned = {section.name for section in report.sections if section.pinned}
    told = ", ".join(
        f"{name} {tokens:,}{'' if name in pinned else ' (already at its shortest)'}"
        for name, tokens in report.floor
    )
    budget = report.budget
    need = -(-report.after * 10_000 // budget.parts)
    return (
        f"What may not be cut takes {report.after:,} tokens, the budget is {budget.tokens:,} "
        f"({budget.share:.0%} of a window of {budget.window:,}): {told}. "
        f"Nothing was written. Shorten one of these, or use a window of at least {need:,}."
    )
