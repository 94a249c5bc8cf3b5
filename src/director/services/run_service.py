"""Runs that are done in this program: durably, several at once, while others watch them.

A run is in the store before anything is done. If this program is killed in the middle, the workers
of the store take it over, or it is resumed here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from director.browser import Session
from director.runs import Run
from director.runs.run_execution import execute
from director.runs.values import RunDependencies
from director.runs.worker import Worker
from director.services.workspace import Workspace

_LOG = logging.getLogger("director.runs")


@dataclass(eq=False, slots=True)
class RunService:
    """The runs that this program does behind whoever asks for them."""

    workspace: Workspace
    _worker: Worker | None = None
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _sessions: dict[str, Session] = field(default_factory=dict)

    def session(self, run: str) -> Session | None:
        """The browser of a run that is done here now, to be looked at only."""
        return self._sessions.get(run)

    def start(self, run: str) -> None:
        """Do a run that is to be done; this returns at once."""
        if run not in self._tasks:
            task = asyncio.create_task(self._do(run))
            self._tasks[run] = task
            task.add_done_callback(lambda _: self._end(run))

    def _end(self, run: str) -> None:
        self._tasks.pop(run, None)
        self._sessions.pop(run, None)

    async def close(self) -> None:
        """Stop; what is being done is left to the next program, from its last finished node."""
        for task in list(self._tasks.values()):
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await self._open.aclose()
        self._worker = None

    async def _do(self, run: str) -> None:
        try:
            worker = await self._get_worker()
            await worker.do(run)
        except asyncio.CancelledError:
            raise
        except Exception as problem:  # noqa: BLE001  the run itself says in the store how it ended
            _LOG.error("The run %s could not be done: %s", run, type(problem).__name__)

    async def _get_worker(self) -> Worker:
        async with self._opening:
            if self._worker is None:
                self._worker = await self._open.enter_async_context(
                    open_worker(self.workspace, self._sessions.__setitem__)
                )
            return self._worker


@asynccontextmanager
async def open_worker(
    workspace: Workspace, opened: Callable[[str, Session], None] | None = None
) -> AsyncIterator[Worker]:
    """A worker that does the runs that it is handed; it takes none from the queue.

    `opened` is told the browser of each run.
    """
    store, resources = workspace.store, workspace.resources

    async def find_means(run: Run) -> RunDependencies:
        found = await resources.means(run)
        return found if opened is None else replace(found, opened=partial(opened, run.id))

    worker = Worker(store, execute(store, find_means), serves=False)
    resources.worker = worker.name
    async with worker:
        yield worker
