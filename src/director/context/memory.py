"""Memory for pure functions of one text: what was worked out once is not worked out again.

It cannot be seen from outside, since the same text always gives the same answer; it is bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import cycle
from typing import Generic, ParamSpec, TypeVar, cast

_P = ParamSpec("_P")
_R = TypeVar("_R")
_A = TypeVar("_A")
_B = TypeVar("_B")
TEXTS = 512
_LATEST = 6
_CHUNKS, _LONGEST = 65_536, 48


def remember(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The same function, its latest answers kept."""
    return cast("Callable[_P, _R]", lru_cache(maxsize=TEXTS)(function))


def remember_latest(function: Callable[[_A, _B], _R]) -> Callable[[_A, _B], _R]:
    """The same function of two frozen values; what it gave for the very same two is known."""
    latest: list[tuple[_A, _B, _R] | None] = [None] * _LATEST
    places = cycle(range(_LATEST))

    def look_up(one: _A, other: _B) -> _R:
        for known in latest:
            if known is not None and known[0] is one and known[1] is other:
                return known[2]
        answer = function(one, other)
        latest[next(places)] = (one, other, answer)
        return answer

    return look_up


class ChunkMemory(dict[str, _R], Generic[_R]):
    """What a function of a text without blanks gives for it; short ones are worked out once.

    A text in a natural language is made of few such chunks that stand in it again and again. To
    read one that is known takes no call of Python. Past so many, all are forgotten.
    """

    def __init__(self, function: Callable[[str], _R]) -> None:
        """Remember how an answer is worked out."""
        super().__init__()
        self._function = function

    def __missing__(self, chunk: str) -> _R:
        """Work out what is not known."""
        answer = self._function(chunk)
        if len(chunk) <= _LONGEST:
            if len(self) >= _CHUNKS:
                self.clear()
            self[chunk] = answer
        return answer
