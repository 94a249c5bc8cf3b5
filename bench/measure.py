"""The measure: what a recorded next call needs, and whether a managed context still offers it.

A recording is replayed call by call. Before each call a manager gets the whole history so far and
a budget; its answer is compared with what the recorded agent then really did. No model is asked.
It must never favour one manager: what a call needs is derived from the raw history alone.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from reading import Message, Uses, arguments, find_uses, keep_words, stands, text_of

Manage: TypeAlias = Callable[[list[Message], int], list[Message]]

PER_MESSAGE = 4
CACHED = 0.1
SMALLEST_CACHED = 1_024
KEPT_SECONDS = 300.0
_WORD = re.compile(r"\w{3,}")
_PIECE = re.compile(r"[^\s\"'`,;()<>{}=|]+")
_TELLING = re.compile(r"\d|\w[_./:@-]\w|[a-z][A-Z]")
_NEAR = re.compile(r"\w[\w.:/-]*\w")
# Marks and roles of a page snapshot are its markup, not words that tell what a literal is.
_MARKUP = re.compile(
    r"\[(?:ref|cursor|level|active|checked|expanded|selected|disabled)\b[^\]\n]*\]|/url:"
    r"|^\s*- (?:generic|table|row|rowgroup|cell|columnheader|rowheader|list|listitem|text|paragraph"
    r"|link|button|textbox|combobox|option|heading|term|definition|strong|code|article|main"
    r"|navigation|banner|status)\b",
    re.MULTILINE,
)
# An argument of this name describes the element that `ref` names.
_DESCRIBES = "element"


def tokens(messages: Iterable[Message]) -> int:
    """The size of messages, at four characters a token, the same for every manager."""
    return sum(PER_MESSAGE + -(-len(text_of(message)) // 4) for message in messages)


def head_end(messages: Sequence[Message]) -> int:
    """Where the head ends: behind the first thing the user said."""
    return next((at + 1 for at, m in enumerate(messages) if m["role"] == "user"), 0)


def budget_for(messages: Sequence[Message], share: float) -> int:
    """A budget that holds the head and this share of all that follows it."""
    head = tokens(messages[: head_end(messages)])
    return int(head + share * (tokens(messages) - head))


def complaints(messages: Sequence[Message]) -> set[str]:
    """The providers that would refuse these messages: «openai», «anthropic», both or none."""
    refusing: set[str] = set()
    roles = [message["role"] for message in messages]
    awaited: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message.get("tool_call_id") not in awaited:
                refusing |= {"openai", "anthropic"}
            awaited.discard(message.get("tool_call_id", ""))
            continue
        if awaited or (message["role"] == "assistant" and not text_of(message).strip()):
            refusing |= {"openai", "anthropic"} if awaited else {"anthropic"}
        awaited = {call["id"] for call in message.get("tool_calls") or ()}
    if awaited or "user" not in roles:
        refusing |= {"openai", "anthropic"}
    talk = [role for role in roles if role != "system"]
    if talk[:1] != ["user"] or "system" in roles[1:]:
        refusing.add("anthropic")
    return refusing


@dataclass(frozen=True)
class Needs:
    """What the next recorded call takes from the history.

    `hard` stands only in its old part: neither in the head nor since the agent last spoke.
    `refs` are references to elements that the newest result offers.
    """

    hard: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()


def needs(history: Sequence[Message], action: Message) -> Needs:
    """Derive from the raw history what the next call needs of it."""
    last = _last_spoken(history)
    easy = "\n".join(text_of(m) for m in (*history[: head_end(history)], *history[last:]))
    old = "\n".join(text_of(m) for m in history[head_end(history) : last])
    newest = newest_result(history)
    hard, refs = [], []
    for name, value in arguments(action):
        if name in ("ref", _DESCRIBES):
            refs += [value] if f"[ref={value}]" in newest else []
            continue
        whole = "\n" not in value and max(stands(value, old), stands(value, easy)) >= 0
        for piece in [value] if whole else _PIECE.findall(value):
            literal = piece.strip(".:-")
            telling = len(literal) > 2 and (whole or _TELLING.search(literal))
            if telling and stands(literal, easy) < 0 <= stands(literal, old):
                hard.append(literal)
    return Needs(tuple(dict.fromkeys(hard)), tuple(dict.fromkeys(refs)))


def _last_spoken(messages: Sequence[Message]) -> int:
    spoken = [at for at, m in enumerate(messages) if m["role"] == "assistant"]
    return spoken[-1] if spoken else head_end(messages)


def newest_result(messages: Sequence[Message]) -> str:
    """The text of what came since the agent last spoke."""
    spoken = [at for at, m in enumerate(messages) if m["role"] == "assistant"]
    return "\n".join(text_of(m) for m in messages[spoken[-1] + 1 if spoken else 0 :])


def _neighbours(literal: str, text: str, reach: int) -> Iterator[frozenset[str]]:
    at, seen = stands(literal, text), 0
    while at >= 0 and seen < 24:
        end = at + len(literal)
        left = _NEAR.findall(_MARKUP.sub(" ", text[max(0, at - 40 * reach) : at]))[-reach:]
        right = _NEAR.findall(_MARKUP.sub(" ", text[end : end + 40 * reach]))[:reach]
        yield frozenset(left + right)
        at, seen = stands(literal, text, end), seen + 1


def among_neighbours(literal: str, raw: str, kept: str) -> bool:
    """Whether somewhere half of the words that stood next to a literal still stand near it.

    Near is twice as far as next to, so that a text may be re-ordered a little; a bare list of
    literals keeps none of their words and does not count.
    """
    before = [words for words in _neighbours(literal, raw, 6) if words]
    after = list(_neighbours(literal, kept, 12))
    return bool(after) and (
        not before or any(2 * len(was & now) >= len(was) for was in before for now in after)
    )


def ref_kept(ref: str, raw: str, kept: str) -> bool:
    """Whether the newest result still offers an element on a line with half of its label."""
    mark = f"[ref={ref}]"
    was = next(line for line in raw.splitlines() if mark in line)
    label = set(_WORD.findall(was.replace(mark, "")))
    # One line with everything on it offers nothing that can be told apart.
    longest = max(400, 2 * len(was))
    return any(
        2 * len(label & set(_WORD.findall(line))) >= len(label)
        for line in kept.splitlines()
        if mark in line and len(line) <= longest
    )


@dataclass
class Till:
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
            total += tokens([message])
            seen = self._seen.get(prefixes[-1])
            if seen is not None and now - seen <= KEPT_SECONDS:
                known = total
        known = known if known >= SMALLEST_CACHED else 0
        self._seen.update(dict.fromkeys(prefixes, now))
        self.paid += CACHED * known + self.write * (total - known)
        self.sent += total
        self.reused += known


@dataclass
class Score:
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
class Run:
    """One recording: its messages, when each call was made, and what each call needs."""

    name: str
    messages: list[Message]
    times: Sequence[float] = ()
    needs_at: dict[int, Needs] = field(default_factory=dict, compare=False)
    uses_at: dict[int, Uses] = field(default_factory=dict, compare=False)

    def calls(self) -> Iterator[tuple[int, float]]:
        """Where the agent spoke, and when it was asked to."""
        spoken = [at for at, m in enumerate(self.messages) if m["role"] == "assistant"]
        for turn, at in enumerate(spoken):
            yield at, self.times[turn] if turn < len(self.times) else 30.0 * turn

    def needs(self, at: int) -> Needs:
        """What the call recorded there needs; derived once, for all managers."""
        if at not in self.needs_at:
            self.needs_at[at] = needs(self.messages[:at], self.messages[at])
        return self.needs_at[at]

    def uses(self, at: int) -> Uses:
        """What the message recorded there uses of the newest results; derived once."""
        if at not in self.uses_at:
            self.uses_at[at] = find_uses(self.messages[:at], self.messages[at])
        return self.uses_at[at]


def replay(make: Callable[[], Manage], runs: Iterable[Run], share: float) -> Score:
    """Send every recording through a fresh manager, call by call, and add up what came out."""
    score = Score()
    for run in runs:
        _replay_one(make(), run, budget_for(run.messages, share), score)
    return score


def _replay_one(manage: Manage, run: Run, budget: int, score: Score) -> None:
    tills = [Till(), Till(), Till(1.25), Till(1.25)]
    previous: list[Message] = []
    passed = False
    for at, now in run.calls():
        raw = run.messages[:at]
        out = _managed(manage, raw, budget, score)
        score.rewrites += out[: len(previous)] != previous
        previous = out
        size = tokens(raw)
        passed = passed or size > budget
        score.early += not passed and out != raw
        if size > budget:
            score.above += 1
            score.above_tokens += size
            score.above_kept += tokens(out)
            score.above_still += tokens(out) > budget
        for provider in complaints(out):
            score.refused[provider] += 1
        _support(run.needs(at), raw, out, score)
        _add_uses(run.uses(at), out, score)
        for till, sent in zip(tills, (out, raw, out, raw), strict=True):
            till.pay(sent, now)
    if previous:
        kept, said = keep_words(raw, previous)
        score.said, score.said_kept = score.said + said, score.said_kept + kept
    score.paid += tills[0].paid
    score.paid_raw += tills[1].paid
    score.paid_write += tills[2].paid
    score.paid_write_raw += tills[3].paid


def _managed(manage: Manage, raw: list[Message], budget: int, score: Score) -> list[Message]:
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


def _support(wanted: Needs, raw: Sequence[Message], out: Sequence[Message], score: Score) -> None:
    score.needed += len(wanted.hard)
    score.refs += len(wanted.refs)
    kept = "\n".join(text_of(message) for message in out)
    whole = "\n".join(text_of(message) for message in raw) if wanted.hard else ""
    for literal in wanted.hard:
        if stands(literal, kept) >= 0:
            score.hard += 1
            score.hard_ctx += among_neighbours(literal, whole, kept)
    for ref in wanted.refs:
        score.refs_kept += ref_kept(ref, newest_result(raw), newest_result(out))


def _add_uses(wanted: Uses, out: Sequence[Message], score: Score) -> None:
    kept = "\n".join(map(text_of, out))
    score.fresh += len(wanted.fresh)
    score.fresh_kept += sum(stands(literal, kept) >= 0 for literal in wanted.fresh)
    score.recent += len(wanted.recent)
    score.recent_kept += sum(stands(literal, kept) >= 0 for literal in wanted.recent)
