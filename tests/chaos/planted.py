"""The product with a fault planted in it, as a program: the checker must find each of them.

Arguments: which fault, then those of `director`. In `interrupted` the store breaks off as in the last
two, and the product is as it should be: there must be nothing to find.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from director.cli import app
from director.runs import engine
from director.runs.reconciler import Reconciler
from director.runs.run_journal import RunJournal
from director.runs.values import Step
from director.runs.visit import NodeVisit
from director.runs.worker import Worker
from director.store import StoreAway


def leave_the_queue_alone(_self: Reconciler) -> None:
    """A reconciler that is switched off."""


async def beat_until_the_first_error(self: Worker) -> None:
    """A heartbeat that nothing guards."""
    while True:
        await asyncio.to_thread(self._say_alive)
        self._heard = asyncio.get_running_loop().time()
        self._alive.set()
        await asyncio.sleep(self._pace.beat)


def break_off(method: Callable[..., Step], *, before: bool) -> Callable[..., Step]:
    """The store is away just before or after each second effect is written, once for each run."""
    met: set[str] = set()

    def write(self: RunJournal, step: Step, *args: Any, **named: Any) -> Step:
        is_first = step.alias == "send_2" and self.run.id not in met
        if is_first:
            met.add(self.run.id)
        if is_first and before:
            raise StoreAway("It is away.")
        written = method(self, step, *args, **named)
        if is_first:
            raise StoreAway("It is away.")
        return written

    return write


async def never_look(_visit: NodeVisit) -> Step | None:
    """A recovery that repeats what was begun, whether it happened or not."""
    return None


async def take_for_done(visit: NodeVisit) -> Step | None:
    """A recovery that takes what was begun for done, whether it happened or not."""
    step = visit.step
    begun = step.effect == "once" and step.version > 0
    return replace(step, state="finished", status="success") if begun else None


if __name__ == "__main__":
    fault = sys.argv.pop(1)
    if fault == "reconciler":
        Reconciler.reconcile = leave_the_queue_alone  # type: ignore[method-assign]
    elif fault == "heartbeat":
        Worker._beat_forever = beat_until_the_first_error  # type: ignore[method-assign]
    elif fault in ("interrupted", "repeated"):
        RunJournal.finish = break_off(RunJournal.finish, before=True)  # type: ignore[method-assign]
    elif fault == "taken for done":
        RunJournal.begin = break_off(RunJournal.begin, before=False)  # type: ignore[method-assign]
        engine.find_earlier_effect = take_for_done
    if fault == "repeated":
        engine.find_earlier_effect = never_look
    app()
