"""A rendered context in pieces, and the unit in which all of the double counts.

The unit is one token for four bytes of UTF-8, rounded up, plus a fixed overhead per block: the
same in the counting endpoints, the window check and the usage, so that budgets can be tested to
the token. Nothing here knows what a block says.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Part: TypeAlias = Literal["instructions", "tools", "history", "new"]
OVERHEAD = 4


def count_block_units(text: str) -> int:
    """The tokens of a text, in the double's unit."""
    return (len(text.encode("utf-8", "surrogatepass")) + 3) // 4


@dataclass(frozen=True, slots=True)
class CacheBlock:
    """A piece of the rendered context, in the order in which a cache sees it.

    `breakpoint` is the lifetime of an explicit cache mark at its end ("5m", "1h"), or "". Its
    size and its digest are reckoned once, since a long context is looked at many times.
    """

    part: Part
    text: str
    breakpoint: str = ""
    tokens: int = field(init=False)
    digest: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        encoded = self.text.encode("utf-8", "surrogatepass")
        object.__setattr__(self, "tokens", (len(encoded) + 3) // 4 + OVERHEAD)
        object.__setattr__(self, "digest", hashlib.blake2b(encoded, digest_size=16).digest())


def count_all_block_units(blocks: Iterable[CacheBlock]) -> int:
    """The size of a rendered context."""
    return sum(block.tokens for block in blocks)
