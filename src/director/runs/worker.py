"""A worker: a program that takes runs from the queue, and takes over those of workers that died.

DBOS hands each run to one worker and remembers which; it would only give back a dead worker's runs
when that same worker starts again. So workers say by heartbeats that they live, and the living
take over. A worker that was only slow finds its steps fenced, and stops with that run.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from dbos import DBOS

from director.runs.queue import (
    APPLICATION,
    QUEUE,
    TASK,
    VERSION,
    keep_private,
    queue_url,
    quiet,
)
from director.store import Beat, Store

_ATTEMPTS = 1_000_000  # the store, not a count, decides when a run has failed


@dataclass(frozen=True, slots=True)
class Pace:
    """How much a worker does at once, how polite it is to a site, when it calls another dead."""

    at_once: int = 2
    per_site: int = 1
    beat: float = 3.0
    patience: float = 15.0
    poll: float = 0.5


class Worker:
    """Executes runs from the queue of a store for as long as it is open; one in a program.

    With `serves=False` it takes none from the queue and does only what it is told with `do`;
    should it die in the middle, the workers that serve take that run over all the same.
    """

    def __init__(
        self,
        store: Store,
        execute: Callable[[str], Awaitable[None]],
        *,
        name: str | None = None,
        pace: Pace | None = None,
        serves: bool = True,
    ) -> None:
        self.name = name or f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:6]}"
        self._store = store
        self._execute = execute
        self._pace = pace or Pace()
        self._serves = serves
        self._task: Callable[[str], Coroutine[Any, Any, None]] = self._run
        self._busy: dict[str, asyncio.Task[object] | None] = {}
        self._watch: asyncio.Task[None] | None = None

    @property
    def busy(self) -> tuple[str, ...]:
        """The runs that it executes now."""
        return tuple(self._busy)

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._say_alive)
        quiet()
        keep_private(queue_url(self._store.url))
        DBOS(
            config={
                "name": APPLICATION,
                "system_database_url": queue_url(self._store.url),
                "executor_id": self.name,
                "application_version": VERSION,
                "log_level": "ERROR",
            }
        )

        @DBOS.workflow(name=TASK, max_recovery_attempts=_ATTEMPTS)
        async def run_one(run: str) -> None:  # DBOS takes functions, not methods
            await self._run(run)

        self._task = run_one
        if not self._serves:
            DBOS.listen_queues([])
        # Launched from within this loop, DBOS runs its tasks on it, where the browser lives too.
        DBOS.launch()
        if self._serves:
            await DBOS.register_queue_async(
                QUEUE,
                worker_concurrency=self._pace.at_once,
                partition_concurrency=self._pace.per_site,
                polling_interval_sec=self._pace.poll,
            )
        self._watch = asyncio.create_task(self._beat_and_watch())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop: what is being executed is left to the next worker, from its last finished node."""
        left = self.busy
        if self._watch is not None:
            self._watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watch
        tasks = [task for task in self._busy.values() if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True)
        # DBOS made its own threads the loop's, and has just ended them.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
        depart = self._store.give_up if left else self._store.leave
        await asyncio.to_thread(depart, self.name)

    async def do(self, run: str) -> None:
        """Execute one run here and now, past the queue, and wait for its end."""
        handle = await DBOS.start_workflow_async(self._task, run)
        await handle.get_result()

    async def _run(self, run: str) -> None:
        self._busy[run] = asyncio.current_task()
        try:
            await self._execute(run)
        finally:
            self._busy.pop(run, None)

    async def _beat_and_watch(self) -> None:
        while True:
            await asyncio.to_thread(self._say_alive)
            for other in await asyncio.to_thread(self._dead) if self._serves else ():
                await asyncio.to_thread(self._take_over, other)
            await asyncio.sleep(self._pace.beat)

    def _say_alive(self) -> None:
        self._store.beat(self.name, host=socket.gethostname(), pid=os.getpid())

    def _dead(self) -> list[str]:
        return [
            each.worker
            for each in self._store.beats()
            if each.worker != self.name and is_dead(each, self._pace.patience)
        ]

    def _take_over(self, other: str) -> None:
        # Two of the living may do this at once: only a run that is still the dead one's is queued.
        DBOS._recover_pending_workflows([other])  # noqa: SLF001  there is no public way; pinned
        self._store.leave(other)


def is_dead(beat: Beat, patience: float) -> bool:
    """Whether a worker is dead: silent for too long, or of this machine and not running."""
    if beat.age > patience:
        return True
    return beat.host == socket.gethostname() and not _runs(beat.pid)


def _runs(pid: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
