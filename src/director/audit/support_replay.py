"""Recorded runs replayed call by call through a context manager, and what came of it in figures.

Before each call the manager gets the whole history so far and a budget; what it sends is compared
with what the recorded agent then did. No model is called.
"""

from __future__ import annotations

import copy
import hashlib
import json
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from director.audit.recorded_texts import (
    CallUses,
    Message,
    count_kept_words,
    find_uses,
    find_word,
    read_text,
)
from director.audit.support import (
    CallNeeds,
    compute_budget,
    count_tokens,
    find_needs,
    find_refusing,
    is_among_neighbours,
    is_ref_kept,
    read_newest_result,
)

Manage: TypeAlias = Callable[[list[Message], int], list[Message]]

CACHED = 0.1
SMALLEST_CACHED = 1_024
KEPT_SECONDS = 300.0


@dataclass
class CacheBill:
    """What successive requests of one agent cost while a provider keeps prefixes for a while.

    A token of the longest prefix that an earlier request, not older than `KEPT_SECONDS`, shared
    message for message costs `CACHED`; any other costs `write`. Short prefixes are not kept.
    """

    write: float = 1.0
    paid: float = 0.0
    sent: int = 0
    reused: int = 0
    _seen: dict[bytes, float] = field(default_factory=dict)

    def pay(self, messages: Sequence[Message], now: float) -> None:
        """Charge one request made at a time in seconds."""
        digest, total, known = hashlib.blake2b(digest_size=16), 0, 0
        prefixes = []
        for message in messages:
            digest.update(json.dumps(message, sort_keys=True, default=str).encode())
            prefixes.append(digest.digest())
            total += count_tokens([message])
            seen = self._seen.get(prefixes[-1])
            if seen is not None and now - seen <= KEPT_SECONDS:
                known = total
        known = known if known >= SMALLEST_CACHED else 0
        self._seen.update(dict.fromkeys(prefixes, now))
        self.paid += CACHED * known + self.write * (total - known)
        self.sent += total
        self.reused += known


@dataclass
class SupportScore:
    """Sums over all calls of all recordings of one material, for one manager and one budget."""

    calls: int = 0
    needed: int = 0
    hard: int = 0
    hard_ctx: int = 0
    refs: int = 0
    refs_kept: int = 0
    fresh: int = 0
    fresh_kept: int = 0
    recent: int = 0
    recent_kept: int = 0
    said: int = 0
    said_kept: int = 0
    refused: dict[str, int] = field(default_factory=lambda: {"openai": 0, "anthropic": 0})
    above: int = 0
    above_still: int = 0
    above_tokens: int = 0
    above_kept: int = 0
    rewrites: int = 0
    early: int = 0
    crashes: int = 0
    mutations: int = 0
    paid: float = 0.0
    paid_raw: float = 0.0
    paid_write: float = 0.0
    paid_write_raw: float = 0.0
    milliseconds: list[float] = field(default_factory=list)

    def row(self) -> dict[str, float | None]:
        """The columns of the table."""
        return {
            "kept %": _percent(self.above_kept, self.above_tokens),
            "hard %": _percent(self.hard, self.needed),
            "hard_ctx %": _percent(self.hard_ctx, self.needed),
            "fresh %": _percent(self.fresh_kept, self.fresh),
            "recent %": _percent(self.recent_kept, self.recent),
            "user %": _percent(self.said_kept, self.said),
            "ref %": _percent(self.refs_kept, self.refs),
            "valid openai %": _percent(self.calls - self.refused["openai"], self.calls),
            "valid anthropic %": _percent(self.calls - self.refused["anthropic"], self.calls),
            "over budget %": _percent(self.above_still, self.above),
            "rewrites %": _percent(self.rewrites, self.calls),
            "changed early": self.early,
            "cost": round(self.paid / self.paid_raw, 3) if self.paid_raw else None,
            "cost write 1.25": round(self.paid_write / self.paid_write_raw, 3)
            if self.paid_write_raw
            else None,
            "ms": round(statistics.median(self.milliseconds), 2) if self.milliseconds else None,
            "crashes": self.crashes,
            "mutations": self.mutations,
            "calls": self.calls,
            "needed": self.needed,
        }


def _percent(part: float, whole: float) -> float | None:
    return round(100 * part / whole, 1) if whole else None


@dataclass(frozen=True)
class RecordedRun:
    """One recording: its messages, when each call was made, and what each call needs."""

    name: str
    messages: list[Message]
    times: Sequence[float] = ()
    needs_at: dict[int, CallNeeds] = field(default_factory=dict, compare=False)
    uses_at: dict[int, CallUses] = field(default_factory=dict, compare=False)

    def calls(self) -> Iterator[tuple[int, float]]:
        """Where the agent spoke, and when it was asked to."""
        spoken = [at for at, m in enumerate(self.messages) if m["role"] == "assistant"]
        for turn, at in enumerate(spoken):
            yield at, self.times[turn] if turn < len(self.times) else 30.0 * turn

    def needs(self, at: int) -> CallNeeds:
        """What the call recorded there needs; derived once, for all managers."""
        if at not in self.needs_at:
            self.needs_at[at] = find_needs(self.messages[:at], self.messages[at])
        return self.needs_at[at]

    def uses(self, at: int) -> CallUses:
        """What the message recorded there uses of the newest results; derived once."""
        if at not in self.uses_at:
            self.uses_at[at] = find_uses(self.messages[:at], self.messages[at])
        return self.uses_at[at]


def replay(make: Callable[[], Manage], runs: Iterable[RecordedRun], share: float) -> SupportScore:
    """Send every recording through a fresh manager, call by call, and add up what came out."""
    score = SupportScore()
    for run in runs:
        _replay_one(make(), run, compute_budget(run.messages, share), score)
    return score


def _replay_one(manage: Manage, run: RecordedRun, budget: int, score: SupportScore) -> None:
    tills = [CacheBill(), CacheBill(), CacheBill(1.25), CacheBill(1.25)]
    previous: list[Message] = []
    passed = False
    for at, now in run.calls():
        raw = run.messages[:at]
        out = _run_manager(manage, raw, budget, score)
        score.rewrites += out[: len(previous)] != previous
        previous = out
        size = count_tokens(raw)
        passed = passed or size > budget
        score.early += not passed and out != raw
        if size > budget:
            score.above += 1
            score.above_tokens += size
            score.above_kept += count_tokens(out)
            score.above_still += count_tokens(out) > budget
        for provider in find_refusing(out):
            score.refused[provider] += 1
        _support(run.needs(at), raw, out, score)
        _add_uses(run.uses(at), out, score)
        for till, sent in zip(tills, (out, raw, out, raw), strict=True):
            till.pay(sent, now)
    if previous:
        kept, said = count_kept_words(raw, previous)
        score.said, score.said_kept = score.said + said, score.said_kept + kept
    score.paid += tills[0].paid
    score.paid_raw += tills[1].paid
    score.paid_write += tills[2].paid
    score.paid_write_raw += tills[3].paid


def _run_manager(
    manage: Manage, raw: list[Message], budget: int, score: SupportScore
) -> list[Message]:
    given = copy.deepcopy(raw)
    began = time.perf_counter()
    try:
        out = manage(given, budget)
    except Exception:  # what raises sends nothing
        score.crashes += 1
        out = []
    score.milliseconds.append(1e3 * (time.perf_counter() - began))
    score.calls += 1
    score.mutations += given != raw
    # A copy, because a manager may go on changing the list that it gave.
    return copy.deepcopy(out)


def _support(
    wanted: CallNeeds, raw: Sequence[Message], out: Sequence[Message], score: SupportScore
) -> None:
    score.needed += len(wanted.hard)
    score.refs += len(wanted.refs)
    kept = "\n".join(read_text(message) for message in out)
    whole = "\n".join(read_text(message) for message in raw) if wanted.hard else ""
    for literal in wanted.hard:
        if find_word(literal, kept) >= 0:
            score.hard += 1
            score.hard_ctx += is_among_neighbours(literal, whole, kept)
    for ref in wanted.refs:
        score.refs_kept += is_ref_kept(ref, read_newest_result(raw), read_newest_result(out))


def _add_uses(wanted: CallUses, out: Sequence[Message], score: SupportScore) -> None:
    kept = "\n".join(map(read_text, out))
    score.fresh += len(wanted.fresh)
    score.fresh_kept += sum(find_word(literal, kept) >= 0 for literal in wanted.fresh)
    score.recent += len(wanted.recent)
    score.recent_kept += sum(find_word(literal, kept) >= 0 for literal in wanted.recent)
