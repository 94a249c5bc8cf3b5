"""Threads: a context manager for every conversation that passes through one place.

A conversation is known by the name its host gives it, or by how it begins. What is forgotten here
is read again from the next request, since every request holds its whole history: a thread is a
memory of work done, never of words said. It never changes a message.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import TypeAlias, cast

from director.api import Fitted
from director.context.recall import recall
from director.context.values import Context
from director.context.wire import Wire
from director.manager import ContextConfig, ContextManager
from director.metrics import ContextMetrics
from director.middleware.background_summaries import FoldSummaries, Writes, make_summary_writer

Managing: TypeAlias = ContextManager | ContextConfig | int
MOST = 256


@dataclass(slots=True)
class _Thread:
    """One conversation: its manager, and what was last sent of it."""

    manager: ContextManager
    owner: str
    recalls: bool
    lock: threading.Lock = field(default_factory=threading.Lock)
    sent: Context = field(default_factory=Context)


class FittedThreads:
    """Fits the requests of many conversations; `metrics` are those of all of them together.

    `managing` is a manager, whose configuration the others share, a configuration, or a number of
    tokens. With `writes`, a model that answers a text with a text, folds are summarised in the
    background. The conversations not used for longest are forgotten past `most`.
    """

    def __init__(
        self,
        managing: Managing,
        *,
        writes: Writes | None = None,
        wire: Wire | None = None,
        most: int = MOST,
    ) -> None:
        first = make_thread_manager(managing, wire)
        self.config = first.config
        self.metrics: ContextMetrics = first.metrics
        prompt = self.config.summary_prompt
        self.summaries = FoldSummaries(writes, prompt=prompt) if writes is not None else None
        self._wire = wire
        self._most = most
        self._spare: ContextManager | None = first
        self._threads: OrderedDict[str, _Thread] = OrderedDict()
        self._made = 0
        self.unchanged_reads: dict[str, bool] = {}
        self._lock = threading.Lock()

    @property
    def on(self) -> bool:
        """Whether anything is managed at all; if not, hosts pass what they were given."""
        return self.config.enabled

    def fit(  # noqa: PLR0913  each has a name
        self,
        messages: Sequence[object],
        thread: str | None = None,
        *,
        head: Sequence[object] = (),
        phase: str | None = None,
        owner: str = "",
        model: str | None = None,
        recalls: bool = True,
    ) -> Fitted:
        """What to send instead of these messages; without a name, the thread is found by them.

        `model` is the one that the request names. `head` are system messages that stand for what
        is sent beside the messages: they count against the budget and are not among what is given
        back. `recalls` says that this request offers the tool `recall`: only then do notices name
        references. Where nothing is to be done, `messages` of the result is the very object that
        came.
        """
        whole = [*head, *messages]
        known = self._find(whole, thread, owner, recalls=recalls and self.config.recall)
        with known.lock:
            if self.summaries is not None:
                self.summaries.take(known.manager)
            known.manager.count_for(model)
            fitted = known.manager.fit(whole, phase)
            known.sent = fitted.context
            if self.summaries is not None:
                self.summaries.prepare(known.manager, fitted.report)
        # Instructions come first on every wire and never leave; which object stands for them here,
        # this head or an equal one of an earlier call, is not known.
        sent = fitted.messages[len(head) :]
        if _same(sent, messages):
            sent = cast("list[object]", messages)
        return replace(fitted, messages=sent)

    def replay(self, messages: Sequence[object], *, model: str | None, recalls: bool) -> Context:
        """What was sent for a history, found anew and remembered nowhere."""
        manager = ContextManager(self.config, wire=self._wire)
        manager.name_references(on=recalls and self.config.recall)
        manager.count_for(model)
        return manager.fit(messages).context

    def recall(self, reference: str, thread: str | None = None, *, owner: str = "") -> str:
        """The original behind a reference, of a named thread or else the latest that knows it."""
        with self._lock:
            if thread is None:
                found = [one for one in reversed(self._threads.values()) if one.owner == owner]
            else:
                keys = [_make_key(thread, owner, recalls=recalls) for recalls in (True, False)]
                found = [self._threads[key] for key in keys if key in self._threads]
        for one in found:
            try:
                return recall(one.sent, reference)
            except KeyError:
                continue
        message = (
            f"nothing is known by the reference {reference!r}: ask for one that a notice names"
        )
        raise KeyError(message)

    def close(self) -> None:
        """End the work in the background; what is fitted from now on is told in excerpts."""
        if self.summaries is not None:
            self.summaries.close()

    def __len__(self) -> int:
        return len(self._threads)

    def _find(
        self, messages: Sequence[object], thread: str | None, owner: str, *, recalls: bool
    ) -> _Thread:
        with self._lock:
            if thread is not None:
                key = _make_key(thread, owner, recalls=recalls)
            else:
                key = self._like(messages, owner, recalls=recalls)
            if key not in self._threads:
                manager = self._manager()
                manager.name_references(on=recalls)
                self._threads[key] = _Thread(manager, owner, recalls)
                if len(self._threads) > self._most:
                    self._threads.popitem(last=False)
            self._threads.move_to_end(key)
            return self._threads[key]

    def _like(self, messages: Sequence[object], owner: str, *, recalls: bool) -> str:
        """The thread of which these messages are the longest continuation, or a new one."""
        best, longest = "", -1
        for key, one in self._threads.items():
            alike = one.owner == owner and one.recalls == recalls
            if alike and one.manager.seen > longest and one.manager.goes_on(messages):
                best, longest = key, one.manager.seen
        if longest > 0:
            return best
        self._made += 1
        return f"#{self._made}"

    def _manager(self) -> ContextManager:
        made, self._spare = self._spare, None
        if made is None:
            made = ContextManager(self.config, wire=self._wire)
            made.metrics = self.metrics
        return made


def make_managed_threads(
    managing: Managing | FittedThreads, writes: Writes | object | None, wire: Wire | None
) -> FittedThreads:
    """The threads themselves, or new ones."""
    if isinstance(managing, FittedThreads):
        return managing
    return FittedThreads(managing, writes=make_summary_writer(writes), wire=wire)


def make_thread_manager(managing: Managing, wire: Wire | None = None) -> ContextManager:
    """A manager from itself, from its configuration, or from a number of tokens."""
    if isinstance(managing, ContextManager):
        return managing
    if isinstance(managing, ContextConfig):
        return ContextManager(managing, wire=wire)
    return ContextManager(ContextConfig(strategy="hybrid", budget=managing), wire=wire)


def _same(sent: Sequence[object], given: Sequence[object]) -> bool:
    return len(sent) == len(given) and all(map(is_, sent, given))


def _make_key(thread: str, owner: str, *, recalls: bool) -> str:
    return f"{owner}\n{thread}\n{recalls}"
