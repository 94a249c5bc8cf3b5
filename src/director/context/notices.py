"""Notices: the lines that say what was left out, how much of it, and how it can be read back.

A notice names a reference only where something can open it (`recall`); it never says what the
text it stands for did not say.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from functools import lru_cache

_SHORTER = r"[\d,]+ of [\d,]+ characters|same facts|same as in t\d+|cut|[^\n\]]{1,200}, shortened"
_NOTICE = re.compile(rf"(?:^|\n)\[(?:{_SHORTER})(?:; recall ([0-9a-f]{{8}}))?\]$")
_RANGE = re.compile(
    r"^\[(?:Left out of t(\d+)(?:–t(\d+))?(?:, in excerpts)?|Earlier, in excerpts)"
    r"(?:; recall tN(?: for all of turn N)?)?\]$",
    re.MULTILINE,
)
_RANGE_LINE = re.compile(_RANGE.pattern + r"\n?", re.MULTILINE)
IMAGES = re.compile(r"(?:^|\n)\[\d+ image\(s\) left out\]$")


def reference_of(text: str) -> str:
    """The name by which an original can be recalled: a hash of its text."""
    return hashlib.blake2s(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def is_noticed(text: str) -> bool:
    """Whether a text ends with the notice of one that was cut before."""
    return _NOTICE.search(text[-300:]) is not None


def is_lossless(text: str) -> bool:
    """Whether the notice of a text says that it holds the same facts as its original."""
    found = _NOTICE.search(text[-300:])
    return found is not None and found[0].lstrip("\n").startswith("[same facts")


def find_notice(text: str) -> str | None:
    """The reference in the notice of a text that was cut before, or None."""
    found = _NOTICE.search(text[-300:])
    return found[1] if found else None


def without_notice(text: str) -> str:
    """The text without the notice that ends it."""
    found = _NOTICE.search(text, max(0, len(text) - 300))
    return text[: found.start()] if found else text


def with_notice(
    smaller: str, original: str, *, recalls: bool, same: bool = False, said: str = ""
) -> str:
    """A shorter text with one line that says what went and how to read the original."""
    if not said:
        said = "same facts" if same else f"{len(smaller):,} of {len(original):,} characters"
    way = f"; recall {reference_of(original)}" if recalls else ""
    return f"{smaller}\n[{said}{way}]".lstrip("\n")


def range_notice(covers: Collection[int], *, excerpts: bool, recalls: bool) -> str:
    """The line that names the turns that left, as a range; turns of it that stand below stayed."""
    first, last = min(covers, default=0), max(covers, default=0)
    where = f"t{first}–t{last}" if last > first else f"t{first}"
    how = ", in excerpts" if excerpts else ""
    way = "; recall tN for all of turn N" if recalls else ""
    return f"[Left out of {where}{how}{way}]"


def shorten_range_notice(text: str) -> str:
    """A summary's text with its notice in fewest words, if a notice is all that it is."""
    return text.replace(" for all of turn N]", "]") if is_range_notice(text) else text


def is_range_notice(line: str) -> bool:
    """Whether a line names turns that left."""
    return _RANGE.fullmatch(line) is not None


def without_range_notice(text: str) -> str:
    """A summary's text without the lines that name the turns that left."""
    return _RANGE_LINE.sub("", text)


def parse_named_turns(text: str) -> frozenset[int]:
    """The turns that the ranges in a summary's text name; none if there is none."""
    return frozenset(
        at
        for found in _RANGE.finditer(text)
        if found[1] is not None
        for at in range(int(found[1]), int(found[2] or found[1]) + 1)
    )


@lru_cache(maxsize=64)
def separate_parts(text: str) -> tuple[tuple[int | None, str], ...]:
    """The parts of a summary, each with the first turn that it names.

    A part begins with the line that names its turns; what stands before the first such line is a
    part without a turn.
    """
    starts = [found for found in _RANGE.finditer(text) if found[1] is not None]
    if len(starts) < 2:
        return ((None, text),)
    places = [found.start() for found in starts[1:]]
    parts: list[tuple[int | None, str]] = [(None, text[: places[0]].rstrip("\n"))]
    for found, end in zip(starts[1:], [*places[1:], len(text)], strict=True):
        parts.append((int(found[1]), text[found.start() : end].rstrip("\n")))
    return tuple(parts)
