"""A worker: a program that takes runs from the queue, and takes over those of workers that died.

Its name is unique to this start of the program: what was given, and a random incarnation. It
gives heartbeats; one that fails is logged and given again, for as long as it takes. A worker that
could give none for two thirds of the patience of the others stops its runs, before anyone takes
them over, and goes on with those that are still its own when the store is back.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from dbos import DBOS, DBOSConfig, SetWorkflowID
from sqlalchemy import Engine

from director.runs.liveness import Liveness
from director.runs.reconciler import Reconciler, is_held_by_another
from director.runs.run_queue import (
    APPLICATION,
    QUEUE,
    TASK,
    VERSION,
    make_queue_engine,
    make_queue_row_id,
    make_queue_url,
    migrate_queue,
)
from director.store import Store, StoreError

_LOG = logging.getLogger("director.runs")
_ATTEMPTS = 1_000_000  # the store, not a count, decides when a run has failed
_STOPS = 2 / 3  # the part of the others' patience after which a worker without a beat stops


_ALONE = ".one-run"


def is_serving(worker: str) -> bool:
    """Whether a worker of this name takes runs from the queue, and not only the one it was told."""
    return "." in worker and not worker.endswith(_ALONE)


@dataclass(frozen=True, slots=True)
class Pace:
    """How much a worker does at once, how polite it is to a site, when it calls another dead."""

    at_once: int = 2
    per_site: int = 1
    beat: float = 3.0
    patience: float = 15.0
    poll: float = 1.0
    reconcile: float = 3.0


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
        own = f"{name or socket.gethostname()}.{uuid.uuid4().hex[:8]}"
        self.name = own if serves else f"{own}{_ALONE}"
        self._store = store
        self._execute = execute
        self._pace = pace or Pace()
        self._serves = serves
        self._task: Callable[[str], Coroutine[Any, Any, None]] = self._run
        self._busy: dict[str, tuple[str, asyncio.Task[object] | None]] = {}
        self._working: set[asyncio.Task[None]] = set()
        self._awaited: dict[str, asyncio.Future[None]] = {}
        self._loops: list[asyncio.Task[None]] = []
        self._heard = time.monotonic()
        self._missed = ""
        self._alive = asyncio.Event()
        self._stopped = threading.Event()
        self._late_beats = ThreadPoolExecutor(1, "late-heartbeat")
        self._engine: Engine | None = None
        self._liveness = Liveness(self._pace.patience)
        self._reconciler = Reconciler(
            store, self.name, liveness=self._liveness, busy=lambda: tuple(self._busy)
        )

    @property
    def busy(self) -> tuple[str, ...]:
        """The runs that it executes now."""
        return tuple(run for run, _ in self._busy.values())

    @property
    def trouble(self) -> str:
        """Why it gives no heartbeats at the moment; empty while it does."""
        return self._missed

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._say_alive)
        self._heard = time.monotonic()
        self._alive.set()
        url = make_queue_url(self._store.url)
        await asyncio.to_thread(migrate_queue, url)
        self._engine = make_queue_engine(url, self._stopped)
        DBOS(config=self._configure(url))

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
        self._loops = [
            asyncio.create_task(each())
            for each in (self._beat_forever, self._guard_forever, self._reconcile_forever)
        ]
        return self

    def _configure(self, url: str) -> DBOSConfig:
        return {
            "name": APPLICATION,
            "system_database_url": url,
            "system_database_engine": self._engine,
            "executor_id": self.name,
            "application_version": VERSION,
            "log_level": "ERROR",
            "run_migrations": False,
            "use_listen_notify": False,  # a connection held for messages that we never send
        }

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop: what is being executed is left to the next worker, from its last finished node."""
        tasks = [task for _, task in self._busy.values() if task is not None]
        for task in [*self._loops, *tasks]:
            task.cancel()
        await asyncio.gather(*self._loops, *tasks, return_exceptions=True)
        self._stopped.set()
        self._late_beats.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True)
        if self._engine is not None:
            self._engine.dispose()
        # DBOS made its own threads the loop's, and has just ended them.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
        with contextlib.suppress(StoreError):
            await asyncio.to_thread(self._store.leave, self.name)

    async def do(self, run: str) -> None:
        """Execute one run here and now, past the queue, and wait for its end."""
        ended = asyncio.get_running_loop().create_future()
        row = make_queue_row_id(run)
        self._awaited[row] = ended
        with SetWorkflowID(row):
            await DBOS.start_workflow_async(self._task, run)
        await ended

    async def _run(self, run: str) -> None:
        row = str(DBOS.workflow_id)
        self._busy[row] = run, asyncio.current_task()
        ended = self._awaited.pop(row, None)
        try:
            await self._work(run)
        except Exception as problem:
            if ended is not None and not ended.done():
                ended.set_exception(problem)
                return
            raise
        finally:
            self._busy.pop(row, None)
            if ended is not None and not ended.done():
                ended.set_result(None)

    async def _work(self, run: str) -> None:
        """Execute a run; one that was stopped for want of a heartbeat goes on with the next."""
        while True:
            await self._alive.wait()
            if await self._is_another_at(run):
                return
            working = asyncio.create_task(self._go(run))
            self._working.add(working)
            try:
                await asyncio.wait({working})
            finally:
                self._working.discard(working)
                if not working.done():
                    working.cancel()
                    await asyncio.wait({working})
            if not working.cancelled():
                working.result()
                return

    async def _go(self, run: str) -> None:
        await self._execute(run)

    async def _is_another_at(self, run: str) -> bool:
        try:
            alive = self._liveness.observe(await asyncio.to_thread(self._store.beats))
            return await asyncio.to_thread(is_held_by_another, self._store, run, self.name, alive)
        except StoreError:
            # Whoever executes it waits for the store, and its lease decides.
            return False

    async def _beat_forever(self) -> None:
        while True:
            began = time.monotonic()
            try:
                await asyncio.to_thread(self._say_alive)
            except StoreError as problem:
                if not self._missed:
                    _LOG.warning("%s gives no heartbeat and tries on: %s", self.name, problem)
                self._missed = str(problem)
                await asyncio.sleep(min(1.0, self._pace.beat))
                continue
            if self._missed:
                _LOG.warning("%s gives heartbeats again.", self.name)
            self._missed, self._heard = "", began
            self._alive.set()
            await asyncio.sleep(self._pace.beat)

    async def _guard_forever(self) -> None:
        """Stop what is executed when the last heartbeat is too long ago, also if one hangs."""
        limit = self._pace.patience * _STOPS
        while True:
            await asyncio.sleep(min(0.5, limit / 4))
            late = time.monotonic() - self._heard
            if late > limit and self._alive.is_set() and not await self._catch_up(late):
                self._alive.clear()
                _LOG.warning(
                    "%s gave no heartbeat for %.0f s: it stops its runs before others take them.",
                    self.name,
                    late,
                )
                for task in list(self._working):
                    task.cancel()

    async def _catch_up(self, late: float) -> bool:
        """Whether a heartbeat can be given in time after all, as where the machine was too busy.

        Never when so late that another may have taken the runs.
        """
        began, left = time.monotonic(), self._pace.patience - late
        if left <= 0:
            return False
        try:
            async with asyncio.timeout(left / 2):
                await asyncio.get_running_loop().run_in_executor(self._late_beats, self._say_alive)
        except (StoreError, TimeoutError):
            return False
        self._heard = max(began, self._heard)
        return True

    async def _reconcile_forever(self) -> None:
        look = self._reconciler.reconcile if self._serves else self._reconciler.clear_own
        failed = False
        while True:
            await asyncio.sleep(self._pace.reconcile)
            if not self._alive.is_set():
                continue
            try:
                await asyncio.to_thread(look)
            except Exception as problem:  # noqa: BLE001  it must never end while the worker lives
                if not failed:
                    _LOG.warning("Could not look after the queue: %s", type(problem).__name__)
                failed = True
            else:
                failed = False

    def _say_alive(self) -> None:
        self._store.beat(self.name, host=socket.gethostname(), pid=os.getpid())
