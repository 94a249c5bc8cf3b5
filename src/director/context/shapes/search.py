"""Search results: hits of a web search, and matches of grep under their file.

A title and its address always stay; a snippet is cut to its telling sentences. Never merges two
hits whose addresses differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from director.context.shapes import log
from director.context.shapes.prose import clip, low, squeeze, tidy
from director.context.values import Level

_HIT = re.compile(
    r"\s{0,3}(?:\d{1,3}[.)]|[-*]|\[\d{1,3}\]|#{1,4}(?: \d{1,3}[.)])?)\s+\**\[[^\]\n]{1,400}\]\(\S"
    r"|\s{0,3}(?:\[\d{1,3}\]|\d{1,3}[.)])\s+\S"
    r"|(?:\d{1,3}[.)]\s+)?\**Title\**:\s",
)
_ADDRESS = re.compile(r"https?://[^\s)\]>\"']+")
_FIELD = re.compile(
    r"\s*\**(?:url|link|href|source|date(?: published)?|published)\**:\s", re.IGNORECASE
)
_MATCH = re.compile(
    r"((?:[A-Za-z]:)?[^\s:*?\"<>|][^:*?\"<>|\n]{0,250}):(\d+)([:-])(?:(\d+):)?(.*)$"
)
_NEAR = re.compile(r"([^\s:*?\"<>|][^:*?\"<>|\n]{0,250}?)-(\d+)-(.*)$")
_SNIPPET = 90
_GROUP = re.compile(r" *(\d+)[:-]")


class _Hit(NamedTuple):
    """One result: the lines that name it, the text below them."""

    head: list[str]
    body: list[str]


def recognise(text: str) -> bool:
    """Whether the text is a list of web results with addresses, or of grep matches."""
    return _is_grep(text[:40_000]) or len(_hits(tidy(text[:40_000]))[1]) >= 3


def _is_grep(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip() and line != "--"][:200]
    found = [match for line in lines if (match := _MATCH.match(line[:1_000]))]
    paths = [match[1] for match in found if re.search(r"[./\\]", match[1])]
    return len(paths) >= 3 and len(paths) * 10 >= len(lines) * 6


def render(text: str, level: Level, room: int) -> str:
    """The results at a level, in about `room` characters from "medium" on."""
    if level == "none":
        return text
    plain = low(text)
    if _is_grep(plain):
        lines = _group_by_path(plain.split("\n"))
        compact = "\n".join(lines)
        if level != "low" and len(compact) > room:
            compact = _matches(lines, level, room)
    else:
        preamble, hits = _hits(plain)
        hits = _merge_hits(hits)
        compact = _join_hits(preamble, hits)
        if level != "low" and len(compact) > room:
            compact = _shorten_hits(preamble, hits, level, room)
    return compact if len(compact) < len(text) else text


def _hits(text: str) -> tuple[list[str], list[_Hit]]:
    """The lines before the first result, and the results that have an address."""
    preamble: list[str] = []
    hits: list[_Hit] = []
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if _opens(lines, at)]
    preamble = lines[: starts[0]] if starts else lines
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        block = [line for line in lines[start:end] if line.strip()]
        named = max((i for i, line in enumerate(block[:4]) if _is_head(line)), default=0)
        hits.append(_Hit(block[: named + 1], block[named + 1 :]))
    return preamble, hits


def _opens(lines: Sequence[str], at: int) -> bool:
    """A numbered or titled line with an address in it or just below it."""
    if not _HIT.match(lines[at][:600]):
        return False
    below = (line for line in lines[at : at + 4] if line.strip())
    first = next(below)
    # "1. Go to https://..." is a step, not a result: there the address stands in a link or below.
    return ("](http" in first) or any(
        line.strip().startswith("http") or (_FIELD.match(line) and _ADDRESS.search(line))
        for line in below
    )


def _is_head(line: str) -> bool:
    return line.strip().startswith("http") or _FIELD.match(line) is not None


def _merge_hits(hits: Sequence[_Hit]) -> list[_Hit]:
    """The results, one to an address: the first of them gains the new lines of the others."""
    first: dict[str, _Hit] = {}
    for at, hit in enumerate(hits):
        found = _ADDRESS.search("\n".join(hit.head))
        known = first.setdefault(found[0].rstrip("/.,") if found else str(at), hit)
        if known is not hit:
            seen = {*known.head, *known.body}
            known.body.extend(line for line in hit.body if line not in seen)
    return list(first.values())


def _join_hits(preamble: Sequence[str], hits: Sequence[_Hit]) -> str:
    return tidy("\n".join([*preamble, *(line for hit in hits for line in (*hit.head, *hit.body))]))


def _shorten_hits(preamble: list[str], hits: list[_Hit], level: Level, room: int) -> str:
    """Heads whole, snippets sharing what is left: a short one leaves its share to the others."""
    above = tidy("\n".join(preamble))
    above = squeeze(above, max(room // 5, 100)) if above else ""
    left = room - len(above) - sum(len(line) + 1 for hit in hits for line in hit.head)
    # A snippet below some length tells nothing, so the first results get what there is.
    told = [at for at, hit in enumerate(hits) if hit.body][: max(0, left // _SNIPPET)]
    shown = {at: "\n".join(hits[at].body) for at in told}
    for rank, at in enumerate(sorted(shown, key=lambda at: (len(shown[at]), at))):
        shown[at] = squeeze(shown[at], left // (len(shown) - rank) - 1)
        left -= len(shown[at]) + 1
    lines = [above] if above else []
    for at, hit in enumerate(hits):
        lines += [*hit.head, *([shown[at]] if shown.get(at) else [])]
    text = "\n".join(lines)
    return _list_titles(hits, room) if level == "high" and len(text) > room else text


def _list_titles(hits: list[_Hit], room: int) -> str:
    """Only what names the results, the first ones if not all fit."""
    heads = [_name(hit, max(20, room // max(len(hits), 1) // 2)) for hit in hits]
    ranks = [min(at // 3, 8) for at in range(len(heads))]
    return log.fit(heads, ranks, "high", room, lambda start, end: f"… {end - start} results")


def _name(hit: _Hit, room: int) -> str:
    """The title, cut if it is long, and the whole address."""
    found = next((match for line in hit.head if (match := _ADDRESS.search(line))), None)
    title = hit.head[0].split("](")[0].replace("[", "", 1).strip()
    address = found[0] if found and found[0] not in title else ""
    return f"{clip(title, room)} {address}".strip()


def _group_by_path(lines: Sequence[str]) -> list[str]:
    """Matches under their path, where that is shorter."""
    keyed: list[tuple[str, str]] = []
    path = ""
    for line in lines:
        found = _MATCH.match(line[:2_000])
        if found:
            path = found[1]
            keyed.append((path, line[len(path) + 1 :]))
        elif path and line.startswith(path + "-") and _NEAR.match(line[:2_000]):
            keyed.append((path, line[len(path) + 1 :]))
        else:
            keyed.append(("", line))
    shown: list[str] = []
    for name, run in groupby(keyed, key=lambda each: each[0]):
        texts = [text for _, text in run]
        if name and len(texts) > 1:
            shown += [name, *(f" {text}" for text in texts)]
        else:
            shown += [f"{name}:{text}" if name else text for text in texts]
    return shown


def _matches(lines: Sequence[str], level: Level, room: int) -> str:
    """Every path, then the first and the odd matches of each file, long ones cut."""
    wide = max(80, min(200, room // 8))
    shown = [clip(line, wide) for line in lines]
    kinds = log.kinds([line.strip() for line in lines])
    sizes = Counter(kinds)
    ranks: list[int] = []
    since = 0
    for line, kind in zip(lines, kinds, strict=True):
        since = since + 1 if _GROUP.match(line) else 0
        if line.strip() == "--" or not line.strip():
            ranks.append(log.NEVER)
        elif since == 0:
            ranks.append(0)
        elif re.match(r" *\d+-", line):
            ranks.append(6)
        else:
            ranks.append(min(since, 4) if sizes[kind] < 3 else min(since + 1, 5))

    def label(start: int, end: int) -> str:
        numbers = [found[1] for line in lines[start:end] if (found := _GROUP.match(line))]
        if level == "medium" and len(numbers) == end - start and len(numbers) <= 12:
            return f" … lines {', '.join(numbers)}"
        return f" … {end - start} lines"

    return log.fit(shown, ranks, level, room, label)
