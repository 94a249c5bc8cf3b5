"""The guard of boundaries: what looks like one in a content is given a backslash.

To a program or to a reader: in capitals, in wide letters, with hidden characters, in letters of
another alphabet. It loses the backslash again when it is read back; nothing else is ever changed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import lru_cache

_OPENER = re.compile("[<＜﹤≮‹〈〈⟨《⟪❮❰ᐸ˂≺⧼]")
# Letters of other alphabets that are drawn like Latin ones.
_DRAWN_LIKE = str.maketrans("асеіјорѕухԁһԝмпгтвкиιορυνα", "aceijopsyxdhwmnrtbkuiopuva")


def escape_boundaries(text: str, names: Collection[str]) -> str:
    """The text with a backslash in everything that looks like a boundary of these names."""
    places = [0, *_places(text, names)]
    ends = [*places[1:], len(text)]
    return "\\".join(text[a:b] for a, b in zip(places, ends, strict=True))


def unescape_boundaries(text: str, names: Collection[str]) -> str:
    """The text as it was before it was guarded."""
    gone = [place for place in _places(text, names) if text.startswith("\\", place)]
    starts = [0, *(place + 1 for place in gone)]
    return "".join(text[a:b] for a, b in zip(starts, [*gone, len(text)], strict=True))


def split_bounded(
    text: str, opening: re.Pattern[str], start: int = 0
) -> Iterator[tuple[re.Match[str], str]]:
    """The opening and the inside, still guarded, of each section from `start` on.

    ValueError where a section is not whole, or something stands between two.
    """
    while start < len(text):
        found = opening.match(text, start)
        close = f"\n</{found[1]}>" if found else ""
        end = text.find(close, found.end()) if found else -1
        if found is None or end < 0:
            raise ValueError(f"No whole section begins at character {start}.")
        yield found, text[found.end() : end]
        start = end + len(close)
        if text[start:] and not text.startswith("\n\n<", start):
            raise ValueError(f"Something stands behind the section {found[1]!r}.")
        start += 2


def _places(text: str, names: Collection[str]) -> Iterator[int]:
    """Where something begins, behind its opener, that looks like a boundary."""
    longest = max(map(len, names))
    for opener in _OPENER.finditer(text):
        if _word(text, opener.end(), longest) in names:
            yield opener.end()


def _word(text: str, at: int, longest: int) -> str:
    """The word that a reader would take for the name of a boundary that opens here."""
    word = ""
    while at < len(text) and len(word) <= longest:
        for char in _plainly(text[at]):
            if not word and (char.isspace() or char in "/\\"):
                continue
            if not char.isalnum() and char != "_":
                return word
            word += char
        at += 1
    return word


@lru_cache(4_096)
def _plainly(char: str) -> str:
    """A character as it looks: without case, width, accents; nothing if it is not seen."""
    seen = (
        part
        for part in unicodedata.normalize("NFKD", char)
        if part.isspace() or unicodedata.category(part) not in ("Cc", "Cf", "Mn", "Me")
    )
    return "".join(seen).casefold().translate(_DRAWN_LIKE)
