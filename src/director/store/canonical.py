"""JSON in one spelling, its hash, and large texts put aside under theirs. Pure.

A body has the same text and so the same hash on any machine and either engine. Its fields keep
their order, because what a provider sent is sent back to the letter: its cache goes by letters.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from director.store.values import StoreError

LARGE = 4096
"""A text of more bytes than this is kept once, by its hash, beside the entries."""

_START = 200
_BLOB = "$blob"
_KEPT = "$kept"
_HASH = re.compile("[0-9a-f]{64}")
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
            f"The text {text[:_START]!r} holds a zero or half a character. Nothing was written. "
            "Leave it out of names, titles and reasons; a body may hold it."
        )


def hash_canonical(value: object) -> str:
    """The SHA-256 of a JSON value, in hexadecimal."""
    return hashlib.sha256(encode_canonical(value).encode()).hexdigest()


def fold_texts(value: object, aside: dict[str, str] | None) -> object:
    """The value with each large text replaced by its hash; the texts are added to `aside`.

    Without an `aside` the texts stay where they are.
    """
    if isinstance(value, str):
        return value if aside is None or not _is_large(value) else _put_aside(value, aside)
    if isinstance(value, Mapping):
        inner = {name: fold_texts(item, aside) for name, item in value.items()}
        # An object that happens to look like a reference is wrapped, so it comes back as it was.
        return {_BLOB: {"plain": inner}} if _BLOB in inner else inner
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [fold_texts(item, aside) for item in value]
    return value


def unfold_texts(value: object, aside: Mapping[str, str]) -> object:
    """The value as it was given: the texts of `aside` are put back."""
    if isinstance(value, list):
        return [unfold_texts(item, aside) for item in value]
    if not isinstance(value, dict):
        return value
    reference = value.get(_BLOB)
    if isinstance(reference, str):
        return aside[reference]
    return {name: unfold_texts(item, aside) for name, item in _plain(value).items()}


def list_folded_hashes(value: object) -> set[str]:
    """The hashes of the texts that a folded value has put aside."""
    if isinstance(value, list):
        return set().union(*map(list_folded_hashes, value))
    if not isinstance(value, dict):
        return set()
    reference = value.get(_BLOB)
    if isinstance(reference, str):
        return {reference}
    return set().union(*map(list_folded_hashes, _plain(value).values()))


def find_hashes(value: object) -> set[str]:
    """The hashes of the kept bytes that a value names, folded or not."""
    if isinstance(value, Mapping):
        named = value.get(_KEPT)
        if len(value) == 1 and isinstance(named, str) and _HASH.fullmatch(named):
            return {named}
        return set().union(*map(find_hashes, value.values()))
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return set().union(*map(find_hashes, value))
    return set()


def may_mention_kept_bytes(body: str) -> bool:
    """Whether a stored body may name kept bytes."""
    return f'"{_KEPT}"' in body


def may_mention_folded_texts(body: str) -> bool:
    """Whether a stored body may have put texts aside."""
    return f'"{_BLOB}"' in body


def encode_text(text: str) -> bytes:
    """A text as bytes, half characters and all."""
    return text.encode("utf-8", "surrogatepass")


def _is_large(text: str) -> bool:
    return len(text) > LARGE or (len(text) * 4 > LARGE and len(encode_text(text)) > LARGE)


def _put_aside(text: str, aside: dict[str, str]) -> object:
    name = hashlib.sha256(encode_text(text)).hexdigest()
    aside[name] = text
    return {_BLOB: name, "start": text[:_START]}


def _plain(value: dict[str, object]) -> dict[str, object]:
    wrapped = value.get(_BLOB)
    inner = wrapped["plain"] if isinstance(wrapped, dict) else value
    return cast("dict[str, object]", inner)


def _escape(text: str) -> str:
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
