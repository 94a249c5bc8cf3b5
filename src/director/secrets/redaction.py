"""The redaction net: a text goes in, and comes out with none of the values in any known form.

All places are found in the text as it came and replaced in one go, overlapping ones as one, so no
tail of a value stays behind. The net is the second defence; the first is to use references.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import AnyStr, NoReturn, TypeAlias, final

from director.secrets.clear import MARK, Clear
from director.secrets.encoded_forms import (
    explain_unfit_secret,
    find_base64_edges,
    list_encoded_forms,
)

__all__ = ["MARKS", "Redactor", "list_encoded_forms"]

# What may stand in the place of a value: the first that cannot be part of one.
MARKS = (MARK, "«redacted»", "⟦redacted⟧", "█")
Span: TypeAlias = tuple[int, int]
# Whether the letter before and after a form holds bits of the value as well.
Edges: TypeAlias = tuple[bool, bool]


@final
class Redactor:
    """Removes a set of values from texts; made once, used for every text that leaves."""

    __slots__ = ("_byte_mark", "_bytes", "_loose", "_mark", "_size", "_text")

    def __init__(self, values: Iterable[str | Clear]) -> None:
        hidden = [Clear(value) if isinstance(value, str) else value for value in values]
        # Should the check below fail, a traceback with locals finds no value here.
        del values
        self._size = len(hidden)
        for place, each in enumerate(hidden, 1):
            if reason := explain_unfit_secret(each.use()):
                raise ValueError(f"Value {place} of {len(hidden)} cannot be redacted: {reason}.")
        self._bytes = _forms(hidden)
        # As Python reads bytes that are no UTF-8 into a text, such as the name of a file.
        self._text = {
            form.decode("utf-8", "surrogateescape"): edges for form, edges in self._bytes.items()
        }
        self._loose = list_loose_forms(each.use() for each in hidden)
        self._mark = _text_mark(self._text, self._loose)
        self._byte_mark = _mark([mark.encode() for mark in MARKS], self._bytes)

    @property
    def size(self) -> int:
        """How many values it removes."""
        return self._size

    def clean(self, text: str) -> str:
        """The text with a mark in place of every value."""
        return _redact(text, self.spans, self._mark)

    def spans(self, text: str, *, across_lines: bool = False) -> list[Span]:
        """Where values stand, in order and apart; also rewritten: other case, spaced, reversed."""
        loose = find_loose_spans(text, self._loose, across_lines=across_lines)
        return merge_redaction_spans(chain(_spans(text, self._text, "+/-_"), loose))

    def clean_bytes(self, content: bytes) -> bytes:
        """The bytes with a mark in place of every value, in UTF-8 or UTF-16."""
        return _redact(
            content,
            lambda now: merge_redaction_spans(_spans(now, self._bytes, b"+/-_")),
            self._byte_mark,
        )

    def __repr__(self) -> str:
        return f"Net({self._size} values)"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("A net holds clear values: it is not copied, pickled or stored.")


def _forms(values: Iterable[Clear]) -> dict[bytes, Edges]:
    found: dict[bytes, Edges] = {}
    for each in values:
        found |= dict.fromkeys(list_encoded_forms(each.use()).values(), (False, False))
        found |= {core: (before, after) for core, before, after in find_base64_edges(each.use())}
    return found


def _mark(marks: Iterable[AnyStr], forms: Iterable[AnyStr]) -> AnyStr | None:
    """The first mark that cannot be part of a value, with whatever stands beside it."""
    return next((mark for mark in marks if not any(_clash(mark, form) for form in forms)), None)


def _clash(mark: AnyStr, form: AnyStr) -> bool:
    return (
        form in mark
        or mark in form
        or any(form.startswith(mark[-n:]) or form.endswith(mark[:n]) for n in range(1, len(mark)))
    )


def _text_mark(forms: Iterable[str], loose: Sequence[str]) -> str | None:
    """The first mark that is no part of a form, nor of a loose one."""
    fit = [mark for mark in MARKS if _mark([strip_separators(mark)], loose)]
    return _mark(fit, list(forms))


def _redact(text: AnyStr, find: Callable[[AnyStr], list[Span]], mark: AnyStr | None) -> AnyStr:
    spans = find(text)
    if mark is not None:
        return _replace_spans(text, spans, mark)
    # No mark is safe: cut instead, and again while cutting brings the parts of a value together.
    while spans:
        text = _replace_spans(text, spans, text[:0])
        spans = find(text)
    return text


def _spans(text: AnyStr, forms: Mapping[AnyStr, Edges], signs: AnyStr) -> Iterator[Span]:
    """Every place of every form, overlapping ones too."""
    # One `find` per form is linear, and many times as fast as one large pattern.
    for form, (before, after) in forms.items():
        start = text.find(form)
        while start >= 0:
            end = start + len(form)
            yield (
                start - (before and start > 0 and _joins(text[start - 1 : start], signs)),
                end + (after and end < len(text) and _joins(text[end : end + 1], signs)),
            )
            start = text.find(form, start + 1)


def _joins(letter: AnyStr, signs: AnyStr) -> bool:
    return letter.isalnum() or letter in signs


def merge_redaction_spans(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, those that touch or overlap as one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _replace_spans(text: AnyStr, spans: Iterable[Span], mark: AnyStr) -> AnyStr:
    parts: list[AnyStr] = []
    kept = 0
    for start, end in spans:
        parts += [text[kept:start], mark]
        kept = end
    parts.append(text[kept:])
    return text[:0].join(parts)


# Names of one release ago; they go with the next.
canary_forms = list_encoded_forms


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
