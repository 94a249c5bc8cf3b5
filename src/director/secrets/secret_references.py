"""Texts in which each value of the vault gives way to its reference, at any depth of a value.

All places are found in the text as it came and replaced in one go; where values overlap, the whole
place becomes one reference, so that no part of any of them stays behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import NoReturn, TypeVar, cast, final

from director.secrets.clear import Clear, Reference
from director.secrets.encoded_forms import is_short_form
from director.secrets.redaction import Redactor, Span

T = TypeVar("T")
_LONG = 256  # characters from which on it is worth to remember that nothing was found
_REMEMBERED = 4_096


@final
class SecretReferences:
    """Puts references in the place of a set of values; empty, it leaves everything as it is.

    A short value is looked for as a whole word only.
    """

    __slots__ = ("_clean", "_nets", "_short")

    def __init__(self, values: Mapping[str, Clear]) -> None:
        # A short value stands in many words and numbers that do not mean it.
        self._short = {name for name, value in values.items() if is_short_form(value.use())}
        self._nets = {name: Redactor([value]) for name, value in values.items()}
        self._clean: dict[str, None] = {}

    def __bool__(self) -> bool:
        return bool(self._nets)

    def __repr__(self) -> str:
        return f"SecretReferences({', '.join(self._nets)})"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("References hold clear values: they are not copied, pickled or stored.")

    def names_in(self, text: str) -> tuple[str, ...]:
        """The secrets whose values stand in a text."""
        return tuple(name for name in self._nets if self._spans(name, text))

    def _spans(self, name: str, text: str) -> list[Span]:
        spans = self._nets[name].spans(text)
        return [one for one in spans if name not in self._short or _is_word(text, one)]

    def replace(self, text: str) -> str:
        """The text with a reference in the place of every value."""
        if text in self._clean:
            return text
        places = sorted((span, name) for name in self._nets for span in self._spans(name, text))
        if not places:
            self._remember(text)
            return text
        parts: list[str] = []
        kept = 0
        for (start, end), name in _apart(places):
            parts += [text[kept:start], str(Reference(name))]
            kept = end
        return "".join([*parts, text[kept:]])

    def replace_in(self, value: T) -> T:
        """The same value with references in all of its texts; itself if there is none to put."""
        return cast("T", self._walk(value)) if self._nets else value

    def _walk(self, value: object) -> object:
        if isinstance(value, str):
            return self.replace(value)
        if isinstance(value, Mapping):
            made = {self._walk(key): self._walk(inner) for key, inner in value.items()}
            return value if made == value else made
        if isinstance(value, list | tuple):
            found = [self._walk(inner) for inner in value]
            same = all(one is other for one, other in zip(found, value, strict=True))
            return value if same else type(value)(found)
        if is_dataclass(value) and not isinstance(value, type):
            given = {one.name: getattr(value, one.name) for one in fields(value) if one.init}
            changed = {name: self._walk(inner) for name, inner in given.items()}
            changed = {name: now for name, now in changed.items() if now is not given[name]}
            return replace(value, **changed) if changed else value
        return value

    def _remember(self, text: str) -> None:
        if len(text) >= _LONG:
            if len(self._clean) >= _REMEMBERED:
                self._clean.clear()
            self._clean[text] = None


def _is_word(text: str, span: Span) -> bool:
    return not (text[: span[0]][-1:].isalnum() or text[span[1] :][:1].isalnum())


def _apart(places: list[tuple[Span, str]]) -> list[tuple[Span, str]]:
    """Places in order and apart; those that overlap are one, named by the longest of them."""
    merged: list[tuple[Span, str]] = []
    longest = 0
    for (start, end), name in places:
        if merged and start < merged[-1][0][1]:
            (first, last), before = merged[-1]
            longer = end - start > longest
            merged[-1] = (first, max(last, end)), name if longer else before
            longest = max(longest, end - start)
        else:
            merged.append(((start, end), name))
            longest = end - start
    return merged
