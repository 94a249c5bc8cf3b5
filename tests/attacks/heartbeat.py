"""How long one turn of an event loop works while something hostile goes on beside it.

Measured in the time that the loop's own thread works, so that a busy machine changes nothing: what
another thread or process does meanwhile is not counted. An attack that never ends is interrupted.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

TURN = 3.0  # seconds of work that no turn of the loop may take


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an attack, and the longest turn of the loop while it went on."""

    value: Any
    error: Exception | None
    turn: float


@contextmanager
def ended_within(seconds: int) -> Iterator[None]:
    """Interrupt what does not end, so that an attack that succeeds is a failure and no hang."""

    def stop(*_: object) -> None:
        raise AssertionError(f"it did not end within {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


async def attacked(work: Awaitable[Any]) -> Outcome:
    """Do the work while a heart beats beside it."""
    turns = [0.0]

    async def beat() -> None:
        last = time.thread_time()
        while True:
            await asyncio.sleep(0.001)
            now = time.thread_time()
            turns.append(now - last)
            last = now

    heart = asyncio.create_task(beat())
    await asyncio.sleep(0)
    value, error = None, None
    try:
        value = await work
    except Exception as problem:  # noqa: BLE001  it is looked at by the test
        error = problem
    await asyncio.sleep(0.01)
    heart.cancel()
    with suppress(asyncio.CancelledError):
        await heart
    return Outcome(value, error, max(turns))


def run_attack(work: Awaitable[Any], seconds: int = 60) -> Outcome:
    """The same in a loop of its own; the test fails if it does not end."""
    with ended_within(seconds):
        return asyncio.run(attacked(work))
