"""How much memory a program that runs for long keeps beyond what it uses."""

from __future__ import annotations

import contextlib
import ctypes

_ARENAS_AT_MOST = -8  # the option of `mallopt`; C libraries other than GNU's have no such function
_ARENAS = 2


def limit_memory_arenas() -> None:
    """Let all threads take memory from two places, instead of up to eight for each processor.

    Each place keeps gaps of its own, so that a program with many short threads grows by gaps. It
    must be called before the threads begin.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_ARENAS_AT_MOST, _ARENAS)
