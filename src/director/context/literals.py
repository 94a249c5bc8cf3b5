"""Literals: the identifiers, numbers, addresses and paths that a next step may have to name."""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(r"""https?://[^\s"'<>)\]]+|[\w~./][\w.~@/:,+-]*""")
_MARKED = re.compile(r"[\d_@/]|[a-z][A-Z]|\w\.\w|^[A-Z][A-Z-]+$")
_EDGES = ".,:;-+"


@lru_cache(maxsize=8_192)
def is_literal(token: str) -> bool:
    """Whether a token without spaces looks like a name, a number, an address or a path."""
    return _MARKED.search(token) is not None


def literals(text: str) -> list[str]:
    """The literals of a text in order, each once, without punctuation at the edges."""
    found = (match.strip(_EDGES) for match in _TOKEN.findall(text))
    return [token for token in dict.fromkeys(found) if len(token) > 1 and is_literal(token)]
