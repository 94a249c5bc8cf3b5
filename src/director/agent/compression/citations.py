"""Citations in a summary: each line names the turns it stands for, so that they can be read again.

A line that cites nothing, or turns that it does not cover, is given those whose words it shares.
Pure; no line is ever changed otherwise.
"""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Iterable, Mapping, Sequence

from director.context.literals import is_literal
from director.context.recall import whole
from director.context.values import Fold, Turn

_CITED = re.compile(r"[\[(]t?(\d+(?:\s*[-–,]\s*t?\d+)*)[\])]")
_LABELLED = re.compile(r"^t(\d+)\b")
_CONTINUED = re.compile(r"^ \S")
_WORD = re.compile(r"[\w#][\w.@/#=:-]*")
_HEADING = re.compile(r"^\s*(?:#{1,6} .*|[^.!?]{1,60}:|\[[^\]]*\]|[-=*_\s]*)$")
_MOST = 3


def add_citations(text: str, fold: Fold) -> str:
    """The text with a citation of covered turns in each of its lines."""
    covers = set(fold.previous.covers if fold.previous else ()) | {t.at for t in fold.turns}
    words = {turn.at: _words(whole(turn)) for turn in fold.turns}
    shared = Tally(word for found in words.values() for word in found)
    lines: list[str] = []
    for line in text.splitlines():
        bare = bool(_HEADING.match(line)) or (bool(lines) and bool(_CONTINUED.match(line)))
        if bare or covers & find_citations(line):
            lines.append(line)
            continue
        found = _sources(line, words, shared) or _earlier(fold)
        told = f" [{', '.join(map(str, found))}]" if found else ""
        lines.append(f"{_CITED.sub('', line).rstrip()}{told}" if told else line)
    return "\n".join(lines)


def find_citations(line: str) -> set[int]:
    """The turns that a line names, as `[12]`, `[3-5, 9]` or `t12` at its start."""
    labelled = _LABELLED.match(line)
    found = {int(labelled[1])} if labelled else set()
    for group in _CITED.findall(line):
        for part in group.split(","):
            ends = [int(n) for n in re.findall(r"\d+", part)]
            # A year or a price in brackets is no span worth writing out.
            found |= set(range(ends[0], ends[-1] + 1)) if ends[-1] - ends[0] < 10_000 else set(ends)
    return found


def _sources(
    line: str, words: Mapping[int, frozenset[str]], shared: Mapping[str, int]
) -> Sequence[int]:
    """The turns that share most with a line; a rare word says more than a common one."""
    said = _words(line)
    worth = {
        at: sum((3.0 if is_literal(word) else 1.0) / shared[word] for word in sorted(said & found))
        for at, found in words.items()
    }
    best = max(worth.values(), default=0.0)
    likely = [at for at, value in worth.items() if best > 0 and value >= 0.75 * best]
    return sorted(likely[:_MOST])


def _earlier(fold: Fold) -> Sequence[int]:
    """What nobody said now was said in the earlier summary: its last turn."""
    return fold.previous.covers[-1:] if fold.previous else ()


def _words(text: str) -> frozenset[str]:
    found = (word.strip(".,:;-=") for word in _WORD.findall(text))
    return frozenset(word if is_literal(word) else word.lower() for word in found if len(word) > 2)


def list_uncited_lines(text: str, turns: Iterable[Turn]) -> list[str]:
    """The lines that name none of these turns, headings apart."""
    known = {turn.at for turn in turns}
    return [
        line
        for nth, line in enumerate(text.splitlines())
        if not _HEADING.match(line)
        and not (nth and _CONTINUED.match(line))
        and not known & find_citations(line)
    ]


# Names of one release ago; they go with the next.
cited = add_citations
cite = add_citations
