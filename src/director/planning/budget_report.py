"""The report of a budget, in one form for people, and the figures behind it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from director.context.values import Counter
from director.planning.section_budget import Cut, FittedSections, Limit
from director.planning.section_format import DEEP, ORDER, Source, TaggedSection, render_section

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
class ContextReport:
    """What a context takes of its window and its budget, and what was cut for that."""

    lines: tuple[ReportLine, ...]
    total: int
    whole: int
    limit: Limit
    cuts: tuple[Cut, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """In the form that a person reads."""
        window, budget = self.limit.window, self.limit.tokens
        rows = [
            (f"{line.name}:", line.tokens, _of_both(line.tokens, window, budget, line.target))
            for line in self.lines
        ]
        end = [
            ("Total:", self.total, _of_both(self.total, window, budget)),
            ("Budget:", budget, f"({self.limit.share:.0%} of a window of {window:,})"),
        ]
        wide = max(len(name) for name, _, _ in rows + end) + 2
        shown = [f"  {name:<{wide}}{tokens:>9,} tokens {told}" for name, tokens, told in rows + end]
        shown.insert(len(rows), f"  {'─' * (wide + 30)}")
        counter = self.limit.counter
        how = f"{counter.name}, {f'±{counter.error:.0%}' if counter.error else 'exact'}"
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
        share = self.whole / self.limit.window
        return (
            f"Within budget; warning: uncut it is {self.whole:,} tokens, {share:.1%} of the window"
        )


def report_of(fitted: FittedSections, limit: Limit, notes: Sequence[str] = ()) -> ContextReport:
    """The report of sections that were fitted."""
    count = limit.counter
    lines = [
        line
        for section in sorted(fitted.sections, key=lambda one: ORDER.index(one.tag))
        for line in _lines(section, count)
    ]
    return ContextReport(
        tuple(lines), fitted.tokens, fitted.whole, limit, fitted.cuts, tuple(notes)
    )


def _lines(section: TaggedSection, count: Counter) -> list[ReportLine]:
    name = section.tag.replace("_", " ").title()
    documents = [one for one in section.sources if one.kind == "reference"]
    if not documents:
        return [ReportLine(name, count(render_section(section)), TARGETS.get(section.tag, ""))]
    rest = section.only(*(one for one in section.sources if one.kind != "reference"))
    alone = count(render_section(rest))
    whole = count(render_section(section))
    return [
        ReportLine(name, alone, TARGETS[section.tag]),
        ReportLine("Reference Docs", whole - alone, TARGETS["reference_docs"]),
    ]


def tokens_of(source: Source, count: Counter) -> tuple[int, int]:
    """The tokens of a source as it is and as it is shown."""
    return count(source.lead + source.text + source.tail), count(source.shown)


def _of_both(tokens: int, window: int, budget: int, target: str = "") -> str:
    meant = f", target {target}" if target else ""
    of_budget = f"{tokens / budget:.1%}" if budget else "–"
    return f"({tokens / window:.1%} of window{meant}; {of_budget} of budget)"


def _cut(cut: Cut) -> str:
    return f"{cut.rule} ({cut.tag}: {cut.before:,} → {cut.after:,})"
