"""The product with a fault planted in it, as a program: the checker must find each of them.

Arguments: which fault, then those of `director`.
"""

from __future__ import annotations

import asyncio
import sys

from director.cli import app
from director.runs.reconciler import Reconciler
from director.runs.worker import Worker


def leave_the_queue_alone(_self: Reconciler) -> None:
    """A reconciler that is switched off."""


async def beat_until_the_first_error(self: Worker) -> None:
    """A heartbeat that nothing guards."""
    while True:
        await asyncio.to_thread(self._say_alive)
        self._heard = asyncio.get_running_loop().time()
        self._alive.set()
        await asyncio.sleep(self._pace.beat)


if __name__ == "__main__":
    fault = sys.argv.pop(1)
    if fault == "reconciler":
        Reconciler.reconcile = leave_the_queue_alone  # type: ignore[method-assign]
    elif fault == "heartbeat":
        Worker._beat_forever = beat_until_the_first_error  # type: ignore[method-assign]
    app()
