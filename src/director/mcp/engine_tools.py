"""`fit`, `recall` and `report` as tools: the engine for whoever speaks the protocol.

A thread is what the client names it. Nothing is stored beyond the life of the server.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, TypeVar, cast

from director.api import Fitted
from director.context.report import Report
from director.manager import ContextConfig
from director.middleware.managed_threads import MOST, FittedThreads
from director.middleware.recall_tool import read_recalled
from director.models import Tool, tool

_LOSSES_SHOWN = 50
_K = TypeVar("_K")
_V = TypeVar("_V")


class Fitting:
    """The three tools, and the threads that they share; one budget, unless a call names another."""

    def __init__(self, budget: int = 100_000) -> None:
        self._budget = budget
        self._threads: OrderedDict[tuple[int, str, str], FittedThreads] = OrderedDict()
        self._latest: OrderedDict[str, tuple[FittedThreads, Fitted]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def _functions(self) -> Mapping[str, Callable[..., str]]:
        found = (self.fit, self.recall, self.report)
        return {function.__name__: function for function in found}

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools as a client sees them."""
        return tuple(map(tool, self._functions.values()))

    def run(self, called: Tool, args: Mapping[str, Any]) -> str:
        """The result of one of the tools."""
        return self._functions[called.name](**args)

    def fit(
        self,
        messages: list[dict[str, object]],
        budget: int = 0,
        strategy: str = "hybrid",
        compression_level: str = "medium",
        thread: str = "default",
    ) -> str:
        """Fit a history into a budget of tokens; give the messages to send, and a report.

        Args:
            messages: the whole history, in the form of OpenAI Chat, Responses or Anthropic
            budget: the most tokens; 0 for the server's own
            strategy: sliding_window, checkpoint, hybrid or adaptive
            compression_level: none, low, medium or high
            thread: the conversation; feed it the whole history each time

        """
        threads = self._get_threads(budget or self._budget, strategy, compression_level)
        fitted = threads.fit(messages, thread)
        with self._lock:
            self._latest.pop(thread, None)
            _add(self._latest, thread, (threads, fitted))
        said = {"messages": fitted.messages, "report": str(fitted.report)}
        return json.dumps(said, ensure_ascii=False)

    def _get_threads(self, budget: int, strategy: str, level: str) -> FittedThreads:
        key = (budget, strategy, level)
        with self._lock:
            known = self._threads.pop(key, None)
            if known is None:
                config = ContextConfig(strategy=strategy, budget=budget, compression_level=level)
                known = FittedThreads(config)
            _add(self._threads, key, known)
        return known

    def recall(self, handle: str, thread: str = "default", start: int = 0, length: int = 0) -> str:
        """Read the original words behind a shortened result or a summary.

        Args:
            handle: the eight hex digits of a notice, or a turn such as "t12"
            thread: the conversation it is from
            start: the character to begin at; 0 is the first
            length: how many characters, for a text too long to be shown whole; 0 for all

        """
        if thread not in self._latest:
            raise KeyError(f"there is no thread {thread!r}: fit its history first")
        text = self._latest[thread][0].recall(handle, thread)
        return read_recalled(lambda _: text, handle, start, length)

    def report(self, thread: str = "default") -> str:
        """Tell what the latest fit of a thread kept, cut and why, in tokens.

        Args:
            thread: the conversation

        """
        if thread not in self._latest:
            raise KeyError(f"there is no thread {thread!r}: fit its history first")
        return json.dumps(_report_json(self._latest[thread][1].report), ensure_ascii=False)


def _add(known: OrderedDict[_K, _V], key: _K, value: _V) -> None:
    """The latest goes last; past the most, what was not used for longest is forgotten."""
    known[key] = value
    if len(known) > MOST:
        known.popitem(last=False)


def _report_json(report: Report) -> Mapping[str, object]:
    return {
        "before": report.before,
        "after": report.after,
        "limit": report.limit,
        "fits": report.fits,
        "counter": report.counter,
        "error": report.error,
        "repairs": list(report.repairs),
        "kinds": [asdict(kind) for kind in report.kinds],
        "losses": [
            {**asdict(loss), "handle": loss.reference} for loss in report.losses[:_LOSSES_SHOWN]
        ],
        "floor": cast("object", [list(part) for part in report.floor]),
    }
