"""`cut_text`: as much of a text as there is room for, structure first.

For what alone does not fit: a result no model has seen, a huge message of the user. The head, the
tail, errors, lines that carry a reference and everything that the task names stay; what is rare
fills the rest. Never shows a template in place of lines that differ.
"""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import log

from director.context.errors import error_line
from director.context.joined_scripts import letter_pairs, separate_names
from director.context.literals import literals
from director.context.memory import remember
from director.context.notices import with_notice

ENDS = 0.12
_LONG_LINE, _CHUNK = 600, 320
_GAP, _SMALLEST = 14, 8
_ERROR = 40
_TOLD = 0.1
NOTICE_SIZE = 60
_WORD = re.compile(r"[^\W_][\w.@/+-]{2,}")
_CONTAINER = re.compile(
    r"\]<(?:t[drh]|t(?:able|body|head|foot)|li|[uo]l|dl|d[dt]|[bh]r|div|span|p) ?/?>\s*$"
)
_BREAK = re.compile(r"(?<=[.!?;,>}\])])\s+|\s+")


def words_of(texts: Collection[str]) -> frozenset[str]:
    """What texts name: identifiers, numbers, paths, and their longer words."""
    found: set[str] = set()
    for text in texts:
        found.update(literals(text))
        found.update(word.lower() for word in _WORD.findall(text) if len(word) > 4)
        found.update(letter_pairs(text))
    return frozenset(found)


def cut_text(  # noqa: PLR0913  each has a name
    text: str,
    room: int,
    *,
    named: frozenset[str] = frozenset(),
    references: re.Pattern[str] | None = None,
    recalls: bool = True,
    original: str | None = None,
    ends: float = ENDS,
) -> str:
    """The text in at most about `room` characters, with a notice; itself where it fits.

    `original` is the text as it came, where this one says the same facts in fewer characters.
    Head and tail take a share of the room each, `ends`, before anything else.
    """
    if len(text) <= room and original is None:
        return text
    original = text if original is None else original
    pieces, weights = _weigh(text, named, references)
    keep = _fill([piece for piece, _ in pieces], weights, max(0, room - NOTICE_SIZE), ends)
    smaller = with_notice(_weave(pieces, keep) if any(keep) else "", original, recalls=recalls)
    if len(smaller) > room and not any(keep):
        smaller = with_notice("", original, recalls=recalls, said="cut")
    return smaller if len(smaller) < len(original) else original


@dataclass(frozen=True, slots=True)
class _Weights:
    """What lines are worth: for what they are, and for each of their words, the rare ones most."""

    fixed: Sequence[float]
    words: Sequence[tuple[str, ...]]
    rarity: dict[str, float]


@remember
def _weigh(
    text: str, named: frozenset[str], references: re.Pattern[str] | None
) -> tuple[list[tuple[str, str]], _Weights]:
    """The pieces of a text and what each is worth: however much room there is, it is the same."""
    pieces = _pieces(text)
    return pieces, _ranks([piece for piece, _ in pieces], named, references)


def _pieces(text: str) -> list[tuple[str, str]]:
    """The lines of a text with what ends them; a very long one in chunks."""
    found: list[tuple[str, str]] = []
    for line in text.split("\n"):
        if len(line) <= _LONG_LINE:
            found.append((line, "\n"))
            continue
        start = 0
        while start < len(line):
            end = start + _CHUNK
            gap = _BREAK.search(line, end, end + 80) if end < len(line) else None
            end = gap.end() if gap else end
            found.append((line[start:end], ""))
            start = end
        found[-1] = (found[-1][0], "\n")
    return found


def _ranks(
    lines: Sequence[str], named: frozenset[str], references: re.Pattern[str] | None
) -> _Weights:
    """What each line is worth for its size: what is named first, then what is rare."""
    words = [
        tuple(dict.fromkeys((*_WORD.findall(separate_names(line)), *letter_pairs(line))))
        for line in lines
    ]
    shared = Tally(word for found in words for word in found)
    common = max(3, len(lines) // 20)
    fixed: list[float] = []
    for line, found in zip(lines, words, strict=True):
        hits = sum(
            shared[word] <= common for word in found if word in named or word.lower() in named
        )
        score = 10.0 + hits if hits else 0.0
        if references is not None and references.search(line):
            # A bare cell or row has a number too, but a link or a button in it is what is used.
            score += 5 if _CONTAINER.search(line) else 20
        if error_line(line):
            score += _ERROR
        fixed.append(score)
    rarity = {n: log(1 + len(lines) / n) for n in set(shared.values())}
    return _Weights(fixed, words, {word: rarity[n] for word, n in shared.items()})


class _Filling:
    """Which lines stay: both ends, then the worthiest, errors with what stands beside them.

    A word that a line which stays says already counts little in the next: what is left out is
    what is said elsewhere.
    """

    def __init__(self, lines: Sequence[str], weights: _Weights, room: int) -> None:
        self.lines, self.weights, self.left = lines, weights, room
        self.keep = bytearray(len(lines))
        self.told: set[str] = set()

    def worth(self, at: int) -> float:
        """What a line adds to those that stay."""
        rarity = self.weights.rarity
        says = sum(
            rarity[word] * (_TOLD if word in self.told else 1.0) for word in self.weights.words[at]
        )
        return self.weights.fixed[at] + says / (len(self.lines[at]) + 40)

    def take(self, at: int) -> None:
        """Keep a line if there is room for it."""
        lines, keep = self.lines, self.keep
        if not 0 <= at < len(lines) or keep[at] or not lines[at].strip():
            return
        beside = (at > 0 and keep[at - 1]) or (at + 1 < len(lines) and keep[at + 1])
        cost = len(lines[at]) + 1 + (0 if beside else _GAP)
        if cost <= self.left:
            self.left -= cost
            self.mark(at)

    def mark(self, at: int) -> None:
        """Keep a line."""
        self.keep[at] = 1
        self.told.update(self.weights.words[at])

    def fill(self) -> None:
        """Take lines until the room is full; the worth of one only ever falls."""
        heap = [(-self.worth(at), at) for at in range(len(self.lines)) if not self.keep[at]]
        heapify(heap)
        while heap and self.left >= _SMALLEST:
            score, at = heappop(heap)
            if self.keep[at]:
                continue
            now = -self.worth(at)
            if heap and now > heap[0][0] and now > score:
                heappush(heap, (now, at))
                continue
            self.take(at)
            if self.weights.fixed[at] >= _ERROR:
                self.take(at - 1)
                self.take(at + 1)


def _fill(lines: Sequence[str], weights: _Weights, room: int, ends: float) -> bytearray:
    filling = _Filling(lines, weights, room)
    filling.left -= _ends(lines, filling.keep, int(room * ends))
    for at, kept in enumerate(filling.keep):
        if kept:
            filling.mark(at)
    filling.fill()
    return filling.keep


def _ends(lines: Sequence[str], keep: bytearray, room: int) -> int:
    spent = 0
    for order in (range(len(lines)), range(len(lines) - 1, -1, -1)):
        left = room
        for at in order:
            if keep[at] or len(lines[at]) + 1 > left:
                break
            keep[at] = 1
            left -= len(lines[at]) + 1
            spent += len(lines[at]) + 1
    return spent


def _weave(pieces: Sequence[tuple[str, str]], keep: bytearray) -> str:
    out: list[str] = []
    at = 0
    while at < len(pieces):
        if keep[at]:
            out.append(pieces[at][0] + pieces[at][1])
            at += 1
            continue
        end = at
        while end < len(pieces) and not keep[end]:
            end += 1
        size = sum(len(piece) for piece, _ in pieces[at:end])
        ended = sum(join == "\n" for _, join in pieces[at:end])
        gap = f"… {ended} lines\n" if ended > 1 else f"… {size} characters\n"
        alone = size + ended <= len(gap)
        out.append("".join(piece + join for piece, join in pieces[at:end]) if alone else gap)
        at = end
    return "".join(out).rstrip("\n")
