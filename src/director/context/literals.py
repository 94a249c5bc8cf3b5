"""Literals: the identifiers, numbers, addresses and paths that a next step may have to name."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from director.context.joined_scripts import separate_names
from director.context.memory import ChunkMemory

_TOKEN = re.compile(r"""https?://[^\s"'<>)\]]+|[\w~./][\w.~@/:,+-]*""")
_MARKED = re.compile(r"[\d_@/]|[a-z][A-Z]|\w\.\w|^[A-Z][A-Z-]+$")
_EDGES = ".,:;-+"


@lru_cache(maxsize=8_192)
def is_literal(token: str) -> bool:
    """Whether a token without spaces looks like a name, a number, an address or a path."""
    return _MARKED.search(token) is not None


def literals(text: str) -> list[str]:
    """The literals of a text in order, each once, without punctuation at the edges."""
    # No literal holds a blank, and a chunk between blanks that stands there again adds none.
    return list(dict.fromkeys(chain.from_iterable(map(_BY_CHUNK, dict.fromkeys(text.split())))))


def _list_literals(chunk: str) -> tuple[str, ...]:
    found = dict.fromkeys(map(_literal_of, _TOKEN.findall(separate_names(chunk))))
    found.pop("", None)
    return tuple(found)


_BY_CHUNK = ChunkMemory(_list_literals).__getitem__


def _literal_of(match: str) -> str:
    token = match.strip(_EDGES)
    return token if len(token) > 1 and is_literal(token) else ""


_RUNS = re.compile(r"[0-9]+|[A-Z]+|[a-z]+")
_CODE = re.compile(r"(?=\w*[0-9]\w*[A-Z]|\w*[A-Z]\w*[0-9])[0-9A-Z]{4,}")


@lru_cache(maxsize=8_192)
def form_of(literal: str) -> str:
    """What literals of one kind have in common: the runs of digits and letters, or its length.

    `HAT028` and `HAT31` have one form, and so have the booking codes `4OG6T3` and `WUNA5K`.
    """
    if "://" in literal:
        return "://"
    if _CODE.fullmatch(literal):
        return f"code{len(literal)}"
    if "/" in literal:
        return "/" + literal.rpartition(".")[2] if "." in literal else "/"
    return _RUNS.sub(_kind, literal)


def _kind(run: re.Match[str]) -> str:
    if run[0].isdigit():
        return "9"
    return "A" if run[0].isupper() else "a"
