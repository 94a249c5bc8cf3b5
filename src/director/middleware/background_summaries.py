"""Summaries that a model writes in the background, ready before they are needed.

One is begun when a history nears its limit, over the turns that would leave at the next compaction.
It is used only at that compaction, and only if the history still goes on from what was summarised;
otherwise excerpts are sent, as without a model. Never waits for a model, and never pays twice for
the same turns.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeAlias
from weakref import WeakKeyDictionary

from director.api import summarise
from director.context.report import Report
from director.context.values import Fold, Summary
from director.manager import ContextManager

Writes: TypeAlias = Callable[[str], "str | Awaitable[str]"]
EARLY = 0.7
KEEP = 0.3


class FoldSummaries:
    """Has folds summarised by `writes`; `asked`, `ready` and `failed` count what became of them.

    Begun at `early` of the limit; the newest `keep` of it are left out. A summary holds at most
    `tokens`.
    """

    def __init__(
        self,
        writes: Writes,
        *,
        early: float = EARLY,
        keep: float = KEEP,
        tokens: int = 2_000,
        prompt: str | None = None,
    ) -> None:
        self._writes = writes
        self._early, self._keep, self._tokens = early, keep, tokens
        self._prompt = prompt
        self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="summaries")
        self._begun: WeakKeyDictionary[ContextManager, tuple[Fold, Future[Summary]]] = (
            WeakKeyDictionary()
        )
        self._failed: WeakKeyDictionary[ContextManager, int] = WeakKeyDictionary()
        self._lock = threading.Lock()
        self.asked = self.ready = self.failed = 0
        self.trouble = ""
        self._closed = False

    def prepare(self, manager: ContextManager, report: Report) -> None:
        """Begin a summary, if one will soon be needed and none is on its way."""
        if report.after < report.limit * self._early or manager.prepared is not None:
            return
        with self._lock:
            # After a failure the next compaction makes do with excerpts; then it is tried again.
            failed = self._failed.get(manager) == manager.compactions
            if self._closed or failed or manager in self._begun:
                return
            fold = manager.oldest(int(report.limit * self._keep))
            if fold is None:
                return
            self.asked += 1
            self._begun[manager] = (fold, self._pool.submit(self._write, fold))

    def take(self, manager: ContextManager) -> None:
        """Hand a summary that is ready to its manager, if it is still of that history."""
        with self._lock:
            begun = self._begun.get(manager)
            if begun is None or not begun[1].done():
                return
            del self._begun[manager]
            fold, written = begun
            if written.exception() is not None:
                self._failed[manager] = manager.compactions
            elif manager.holds(fold):
                manager.prepared = written.result()
                self.ready += 1

    def settle(self, seconds: float | None = None) -> None:
        """Wait until everything that was begun is written."""
        with self._lock:
            running = [written for _, written in self._begun.values()]
        wait(running, timeout=seconds)

    def close(self) -> None:
        """Begin no more; what is being written is not waited for, and is thrown away."""
        with self._lock:
            self._closed = True
            self._begun.clear()
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _write(self, fold: Fold) -> Summary:
        try:
            return summarise(fold, self._answer, tokens=self._tokens, prompt=self._prompt)
        except Exception as error:
            self.failed += 1
            self.trouble = f"{type(error).__name__}: {error}"
            raise

    def _answer(self, text: str) -> str:
        written = self._writes(text)
        if inspect.isawaitable(written):
            return asyncio.run(_await_text(written))
        return written


async def _await_text(written: Awaitable[str]) -> str:
    return await written


def make_summary_writer(model: Writes | object | None) -> Writes | None:
    """A function from text to text, also from a model of LangChain."""
    ask = getattr(model, "invoke", None)
    if ask is not None:
        return lambda text: str(ask(text).text)
    if model is not None and not callable(model):
        raise TypeError(f"a summariser answers a text with a text; {model!r} cannot be called")
    return model
