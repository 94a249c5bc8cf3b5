"""The net of one session: what every text passes before it leaves the browser."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Final, final

from director.browser.field_filling import SecretDoor
from director.secrets import Clear, Redactor
from director.secrets.encoded_forms import explain_unfit_secret
from director.secrets.redaction import merge_redaction_spans

# In place of a letter that is hidden already; no value can be found across it.
_GONE: Final = "\x00"
# Letters that no address has, one for each hidden text of a session.
_FIRST_SIGN: Final = 0x20000
_SIGNS: Final = 40_000


@final
class SessionNet:
    """Removes the values behind the door, those typed so far, and those that fields were seen with.

    The first two are removed before the third is looked for: what an agent types into a password
    field by itself is a value of the third kind, and must tell nothing about the others.
    """

    def __init__(self, door: SecretDoor | None = None) -> None:
        self._door = door
        self._typed: list[Clear] = []
        self._plain: set[str] = set()
        self._seen: list[Clear] = []
        self._nets: tuple[Redactor, ...] = ()
        self._last = Redactor(())
        self._signs: dict[str, str] = {}
        self._renew()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to remove yet."""
        return not any(net.size for net in (*self._nets, self._last))

    @property
    def is_used(self) -> bool:
        """Whether a secret was typed or seen in this session."""
        return bool(self._typed or self._seen)

    def add(self, value: Clear) -> None:
        """A value is about to be typed."""
        if value not in self._typed:
            self._typed.append(value)
        self._renew()

    def add_plain(self, text: str) -> None:
        """A text that is no secret is about to be typed: who had it typed knows it."""
        self._plain.add(text)

    def add_seen(self, values: Iterable[Clear]) -> None:
        """Values that password fields hold or held, whoever filled them in."""
        new = [
            each
            for each in values
            if not explain_unfit_secret(each.use())
            and each.use() not in self._plain
            and each not in self._seen
        ]
        if new:
            self._seen += new
            self._last = Redactor(self._seen)

    def clean(self, text: str) -> str:
        """The text with a mark in place of every value."""
        for net in (*self._nets, self._last):
            text = net.clean(text)
        return text

    def replace_values(self, text: str) -> str:
        """The text with one letter in place of each value: for equal values the same.

        To compare an address with the one that a condition names: both agree where they hold the
        same value, and nothing about a value can be told from a part of it. It is never shown.
        """
        parts, kept = [], 0
        for start, end in self.spans(text):
            sign = chr(_FIRST_SIGN + len(self._signs) % _SIGNS)
            parts += [text[kept:start], self._signs.setdefault(text[start:end], sign)]
            kept = end
        return "".join((*parts, text[kept:]))

    def holds_typed(self, text: str) -> bool:
        """Whether a text holds a value that was typed in this session."""
        return any(value.use() in text for value in self._typed)

    def clean_bytes(self, content: bytes) -> bytes:
        """The bytes with a mark in place of every value."""
        for net in (*self._nets, self._last):
            content = net.clean_bytes(content)
        return content

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where values stand in a text of a page, in order and apart, also across its lines."""
        spans = [net.spans(text, across_lines=True) for net in self._nets]
        first = merge_redaction_spans(chain.from_iterable(spans))
        rest = self._last.spans(blank_spans(text, first), across_lines=True)
        return sorted((*first, *rest))

    def _renew(self) -> None:
        typed = [Redactor(self._typed)] if self._typed else []
        self._nets = (*([self._door.net()] if self._door else []), *typed)


def blank_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text, as long as it was, with nothing to be found where the spans are."""
    parts, kept = [], 0
    for start, end in spans:
        parts += [text[kept:start], _GONE * (end - start)]
        kept = end
    return "".join((*parts, text[kept:]))
