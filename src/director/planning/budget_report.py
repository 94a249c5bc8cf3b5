"""The report of a budget, in one form for people, and the figures behind it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from director.context.report import Report
from director.context.truncate import SectionCut
from director.context.values import Context, Counter
from director.planning.section_format import DEEP, ORDER, Source, TaggedSection

# The share of the window that each part is meant to have, in percent: shown, never enforced.
TARGETS = {
    "vision": "5-10%",
    "current_step": "3-5%",
    "task": "2-5%",
    "recent_changes": "3-5%",
    "instructions": "1-2%",
    "reference_docs": "5-10%",
    **dict.fromkeys(DEEP, "3-8% together"),
}


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One part of a context: its name, its tokens, and what was meant for it."""

    name: str
    tokens: int
    target: str = ""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextReport(Report):
    """The engine's report, with the window, the cuts in words, and remarks."""

    budget: Limit
    cuts: tuple[SectionCut, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sections(self) -> tuple[TaggedSection, ...]:
        """The sections of the context, with their sources."""
        return tuple(one for one in self.sent.sections if isinstance(one, TaggedSection))

    @property
    def lines(self) -> list[ReportLine]:
        """The parts of the context, in order."""
        ranked = sorted(self.sections, key=lambda one: ORDER.index(one.name))
        return [line for section in ranked for line in _lines(section, self.counting)]

    def __str__(self) -> str:
        """In the form that a person reads."""
        window, budget = self.budget.window, self.limit
        rows = [
            (f"{line.name}:", line.tokens, _of_both(line.tokens, window, budget, line.target))
            for line in self.lines
        ]
        end = [
            ("Total:", self.after, _of_both(self.after, window, budget)),
            ("Budget:", budget, f"({self.budget.share:.0%} of a window of {window:,})"),
        ]
        wide = max(len(name) for name, _, _ in rows + end) + 2
        shown = [f"  {name:<{wide}}{tokens:>9,} tokens {told}" for name, tokens, told in rows + end]
        shown.insert(len(rows), f"  {'─' * (wide + 30)}")
        how = f"{self.counter}, {f'±{self.error:.0%}' if self.error else 'exact'}"
        told = [("Status:", self.status), ("Counted:", f"{how}; the total is the written whole")]
        shown += [f"  {name:<{wide}}{words}" for name, words in told]
        shown += [f"  {'Cut:':<{wide}}{_cut(cut)}" for cut in self.cuts]
        shown += [f"  {'Note:':<{wide}}{note}" for note in self.notes]
        return "\n".join(["Context Budget Report:", *shown]) + "\n"

    @property
    def status(self) -> str:
        """Whether something had to be cut, in words."""
        if not self.cuts:
            return "Within budget"
        share = self.before / self.budget.window
        return (
            f"Within budget; warning: uncut it is {self.before:,} tokens, {share:.1%} of the window"
        )


def report_on_sections(
    given: Sequence[TaggedSection],
    sent: Sequence[TaggedSection],
    limit: Limit,
    *,
    sizes: tuple[int, int],
) -> ContextReport:
    """The report on sections as given and as sent, and the sizes of both as one text each."""
    return ContextReport(
        *sizes,
        limit.tokens,
        None,
        limit.counter.name,
        limit.counter.error,
        (),
        Context(tuple(given)),
        Context(tuple(sent)),
        # One text without a message of its own around each section.
        replace(limit.counter, per_message=0),
        budget=limit,
    )


def _lines(section: TaggedSection, count: Counter) -> list[ReportLine]:
    name = section.name.replace("_", " ").title()
    documents = [one for one in section.sources if one.kind == "reference"]
    if not documents:
        return [ReportLine(name, count(section.text), TARGETS.get(section.name, ""))]
    rest = section.only(*(one for one in section.sources if one.kind != "reference"))
    alone = count(rest.text)
    whole = count(section.text)
    return [
        ReportLine(name, alone, TARGETS[section.name]),
        ReportLine("Reference Docs", whole - alone, TARGETS["reference_docs"]),
    ]


def count_report_tokens(source: Source, count: Counter) -> tuple[int, int]:
    """The tokens of a source as it is and as it is shown."""
    return count(source.lead + source.text + source.tail), count(source.full_text)


def _of_both(tokens: int, window: int, budget: int, target: str = "") -> str:
    meant = f", target {target}" if target else ""
    of_budget = f"{tokens / budget:.1%}" if budget else "–"
    return f"({tokens / window:.1%} of window{meant}; {of_budget} of budget)"


def _cut(cut: SectionCut) -> str:
    return f"{cut.rule} ({cut.section}: {cut.before:,} → {cut.after:,})"
