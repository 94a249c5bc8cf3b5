"""The boundary of a section: a line that opens it and a line that closes it.

No content can forge one. What looks like a boundary in a content, to a program or to a reader, is
given a backslash, and loses it again when it is read back: nothing else is changed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

from director.context.values import Section, Trust

NAMES = ("system", "description", "plan", "workflow", "variables", "browser", "summary")

_OPENER = re.compile("[<＜﹤≮‹〈〈⟨《⟪❮❰ᐸ˂≺⧼]")
_OPENING = re.compile(rf"^<({'|'.join(NAMES)})( trust=web)?>\n", re.MULTILINE)
# Letters of other alphabets that are drawn like Latin ones.
_DRAWN_LIKE = str.maketrans("асеіјорѕухԁһԝмпгтвкиιορυνα", "aceijopsyxdhwmnrtbkuiopuva")


def bounded(name: str, text: str, trust: Trust) -> Section:
    """A section with its boundary; what holds words of the web says so."""
    label = " trust=web" if trust == "web" else ""
    shown = f"<{name}{label}>\n{guarded(text)}\n</{name}>"
    return Section(name, shown, trust, stable=name in ("system", "description", "summary"))


def guarded(text: str, names: Collection[str] = NAMES) -> str:
    """The text with a backslash in everything that looks like a boundary of these names."""
    places = [0, *_places(text, names)]
    ends = [*places[1:], len(text)]
    return "\\".join(text[a:b] for a, b in zip(places, ends, strict=True))


def unguarded(text: str) -> str:
    """The text as it was before it was guarded."""
    gone = {place for place in _places(text, NAMES) if text.startswith("\\", place)}
    return "".join(char for place, char in enumerate(text) if place not in gone)


def read_sections(text: str) -> list[Section]:
    """The sections of the instructions of a request; ValueError if the text is not such.

    What stands ahead of the first boundary is the system section, which has none of its own.
    """
    first = _OPENING.search(text)
    start = first.start() if first else len(text)
    ahead = text[:start].removesuffix("\n\n") if first else text
    found = [Section("system", unguarded(ahead))] if start else []
    while start < len(text):
        opening = _OPENING.match(text, start)
        close = f"\n</{opening[1]}>" if opening else ""
        end = text.find(close, opening.end()) if opening else -1
        if opening is None or end < 0:
            raise ValueError(f"No whole section begins at character {start}.")
        trust: Trust = "web" if opening[2] else "agent"
        found.append(Section(opening[1], unguarded(text[opening.end() : end]), trust))
        start = end + len(close)
        if text[start:] and not text.startswith("\n\n<", start):
            raise ValueError(f"Something stands behind the section {opening[1]!r}.")
        start += 2
    return found


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


def _plainly(char: str) -> str:
    """A character as it looks: without case, width, accents; nothing if it is not seen."""
    seen = (
        part
        for part in unicodedata.normalize("NFKD", char)
        if part.isspace() or unicodedata.category(part) not in ("Cc", "Cf", "Mn", "Me")
    )
    return "".join(seen).casefold().translate(_DRAWN_LIKE)
