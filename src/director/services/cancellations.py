"""Cancelling a run while its store is away: it is done as soon as the store answers.

Until then nothing can be written, and nothing that goes on can begin a step either. A wish lasts as
long as the program that keeps it; whoever asks is told so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from director.errors import DirectorError
from director.services.runs import cancel_run, get_run
from director.services.workspace import Workspace
from director.store import StoreAway

_LOG = logging.getLogger("director.runs")
_AGAIN = 0.5  # seconds until a store that is away is asked again
_MOST = 1_000  # wishes that one program keeps


async def cancel_run_when_possible(
    workspace: Workspace, run: str, *, reason: str, tell: Callable[[StoreAway], None]
) -> None:
    """Cancel a run, however long its store is away; `tell` is called once if it is."""
    told = False
    while True:
        try:
            if told and await asyncio.to_thread(_is_cancelled, workspace, run):
                return
            await asyncio.to_thread(cancel_run, workspace, run, reason=reason)
        except StoreAway as away:
            if not told:
                tell(away)
            told = True
            await asyncio.sleep(_AGAIN)
        else:
            return


def _is_cancelled(workspace: Workspace, run: str) -> bool:
    """Whether an attempt whose answer was lost, or somebody else, has cancelled it."""
    return get_run(workspace, run).run.state == "cancelled"


@dataclass(eq=False, slots=True)
class Cancellations:
    """The runs that one program is to cancel as soon as the store answers."""

    workspace: Workspace
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def keep(self, run: str, *, reason: str) -> bool:
        """Cancel a run later; False if too many wait already."""
        if run not in self._tasks:
            if len(self._tasks) >= _MOST:
                return False
            self._tasks[run] = asyncio.create_task(self._cancel(run, reason))
        return True

    async def close(self) -> None:
        """Give up what could not be done."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _cancel(self, run: str, reason: str) -> None:
        try:
            await cancel_run_when_possible(self.workspace, run, reason=reason, tell=lambda _: None)
        except DirectorError as problem:
            _LOG.warning("The run %s was not cancelled: %s", run, problem)
        finally:
            self._tasks.pop(run, None)
