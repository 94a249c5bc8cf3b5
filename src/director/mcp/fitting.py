"""`fit`, `recall` and `report` as tools: the engine for whoever speaks the protocol.

A thread is what the client names it. Nothing is stored beyond the life of the server.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, cast

from director.api import Fitted
from director.context.report import Report
from director.manager import ContextConfig
from director.middleware.threads import Threads
from director.models import Tool, tool

_LOSSES_SHOWN = 50


class Fitting:
    """The three tools, and the threads that they share; one budget, unless a call names another."""

    def __init__(self, budget: int = 100_000) -> None:
        self._budget = budget
        self._threads: dict[tuple[int, str, str], Threads] = {}
        self._latest: dict[str, tuple[Threads, Fitted]] = {}

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools as a client sees them."""
        return tuple(tool(function) for function in (self.fit, self.recall, self.report))

    def run(self, called: Tool, args: Mapping[str, Any]) -> str:
        """The result of one of the tools."""
        functions: Mapping[str, Callable[..., str]] = {
            "fit": self.fit,
            "recall": self.recall,
            "report": self.report,
        }
        return functions[called.name](**args)

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
        limit = budget or self._budget
        key = (limit, strategy, compression_level)
        if key not in self._threads:
            config = ContextConfig(
                strategy=strategy, budget=limit, compression_level=compression_level
            )
            self._threads[key] = Threads(config)
        fitted = self._threads[key].fit(messages, thread)
        self._latest[thread] = (self._threads[key], fitted)
        said = {"messages": fitted.messages, "report": str(fitted.report)}
        return json.dumps(said, ensure_ascii=False)

    def recall(self, handle: str, thread: str = "default") -> str:
        """Read the original words behind a shortened result or a summary.

        Args:
            handle: the eight hex digits of a notice, or a turn such as "t12"
            thread: the conversation it is from

        """
        if thread not in self._latest:
            raise KeyError(f"there is no thread {thread!r}: fit its history first")
        return self._latest[thread][0].recall(handle, thread)

    def report(self, thread: str = "default") -> str:
        """Tell what the latest fit of a thread kept, cut and why, in tokens.

        Args:
            thread: the conversation

        """
        if thread not in self._latest:
            raise KeyError(f"there is no thread {thread!r}: fit its history first")
        return json.dumps(_told(self._latest[thread][1].report), ensure_ascii=False)


def _told(report: Report) -> Mapping[str, object]:
    return {
        "before": report.before,
        "after": report.after,
        "limit": report.limit,
        "fits": report.fits,
        "counter": report.counter,
        "error": report.error,
        "repairs": list(report.repairs),
        "kinds": [asdict(kind) for kind in report.kinds],
        "losses": [asdict(loss) for loss in report.losses[:_LOSSES_SHOWN]],
        "floor": cast("object", [list(part) for part in report.floor]),
    }
