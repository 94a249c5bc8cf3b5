"""Questions of a run, asked where the program was started.

Lines are read from the input as they come, in a thread that nobody has to wait for: a question may
be answered elsewhere, and the program may end, while the input says nothing.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading

import typer

from director.runs import Question

_AT_ONCE = 4096


class Lines:
    """The lines of the input, for whoever asks next."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        self._reading = False
        self._asking = asyncio.Lock()

    async def ask(self, question: Question) -> str:
        """The answer to a question; one at a time, asked again if it was none of the choices."""
        async with self._asking:
            self._start()
            while True:
                _say(question)
                said = (await self._lines.get()).strip()
                if said and (chosen := _match_choice(said, question.choices)):
                    return chosen

    def _start(self) -> None:
        if not self._reading:
            self._reading = True
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        # Not through sys.stdin, whose lock a thread that still reads would take into the exit.
        held = b""
        while piece := os.read(self._source, _AT_ONCE):
            *whole, held = (held + piece).split(b"\n")
            for line in whole:
                self._loop.call_soon_threadsafe(
                    self._lines.put_nowait, line.decode(errors="replace")
                )
        if held:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, held.decode(errors="replace"))


def lines_of_input() -> Lines | None:
    """The input of this program, if it has one."""
    try:
        return Lines(sys.stdin.fileno())
    except (OSError, ValueError, AttributeError):
        return None


def _say(question: Question) -> None:
    typer.echo(f"? {question.text}", err=True)
    for number, choice in enumerate(question.choices, 1):
        typer.echo(f"  {number}  {choice}", err=True)


def _match_choice(said: str, choices: tuple[str, ...]) -> str:
    if not choices or said in choices:
        return said
    if said.isdecimal() and 1 <= int(said) <= len(choices):
        return choices[int(said) - 1]
    typer.echo(f"  Answer with 1 to {len(choices)}.", err=True)
    return ""
