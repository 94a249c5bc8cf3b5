"""Runs that are started in the app: done here, durably, watched by everyone.

A run is in the store before anything is done. If this program is killed in the middle, the workers
of the store take it over, or it is resumed here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Literal, cast

from director.runs import answer, queue_run, reopen, run_of
from director.runs.resources import Resources
from director.runs.run_execution import execute, is_parked, waits_for
from director.runs.worker import Worker
from director.store import Store
from director.store.run_variables import is_workbench
from director.workflow.document import from_json
from director.workflow.values import Json

_LOG = logging.getLogger("director.web")


class Runs:
    """The runs that this program does."""

    def __init__(self, store: Store, supplies: Resources) -> None:
        self._store = store
        self._supplies = supplies
        self._worker: Worker | None = None
        self._opening = asyncio.Lock()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def queue(
        self,
        workflow: str,
        inputs: Mapping[str, object],
        *,
        selection: str,
        mode: Literal["flow", "isolated"],
    ) -> str:
        """Write a run down; sensitive inputs go into the vault."""
        found = self._store.get("workflow", workflow)
        assert found is not None  # noqa: S101  whoever asks has looked
        now = from_json(cast("Json", found.body))
        means, _ = self._supplies.offline(now)
        given = cast("Mapping[str, Json]", inputs)
        return queue_run(self._store, now, means, inputs=given, selection=selection, mode=mode).id

    def go_on(self, run: str) -> None:
        """Do a run that is to be done; this returns at once."""
        if run not in self._tasks:
            task = asyncio.create_task(self._do(run))
            self._tasks[run] = task
            task.add_done_callback(lambda _: self._tasks.pop(run, None))

    def answer(self, run: str, question: str, text: str) -> None:
        """Answer a question; a run that was put aside for it goes on here."""
        supplies = self._supplies
        answer(self._store, question, text, seal=supplies.seal, vault=supplies.vault)
        if is_workbench(run):
            # It is the conversation's own: whoever talks goes on with it in the live browser.
            return
        if is_parked(run_of(self._store, run)) and not waits_for(self._store, run):
            self.go_on(run)

    def resume(self, run: str, *, node: str = "") -> None:
        """Go on with a run that has ended or was left, from a node on if one is named."""
        reopen(self._store, run, node=node)
        self.go_on(run)

    async def close(self) -> None:
        """Stop; what is being done is left to the next program, from its last finished node."""
        for task in list(self._tasks.values()):
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        if self._worker is not None:
            await self._worker.__aexit__(None, None, None)
            self._worker = None

    async def _do(self, run: str) -> None:
        try:
            worker = await self._open()
            await worker.do(run)
        except asyncio.CancelledError:
            raise
        except Exception as problem:  # noqa: BLE001  the run itself says in the store how it ended
            _LOG.error("The run %s could not be done: %s", run, type(problem).__name__)

    async def _open(self) -> Worker:
        async with self._opening:
            if self._worker is None:
                worker = Worker(
                    self._store, execute(self._store, self._supplies.means), serves=False
                )
                self._supplies.worker = worker.name
                self._worker = await worker.__aenter__()
            return self._worker
