"""The audit of a recorded session: what filled the window, what was lost, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from director.audit.lost_facts import (
    LostFact,
    RepeatedRead,
    list_lost_facts,
    list_repeated_reads,
)
from director.audit.recorded_session import RecordedSession
from director.audit.recorded_texts import Message, find_word, read_text
from director.audit.session_costs import SessionCosts, compute_session_costs
from director.audit.support import count_tokens
from director.audit.support_replay import CacheBill
from director.context.values import Budget, chars4
from director.manager import ContextConfig, ContextManager


@dataclass(frozen=True, slots=True)
class WindowSize:
    """The size of what the model saw at one call, in tokens, by part.

    `fixed` is what no message accounts for: the client's system prompt and tools. Without a
    reported usage it is unknown and 0.
    """

    call: int
    time: float
    fixed: int
    summaries: int
    said: int
    results: int

    @property
    def total(self) -> int:
        """All parts."""
        return self.fixed + self.summaries + self.said + self.results


@dataclass(frozen=True, slots=True)
class CompactionSizes:
    """The tokens before and after one of the client's compactions."""

    call: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class DirectorEstimate:
    """What Director would have sent at the same size: `kept` of the lost facts, and the input cost.

    `ratio` is the input cost beside that of the session's own requests, both by the same rule:
    cached prefixes at a tenth, for five minutes.
    """

    budget: int
    kept: frozenset[str]
    ratio: float


@dataclass(frozen=True, slots=True)
class SessionAudit:
    """Everything that the page and the JSON say."""

    session: RecordedSession
    windows: Sequence[WindowSize]
    compactions: Sequence[CompactionSizes]
    lost: Sequence[LostFact]
    repeated: Sequence[RepeatedRead]
    costs: SessionCosts
    estimate: DirectorEstimate | None = field(default=None)


def audit_session(session: RecordedSession) -> SessionAudit:
    """Everything about one session. No model is called, nothing leaves the machine."""
    windows = _measure_windows(session)
    lost = list_lost_facts(session)
    compactions = _measure_compactions(session, windows)
    return SessionAudit(
        session,
        windows,
        compactions,
        lost,
        list_repeated_reads(session),
        compute_session_costs(session),
        _estimate(session, compactions, lost),
    )


def _measure_windows(session: RecordedSession) -> list[WindowSize]:
    sizes: dict[int, int] = {}

    def size(messages: Sequence[Message]) -> int:
        return sum(sizes.setdefault(id(each), count_tokens([each])) for each in messages)

    found: list[WindowSize] = []
    for number, (call, summaries, messages) in enumerate(session.list_windows(), start=1):
        results = [each for each in messages if each["role"] == "tool"]
        said = [each for each in messages if each["role"] != "tool"]
        parts = (count_tokens(summaries), size(said), size(results))
        prompt = call.usage.input if call.usage else 0
        found.append(WindowSize(number, call.time, prompt, *parts))
    fixed = _find_fixed(found)
    return [_fill(each, fixed) for each in found]


def _find_fixed(windows: Sequence[WindowSize]) -> int:
    """The least by which a reported size exceeds its messages: what is in every request."""
    beyond = [2 * each.fixed - each.total for each in windows if each.fixed]
    return min((size for size in beyond if size >= 0), default=0)


def _fill(window: WindowSize, fixed: int) -> WindowSize:
    """The parts scaled to the reported size, since characters only estimate tokens."""
    reported, counted = window.fixed, window.total - window.fixed
    fixed = min(fixed, reported)
    scale = (reported - fixed) / counted if reported and counted else 1.0
    parts = (window.summaries, window.said, window.results)
    return WindowSize(window.call, window.time, fixed, *(round(part * scale) for part in parts))


def _measure_compactions(
    session: RecordedSession, windows: Sequence[WindowSize]
) -> list[CompactionSizes]:
    found = []
    for compaction in session.compactions:
        before = [w for w, c in zip(windows, session.calls, strict=True) if c.at < compaction.at]
        after = [w for w, c in zip(windows, session.calls, strict=True) if c.at >= compaction.at]
        size = compaction.reported or (before[-1].total if before else 0)
        number = after[0].call if after else len(windows) + 1
        found.append(CompactionSizes(number, size, after[0].total if after else 0))
    return found


def _estimate(
    session: RecordedSession,
    compactions: Sequence[CompactionSizes],
    lost: Sequence[LostFact],
) -> DirectorEstimate | None:
    """Replay the whole history through Director at the size at which the client compacted."""
    if not compactions:
        return None
    measured = list(session.list_windows())
    at_most = [
        max((count_tokens([*s, *m]) for c, s, m in measured if c.at < each.at), default=0)
        for each in session.compactions
    ]
    budget = max(1, min(at_most))
    manager = ContextManager(ContextConfig(budget=Budget(budget, counter=chars4), recall=True))
    own, theirs = CacheBill(), CacheBill()
    kept: set[str] = set()
    first = {number: each.call for number, each in enumerate(compactions, start=1)}
    for number, (call, summaries, messages) in enumerate(measured, start=1):
        sent = manager.fit(list(session.history[: call.at])).messages
        managed: list[Message] = [each for each in sent if isinstance(each, dict)]
        time = call.time or 30.0 * number
        own.pay(managed, time)
        theirs.pay([*summaries, *messages], time)
        due = [fact for fact in lost if first[fact.compaction] == number]
        if due:
            text = "\n".join(map(read_text, managed))
            kept |= {fact.text for fact in due if find_word(fact.text, text) >= 0}
    ratio = own.paid / theirs.paid if theirs.paid else 1.0
    return DirectorEstimate(budget, frozenset(kept), round(ratio, 3))
