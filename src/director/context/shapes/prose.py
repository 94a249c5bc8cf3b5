"""Prose, and any text no other shape claims: whitespace in normal form, then the best sentences.

Sentences are kept whole and in order, so that a literal stays among its neighbours. Never
rephrases: every character shown apart from "…" and "(repeated ×n)" is in the input.
"""

from __future__ import annotations

import re
from collections import Counter
from heapq import heapify, heappop, heappush
from math import log
from typing import NamedTuple

from director.context.literals import literals
from director.context.values import Level

GAP = "…"
LONGEST = 400

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_BLANK_RUN = re.compile(r"\n{3,}")
_STOP = re.compile(r"""[.!?…][)\]"'”’*]*\s+|[。！？]+[」』”]*\s*""")
_ABBREVIATED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Mt|vs|etc|cf|Fig|figs?|Inc|Ltd|Corp|Co|Jr|Sr|approx|al|Vol|pp?"
    r"|eds?|Eq|Sec|Ch|Rev|Gen|Col|Sgt|Capt|Gov|Sen|Rep|Ave|Blvd|Dept|Est|min|max|ca|resp|tel|ext"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)|(?:^|[\s.(])[A-Za-z])\.$"
)
_NUMBERED = re.compile(r"\s*(?:\d{1,3}|[A-Za-z])[.)]$|.*\b[Nn]o\.$")
_BREAK = re.compile(r"[,;:|]\s+|\s+")
_WORD = re.compile(r"[^\W_][\w'’-]*")
_STRESS = re.compile(
    r"\b(?:must|not|never|only|before|after|until|unless|except|cannot|can't|won't|don't|required?"
    r"|deadline|due|errors?|fail(?:s|ed|ure)?|exception|denied|warning|important|however|because"
    r"|therefore|decided|agreed?|total|maximum|minimum|limit|TODO)\b|\?",
    re.IGNORECASE,
)
_HEADED = re.compile(r"\s*(?:#{1,6}\s|[-*•+]\s|\d{1,3}[.)]\s|\|)|[^.!?]{3,60}:?$")
_COMMON = frozenset(
    "the and for that this with from have has had was were are is be been being will would can"
    " could should may might its it's their there they them then than these those you your our"
    " his her she him who whom which what when where how why all any some more most other into"
    " over about also just like very such one two out not but did does done get got going yeah"
    " okay well really think know mean kind sort thing things because so if or as at by of on to"
    " in it we he me my an a i do no up us".split()
)


def recognise(text: str) -> bool:
    """Whether this shape can render the text: always, it is the fallback."""
    return len(text) >= 0


def tidy(text: str) -> str:
    """The text without escape codes, trailing blanks and runs of blank lines."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    return _BLANK_RUN.sub("\n\n", "\n".join(lines)).strip("\n")


def clip(text: str, room: int) -> str:
    """The head and the tail of a text, with the middle left out if it is longer than `room`."""
    if len(text) <= room:
        return text
    if room < 40:
        return text[: max(room - 1, 0)].rstrip() + GAP if room > 0 else ""
    head, tail = text[: room * 2 // 3 - 3], text[-(room // 3) :]
    head = head[: max(head.rfind(" "), head.rfind("\n"), len(head) - 30)].rstrip()
    cut = re.search(r"\s", tail[:30])
    return f"{head} {GAP} {tail[cut.end() if cut else 0 :].lstrip()}"


def sentences(text: str) -> list[str]:
    """The sentences, list items and lines of a text, trimmed, in order and none lost."""
    return [piece for block in _blocks(text.split("\n")) for piece in _split(block)]


def _blocks(lines: list[str]) -> list[str]:
    """Lines, with soft-wrapped ones joined: a full line continued by a lower-case one."""
    blocks: list[str] = []
    wrapped: list[str] = []
    for line in lines:
        start = line.lstrip()[:1]
        if wrapped and not (len(wrapped[-1]) >= 40 and start.islower()):
            blocks.append("\n".join(wrapped))
            wrapped = []
        if start:
            wrapped.append(line)
        elif wrapped:
            blocks.append("\n".join(wrapped))
            wrapped = []
    if wrapped:
        blocks.append("\n".join(wrapped))
    return blocks


def _split(block: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for stop in _STOP.finditer(block):
        end = stop.end()
        if not _ends(block, start, stop.start(), end):
            continue
        pieces += _short(block[start:end].strip())
        start = end
    return pieces + _short(block[start:].strip())


def _ends(block: str, start: int, mark: int, end: int) -> bool:
    if end >= len(block):
        return False
    if block[mark] != ".":
        return True
    before = block[max(start, mark - 12) : mark + 1]
    if _ABBREVIATED.search(before) or _NUMBERED.match(block[max(start, mark - 6) : mark + 1]):
        return False
    # A lower-case letter follows a real stop only in careless writing, after a real word.
    return not block[end].islower() or before[-4:-1].isalpha()


def _short(piece: str) -> list[str]:
    if len(piece) <= LONGEST:
        return [piece] if piece else []
    parts: list[str] = []
    start = 0
    while len(piece) - start > LONGEST:
        breaks = list(_BREAK.finditer(piece, start + LONGEST // 2, start + LONGEST))
        strong = [found for found in breaks if len(found.group()) > 1 or found.group() == "\n"]
        if breaks:
            end = (strong or breaks)[-1].end()
        else:
            later = _BREAK.search(piece, start + LONGEST, start + 5 * LONGEST)
            end = later.end() if later else start + LONGEST
        parts.append(piece[start:end].strip())
        start = end
    parts.append(piece[start:].strip())
    return [part for part in parts if part]


def join_repeats(lines: list[str]) -> list[str]:
    """The lines, with a run of identical ones written once as "line (×n)"."""
    shown: list[str] = []
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and lines[end] == lines[at]:
            end += 1
        count, line = end - at, lines[at]
        folded = f"{line} (×{count})"
        shown += (
            [folded] if line.strip() and len(folded) < count * (len(line) + 1) else lines[at:end]
        )
        at = end
    return shown


def low(text: str) -> str:
    """The text in normal form, with repeated lines and paragraphs written once."""
    paragraphs = "\n".join(join_repeats(tidy(text).split("\n"))).split("\n\n")
    counts = Counter(paragraphs)
    shown: list[str] = []
    for paragraph in dict.fromkeys(paragraphs):
        note = f" (repeated ×{counts[paragraph]})"
        once = counts[paragraph] == 1 or len(paragraph) < 40
        shown.append(paragraph if once else paragraph + note)
    if len(shown) == len(paragraphs):
        return "\n\n".join(shown)
    # Short paragraphs may be separators, so they stay where they are.
    notes = dict(zip(dict.fromkeys(paragraphs), shown, strict=True))
    kept = [notes.pop(each, each if len(each) < 40 else None) for each in paragraphs]
    return "\n\n".join(each for each in kept if each is not None)


def render(text: str, level: Level, room: int) -> str:
    """The text at a level, in about `room` characters from "medium" on."""
    if level == "none":
        return text
    compact = low(text)
    if level != "low" and len(compact) > room:
        compact = low(squeeze(compact, room))
    return compact if len(compact) < len(text) else text


class _Unit(NamedTuple):
    text: str
    line: int
    terms: dict[str, float]
    base: float


def squeeze(text: str, room: int) -> str:
    """The sentences of a text that tell most for their length, in order, in `room` characters."""
    if len(text) <= room:
        return text
    units = _units(text)
    kept = _choose(units, room)
    if not kept:
        best = max(units, key=lambda unit: unit.base + sum(unit.terms.values()), default=None)
        return clip(best.text, room) if best else clip(text, room)
    return _join(units, kept)


def _units(text: str) -> list[_Unit]:
    blocks = _blocks(text.split("\n"))
    pieces = [
        (piece, at, not i) for at, b in enumerate(blocks) for i, piece in enumerate(_split(b))
    ]
    words = [set(_WORD.findall(piece)) for piece, _, _ in pieces]
    spread = Counter(word.lower() for each in words for word in each)
    return [
        _Unit(
            piece,
            at,
            _terms(piece, found, spread, len(pieces)),
            _base(piece, at, len(blocks) - 1, first=first),
        )
        for (piece, at, first), found in zip(pieces, words, strict=True)
    ]


def _terms(piece: str, words: set[str], spread: Counter[str], total: int) -> dict[str, float]:
    """What a sentence tells, with weights: literals most, then names, then rarer words."""
    terms: dict[str, float] = {}
    scale = log(2 + total)
    for word in sorted(words):
        lower = word.lower()
        if len(word) < 3 or len(word) > 40 or lower in _COMMON:
            continue
        seen = spread[lower]
        weight = log(1 + total / seen) / scale * (1 + log(seen) / 2)
        named = word[0].isupper() and not piece.startswith(word)
        terms[lower] = max(terms.get(lower, 0.0), weight * (1.6 if named else 1.0))
    # An unbroken run such as an encoded image holds nothing to name, unless it is an address.
    if len(piece) <= 150 or " " in piece or piece.startswith("http"):
        for literal in literals(piece):
            terms[literal.lower()] = 2.5 if len(literal) <= 200 else 1.0
    return terms


def _base(piece: str, at: int, last: int, *, first: bool) -> float:
    stressed = 1.0 if _STRESS.search(piece) else 0.0
    placed = 0.8 if first else 0.0
    edge = 1.5 if at in (0, last) else 0.0
    return stressed + placed + edge + (0.8 if first and _HEADED.match(piece) else 0.0)


def _gain(unit: _Unit, covered: set[str]) -> float:
    told = sum(weight * (0.2 if term in covered else 1.0) for term, weight in unit.terms.items())
    return (unit.base + told) / (len(unit.text) + 12)


def _choose(units: list[_Unit], room: int) -> set[int]:
    """Greedy choice with lazy re-scoring: a gain only falls as more words are covered."""
    covered: set[str] = set()
    kept: set[int] = set()
    heap = [(-_gain(unit, covered), at, 0) for at, unit in enumerate(units) if unit.terms]
    heapify(heap)
    left = room
    while heap and left > 0:
        worth, at, tries = heappop(heap)
        unit = units[at]
        joined = (at - 1 in kept) + (at + 1 in kept)
        cost = len(unit.text) + (5, 1, -1)[joined]
        if cost > left:
            continue
        fresh = -_gain(unit, covered)
        if heap and fresh > heap[0][0] and fresh > worth and tries < 4:
            heappush(heap, (fresh, at, tries + 1))
            continue
        kept.add(at)
        covered.update(unit.terms)
        left -= cost
    return kept


def _join(units: list[_Unit], kept: set[int]) -> str:
    shown: list[str] = []
    previous = -1
    for at in sorted(kept):
        unit = units[at]
        gap = f"{GAP} " if at != previous + 1 else ""
        if shown:
            shown.append("\n" if unit.line != units[previous].line else " ")
        shown.append(gap + unit.text)
        previous = at
    if previous != len(units) - 1:
        shown.append(f" {GAP}")
    return "".join(shown)
