"""Memory for pure functions of one text: what was worked out once is not worked out again.

It cannot be seen from outside, since the same text always gives the same answer; it is bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

_P = ParamSpec("_P")
_R = TypeVar("_R")
TEXTS = 512


def remember(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The same function, its latest answers kept."""
    return cast("Callable[_P, _R]", lru_cache(maxsize=TEXTS)(function))
