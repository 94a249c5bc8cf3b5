"""The turns that this program takes: one at a time for a workflow, told to every window.

A turn goes on when the window that began it is gone. Whoever comes second is refused.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from director.agent import TurnRunning, ensure_current_thread
from director.agent.turn_events import TurnProgress
from director.errors import DirectorError
from director.store import Store

T = TypeVar("T")
Work: TypeAlias = Coroutine[Any, Any, object]
_LOG = logging.getLogger("director.web")
_LONGEST = 2_000
_LOOK = 0.01  # seconds between two looks whether a message is stored


@dataclass(slots=True)
class _Writing:
    """The entry that an answer will be, and its text so far."""

    entry: int = 0
    text: str = ""


@dataclass(eq=False, slots=True)
class Turns:
    """What goes on in each workflow."""

    store: Store
    tell: Callable[[Mapping[str, object]], None]
    clean: Callable[[str], str]
    _on: dict[str, asyncio.Task[Any]] = field(default_factory=dict)
    _writing: dict[str, _Writing] = field(default_factory=dict)

    def is_on(self, workflow: str) -> bool:
        """Whether something goes on here."""
        return workflow in self._on

    def writing(self, workflow: str) -> tuple[int, str]:
        """The entry that is being written now, and its text so far."""
        found = self._writing.get(workflow, _Writing())
        return found.entry, found.text

    async def begin(self, workflow: str, turn: Work) -> int:
        """Let a turn go on by itself as soon as what was said is stored, or say why it is not."""
        self._check_free(workflow, turn)
        thread = ensure_current_thread(self.store, workflow)
        before = self.store.head(thread)
        task = self._started(workflow, turn)
        while not task.done() and self.store.head(thread) == before:
            await asyncio.wait({task}, timeout=_LOOK)
        if self.store.head(thread) == before:
            task.result()
        return self.store.head(thread)

    def resume(self, workflow: str, turn: Work) -> None:
        """Let a turn go on by itself whose message was stored before this program began."""
        self._check_free(workflow, turn)
        self._started(workflow, turn)

    async def alone(self, workflow: str, work: Coroutine[Any, Any, T]) -> T:
        """Do something while no turn runs, and wait for it; it ends even if nobody waits."""
        self._check_free(workflow, work)
        return await asyncio.shield(self._started(workflow, work))

    async def stop(self, workflow: str) -> bool:
        """Stop what goes on; whether there was something."""
        task = self._on.get(workflow)
        if task is None:
            return False
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await asyncio.wait({task})
        return True

    def telling(self, workflow: str) -> Callable[[TurnProgress], None]:
        """What a desk tells of its turns, told to the windows."""

        def told(what: TurnProgress) -> None:
            now = self._writing.setdefault(workflow, _Writing())
            if what.what == "asking":
                thread = ensure_current_thread(self.store, workflow)
                now.entry, now.text = self.store.head(thread) + 1, ""
            elif what.what in ("again", "answered"):
                now.text = ""
            elif what.what == "text":
                place = len(now.text)
                now.text += what.text
                event = {"text": what.text, "entry": now.entry, "at": place}
                self.tell({"workflow": workflow, **event})
                return
            self.tell({"workflow": workflow, "progress": self._progress(what, now.entry)})

        return told

    def _progress(self, what: TurnProgress, entry: int) -> dict[str, object]:
        text = what.text if what.what == "thinking" else self.clean(what.text)
        return {
            "what": what.what,
            "text": text[:_LONGEST],
            "tool": what.tool,
            "call": what.call,
            "failed": what.failed,
            "source": what.source,
            "entry": entry,
        }

    def _check_free(self, workflow: str, work: Work) -> None:
        if workflow in self._on:
            work.close()
            raise TurnRunning(
                "A turn of this workflow is running. Nothing was stored. Wait until it has ended, "
                "or stop it."
            )

    def _started(self, workflow: str, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._on[workflow] = task
        task.add_done_callback(lambda _: self._ended(workflow, task))
        return task

    def _ended(self, workflow: str, task: asyncio.Task[Any]) -> None:
        self._on.pop(workflow, None)
        self._writing.pop(workflow, None)
        problem = None if task.cancelled() else task.exception()
        if isinstance(problem, TurnRunning):
            # It never began; whoever asked for it was told.
            return
        if problem is not None and not isinstance(problem, DirectorError):
            _LOG.error("%s", self.clean("".join(traceback.format_exception(problem))))
        why = "" if problem is None else str(problem) or type(problem).__name__
        told = self._progress(TurnProgress("ended", why, failed=problem is not None), 0)
        what = "over" if problem is None else "failed"
        self.tell({"workflow": workflow, "progress": {**told, "what": what}})
