"""Lines of the user: between turns, and while a turn runs and a call waits for an answer.

While a turn runs nothing may block: the turn gives signs of life, and Ctrl-C stops it. What was
typed before a question was shown is no answer to it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_AT_ONCE = 4096
_held = bytearray()  # what was read of a pipe and belongs to a later line


def read_line() -> str:
    """The next line of what is piped in, with its end; empty when there is none."""
    source = _find_descriptor()
    if source is None:
        return sys.stdin.readline()
    while b"\n" not in _held and (piece := os.read(source, _AT_ONCE)):
        _held.extend(piece)
    return _take_line()


async def wait_for_line(prompt: str, *, hidden: bool = False) -> str:
    """The next line, without its end; the loop goes on meanwhile. EOFError if there is none."""
    source = _find_descriptor()
    if source is None:
        line = sys.stdin.readline()
    elif sys.stdin.isatty():
        with _prepare_terminal(source, hidden=hidden):
            # Only now: what is typed as soon as it is shown counts.
            sys.stdout.write(prompt)
            sys.stdout.flush()
            line = await _read_while_running(source)
    else:
        line = await _read_while_running(source)
    if not line:
        raise EOFError
    return line.rstrip("\r\n")


async def _read_while_running(source: int) -> str:
    loop, is_ready = asyncio.get_running_loop(), asyncio.Event()
    while b"\n" not in _held:
        try:
            loop.add_reader(source, is_ready.set)
        except (OSError, NotImplementedError):
            return read_line()  # a file: its next line is there
        try:
            await is_ready.wait()
        finally:
            loop.remove_reader(source)
        is_ready.clear()
        piece = os.read(source, _AT_ONCE)
        if not piece:
            break
        _held.extend(piece)
    return _take_line()


def _take_line() -> str:
    end = _held.find(b"\n") + 1 or len(_held)
    line = bytes(_held[:end]).decode(errors="replace")
    del _held[:end]
    return line


def _find_descriptor() -> int | None:
    try:
        return sys.stdin.fileno()
    except (OSError, ValueError, AttributeError):
        return None


@contextmanager
def _prepare_terminal(source: int, *, hidden: bool) -> Iterator[None]:
    """Forget what was typed so far; show nothing of what is hidden."""
    try:
        import termios
    except ImportError:
        yield
        return
    with suppress(termios.error):
        termios.tcflush(source, termios.TCIFLUSH)
    _held.clear()
    if not hidden:
        yield
        return
    before = termios.tcgetattr(source)
    silent = list(before)
    silent[3] &= ~termios.ECHO
    termios.tcsetattr(source, termios.TCSADRAIN, silent)
    try:
        yield
    finally:
        termios.tcsetattr(source, termios.TCSADRAIN, before)
        sys.stdout.write("\n")
