"""How much memory a program that runs for long keeps beyond what it uses."""

from __future__ import annotations

import contextlib
import ctypes
import gc

_ARENAS_AT_MOST = -8  # the option of `mallopt`; C libraries other than GNU's have no such function
_ARENAS = 2
# Objects between two looks for garbage: with 700, opening a long thread took twice the time.
_MADE = 20_000


def settle_memory() -> None:
    """Call it once all modules are loaded and before threads begin: what is loaded stays anyway."""
    limit_process_memory()
    gc.collect()
    gc.freeze()
    gc.set_threshold(_MADE, *gc.get_threshold()[1:])


def limit_process_memory() -> None:
    """Let all threads take memory from two places, instead of up to eight for each processor.

    Each place keeps gaps of its own, so that a program with many short threads grows by gaps.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_ARENAS_AT_MOST, _ARENAS)
