"""What the two cache models share: a rendered context as a row of prefixes, and why one was missed.

A prefix is known by a rolling digest, so two contexts are compared without comparing their texts.
Nothing here knows a clock or a price.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from director.testing.double.request_log.block import CacheBlock


@dataclass(frozen=True, slots=True)
class Prefix:
    """A context up to and with one block: its digest, its size, and that block's part and mark."""

    digest: bytes
    tokens: int
    part: str
    mark: str = ""


def list_prefixes(blocks: Iterable[CacheBlock]) -> tuple[Prefix, ...]:
    """The prefixes of a context."""
    made: list[Prefix] = []
    digest, tokens = b"", 0
    for block in blocks:
        digest = hashlib.blake2b(digest + block.digest, digest_size=16).digest()
        tokens += block.tokens
        made.append(Prefix(digest, tokens, block.part, block.breakpoint))
    return tuple(made)


@dataclass(slots=True)
class CacheEntry:
    """What a cache holds under a digest: until when, and how much longer after each use."""

    until: float
    seconds: float


@dataclass(frozen=True, slots=True)
class CacheOutcome:
    """What a cache did with one context.

    `read` tokens came from it; `writes` are the tokens written after them by lifetime, in order;
    `stored` is the size of the longest prefix that it holds now; `miss` says why it read less
    than the request before had left in it.
    """

    read: int = 0
    writes: dict[str, int] = field(default_factory=dict)
    stored: int = 0
    miss: str = ""


@dataclass(frozen=True, slots=True)
class Before:
    """The request before: its prefixes, and how much of it the cache held then."""

    row: tuple[Prefix, ...] = ()
    stored: int = 0


def find_prefix_difference(before: Before, row: Sequence[Prefix]) -> str:
    """What differs first from the request before within what was stored of it, or ""."""
    common = 0
    for old, new in zip(before.row, row, strict=False):
        if old.digest != new.digest:
            break
        common += 1
    shared = row[common - 1].tokens if common else 0
    if shared >= before.stored or common == len(row):
        return ""
    parts = {before.row[common].part, row[common].part}
    if "tools" in parts:
        return "tools_changed"
    return "instructions_changed" if "instructions" in parts else "input_changed"
