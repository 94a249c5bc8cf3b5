"""Making one section shorter without tearing its structure. Pure.

Each way gives its steps as a number and a function: step 0 loses least. What is left out is told
in a notice, with the place to read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from director.planning.markdown import (
    MarkdownBlock,
    find_markdown_part,
    list_markdown_headings,
    parse_markdown_blocks,
)
from director.planning.recent_changes import find_change_spans
from director.planning.section_format import Source, TaggedSection


@dataclass(frozen=True, slots=True)
class Ways:
    """The steps in which a section can lose something: how many, and the section after each."""

    count: int
    after: Callable[[int], TaggedSection | None]


def shorten_summary_to_files(summary: TaggedSection, files: TaggedSection) -> TaggedSection:
    """A summary that says which files it stands for."""
    names = ", ".join(one.source for one in files.sources)
    source = replace(summary.sources[0], notice=f"[… this stands for {names}: read them there]\n")
    return summary.only(source)


def shorten_commits(section: TaggedSection) -> Ways:
    """Fewer and fewer of the newest commits."""
    source = section.sources[0]
    many = len(re.findall(r"^- ", source.text, re.MULTILINE))

    def after(step: int) -> TaggedSection:
        keep = many - 1 - step
        notice = f"[… {many - keep} older changes left out: read `git log`]\n"
        return section.only(
            replace(source, spans=tuple(find_change_spans(source.text, keep)), notice=notice)
        )

    return Ways(many, after)


def shorten_from_the_end(section: TaggedSection, first: Sequence[str] = ()) -> Ways:
    """Block by block, the one farthest from the beginning of its file first.

    What stands under the headings named in `first` goes last.
    """
    pieces = [
        (source, parse_markdown_blocks(source.text) if source.spans is None else [])
        for source in section.sources
    ]
    ranked: list[tuple[bool, int, int, int]] = []
    for at, (source, found) in enumerate(pieces):
        last = _find_pinned(source.text, first)
        for number, block in enumerate(found):
            free = not any(start <= block.start < end for start, end in last)
            ranked.append((free, block.start, at, number))
    ranked.sort()

    def after(step: int) -> TaggedSection:
        kept = {(at, number) for _, _, at, number in ranked[: len(ranked) - 1 - step]}
        return section.only(
            *(
                _select_blocks(
                    source, found, [one for n, one in enumerate(found) if (at, n) in kept]
                )
                for at, (source, found) in enumerate(pieces)
            )
        )

    return Ways(len(ranked), after)


def shorten_step(section: TaggedSection, task: str, *, decided: bool) -> Ways:
    """A step told shorter: its title, what it delivers, what it needs, the line of the task."""
    source = section.sources[0]
    text = source.text
    title = [(one.start, one.end) for one in list_markdown_headings(text) if one.level == 1][:1]
    delivers, needs = _under(text, "What This Delivers"), _under(text, "Needs First")
    line = _line(text, task)
    ways = [title + delivers + needs + line, title + delivers + line, title + line, []]
    if decided and (told := _under(text, "Decisions")):
        ways.insert(0, [(0, told[0][0]), (told[0][1], len(text))])

    def after(step: int) -> TaggedSection:
        kept = tuple(sorted(span for span in ways[step] if span[0] < span[1]))
        notice = f"[… the step is told in short: read {source.source}]\n"
        return section.only(replace(source, spans=kept, notice=notice))

    return Ways(len(ways), after)


def shorten_file_lists(section: TaggedSection, drop: Sequence[Sequence[str]]) -> Ways:
    """Without the files of the first list, then of the second too; each leaves a notice."""

    def after(step: int) -> TaggedSection:
        names = {name for one in drop[: step + 1] for name in one}
        return section.only(
            *(_empty_source(one) if one.name in names else one for one in section.sources)
        )

    return Ways(len(drop), after)


def shorten_references(section: TaggedSection, words: frozenset[str]) -> Ways:
    """Reference documents: only the parts whose headings the task speaks of, then only names."""

    def after(step: int) -> TaggedSection:
        return section.only(
            *(
                one if one.kind != "reference" else _relevant(one, words if step == 0 else None)
                for one in section.sources
            )
        )

    return Ways(2 if any(one.kind == "reference" for one in section.sources) else 0, after)


def shorten_outputs(section: TaggedSection) -> Ways:
    """Without the output of commands, the last first."""
    places = [(at, span) for at, one in enumerate(section.sources) for span in one.injected]

    def after(step: int) -> TaggedSection:
        out = places[len(places) - 1 - step :]
        found = []
        for at, one in enumerate(section.sources):
            cut = [span for place, span in out if place == at]
            notice = f"[… the output of {len(cut)} commands left out: run them]\n"
            found.append(replace(one, spans=_without(one.text, cut), notice=notice) if cut else one)
        return section.only(*found)

    return Ways(len(places), after)


def _find_pinned(text: str, first: Sequence[str]) -> list[tuple[int, int]]:
    """Where the sections stand that go last, with their headings."""
    return [span for name in first for span in _under(text, name)]


def _select_blocks(
    source: Source, found: Sequence[MarkdownBlock], kept: list[MarkdownBlock]
) -> Source:
    """A source with some of its blocks; a heading that has lost its body goes too."""
    if len(kept) == len(found):
        return source
    starts = {one.start for one in kept}
    while bare := {one.start for one in kept if one.heading and one.end not in starts}:
        kept = [one for one in kept if one.start not in bare]
        starts -= bare
    if not kept:
        return _empty_source(source)
    joined: list[tuple[int, int]] = []
    for one in kept:
        if joined and joined[-1][1] == one.start:
            joined[-1] = joined[-1][0], one.end
        else:
            joined.append((one.start, one.end))
    return replace(source, spans=tuple(joined), notice=source.notice + _missing(source, joined))


def _missing(source: Source, kept: Sequence[tuple[int, int]]) -> str:
    """The notice: which lines are left out, and where they can be read."""
    text = source.text
    total = len(text.splitlines())
    edges = [0, *(edge for span in kept for edge in span), len(text)]
    holes = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if text[a:b].strip()]
    told = ", ".join(
        f"{text.count(chr(10), 0, a) + 1}-{text.count(chr(10), 0, b - 1) + 1}" for a, b in holes[:3]
    )
    more = f" and {len(holes) - 3} more places" if len(holes) > 3 else ""
    return f"\n[… lines {told}{more} of {total} left out: read {source.source}]\n"


def _empty_source(source: Source) -> Source:
    lines = len(source.text.splitlines())
    told = "output left out" if source.kind == "log" else f"all {lines} lines left out"
    where = "`git log`" if source.kind == "log" else _where(source)
    return replace(
        source,
        spans=(),
        lead="",
        tail="",
        notice=f"[… {told} to stay within the budget: read {where}]\n",
    )


def _where(source: Source) -> str:
    if source.kind == "reference":
        return f"`director context reference {source.name}`"
    return source.source


def _relevant(source: Source, words: frozenset[str] | None) -> Source:
    """The beginning of a document and the parts whose headings hold one of the words."""
    if words is None:
        return _empty_source(source)
    found = list_markdown_headings(source.text)
    seconds = [one for one in found if one.level == 2]
    starts = [one.start for one in seconds] + [len(source.text)]
    kept = [
        (one.start, end)
        for one, end in zip(seconds, starts[1:], strict=True)
        if words & set(re.findall(r"\w+", one.words.casefold()))
    ]
    if len(kept) == len(seconds):
        return source
    if not kept:
        return _empty_source(source)
    spans_ = ((0, starts[0]), *kept)
    notice = f"[… {len(seconds) - len(kept)} parts left out: read {_where(source)}]\n"
    return replace(source, spans=spans_, notice=notice)


def _under(text: str, words: str) -> list[tuple[int, int]]:
    """A section with its heading."""
    found = find_markdown_part(text, words)
    if found is None:
        return []
    start = next(one.start for one in list_markdown_headings(text) if one.end == found[0])
    return [(start, found[1])]


def _line(text: str, task: str) -> list[tuple[int, int]]:
    """The line of the step's list that names the task, by its title or its number."""
    found = find_markdown_part(text, "Tasks")
    if found is None or not task:
        return []
    title, _, number = task.rpartition("\n")
    for wanted in (re.escape(title), rf"\bTask {number}\b"):
        hit = re.search(rf"^.*{wanted}.*\n?", text[slice(*found)], re.MULTILINE | re.IGNORECASE)
        if hit and wanted:
            return [(found[0] + hit.start(), found[0] + hit.end())]
    return []


def _without(text: str, cut: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    edges = [0, *(edge for span in sorted(cut) for edge in span), len(text)]
    return tuple(zip(edges[::2], edges[1::2], strict=True))
