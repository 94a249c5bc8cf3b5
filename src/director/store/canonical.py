"""JSON in one spelling, its hash, and large texts put aside under theirs. Pure.

A body has the same text and so the same hash on any machine and either engine. Its fields keep
their order, because what a provider sent is sent back to the letter: its cache goes by letters.
"""

from __future__ import annotations

import hashlib
import json
import re

from director.store.values import StoreError

_SURROGATE = re.compile("[\ud800-\udfff]")


def encode_canonical(value: object) -> str:
    """A JSON value in its one spelling."""
    try:
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        reason = type(error).__name__
        raise StoreError(
            f"This cannot be written as JSON ({reason}). Nothing was written. "
            "Use only texts, finite numbers, true, false, null, lists, and objects with text keys."
        ) from None
    if _SURROGATE.search(text) is None:
        return text
    # Half a character, which some providers send, has no UTF-8: it stays an escape.
    escaped = _escape(text)
    return _escape(json.dumps(json.loads(escaped), separators=(",", ":"), ensure_ascii=False))


def check_name(text: str) -> None:
    """Refuse what not every engine can hold in a name, a title or a reason."""
    if "\x00" in text or _SURROGATE.search(text):
        raise StoreError(
            f"The text {text[:200]!r} holds a zero or half a character. Nothing was written. "
            "Leave it out of names, titles and reasons; a body may hold it."
        )


def hash_canonical(value: object) -> str:
    """The SHA-256 of a JSON value, in hexadecimal."""
    return hashlib.sha256(encode_canonical(value).encode()).hexdigest()


def _escape(text: str) -> str:
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
