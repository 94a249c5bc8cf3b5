"""Forms of a value as people and pages rewrite it: other case, spaced out, grouped, reversed.

Pure. A value that is shorter than `SHORTEST` without its separators is looked for as it stands
only: with separators between its letters it would be found where it is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

SHORTEST = 6
# Space of every width, line ends, letters without width, hyphens.
_SEPARATOR = re.compile("[\\s\u00ad\u200b-\u2011\u2060\ufeff-]")
_LINE_END = re.compile(r"[\n\r]")


def list_loose_forms(values: Iterable[str]) -> tuple[str, ...]:
    """Each value and its reverse, in small letters and without separators; each once."""
    letters = [strip_separators(value) for value in values]
    long = [each for each in letters if len(each) >= SHORTEST]
    return tuple(dict.fromkeys(form for each in long for form in (each, each[::-1])))


def find_loose_spans(
    text: str, forms: Sequence[str], *, across_lines: bool = False
) -> Iterator[tuple[int, int]]:
    """Where a value stands in a text in one of its loose forms, within one line or across them."""
    if not forms:
        return
    stripped = strip_separators(text)
    found = [form for form in forms if form in stripped]
    if not found:
        return
    places = [at for at, letter in enumerate(text) if not _SEPARATOR.match(letter)]
    for form in found:
        start = stripped.find(form)
        while start >= 0:
            span = places[start], places[start + len(form) - 1] + 1
            if across_lines or not _LINE_END.search(text, *span):
                yield span
            start = stripped.find(form, start + 1)


def strip_separators(text: str) -> str:
    """A text in small letters without separators; of the other letters none is lost or added."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(each.lower() if len(each.lower()) == 1 else each for each in text)
    return _SEPARATOR.sub("", lower)
