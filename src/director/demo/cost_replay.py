"""Replays a run call by call and counts what every call costs; prints nothing.

A model call is made before each message of the assistant, and sends everything said until then.
Cost is in tokens at full price: what a provider has cached, the longest common start of two
consecutive requests in whole messages, costs a tenth.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from director import Fitted, fit_messages
from director.context.values import Prices
from director.demo.recording import Message

PRICES = Prices()


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One model call: its size and cost when everything is sent (raw), and as fitted (sent)."""

    number: int
    raw: int
    sent: int
    raw_cost: float
    sent_cost: float
    rewrite: bool
    fitted: Fitted


@dataclass(frozen=True, slots=True)
class ReplayTotals:
    """Sums over the calls so far."""

    raw: int = 0
    sent: int = 0
    raw_cost: float = 0.0
    sent_cost: float = 0.0
    rewrites: int = 0

    def plus(self, step: ReplayStep) -> ReplayTotals:
        """The sums with one more call."""
        return ReplayTotals(
            self.raw + step.raw,
            self.sent + step.sent,
            self.raw_cost + step.raw_cost,
            self.sent_cost + step.sent_cost,
            self.rewrites + step.rewrite,
        )

    @property
    def fewer(self) -> float:
        """The share of tokens that was not sent."""
        return 1 - self.sent / self.raw if self.raw else 0.0

    @property
    def relative(self) -> float:
        """The cost as a share of the cost of sending everything."""
        return self.sent_cost / self.raw_cost if self.raw_cost else 1.0


@dataclass(frozen=True, slots=True)
class _Request:
    """A request as the provider's cache sees it: its tokens, and the size of each message."""

    tokens: int
    lines: tuple[str, ...]

    def count_cached(self, before: _Request | None) -> int:
        """How many of its tokens an earlier request has put into the cache."""
        if before is None:
            return 0
        shared = self.count_shared(before)
        # Exact when all of the earlier request is shared; by characters when a part of it is.
        whole = sum(map(len, before.lines))
        tokens = round(before.tokens * sum(map(len, before.lines[:shared])) / whole) if whole else 0
        return min(tokens, self.tokens) if tokens >= PRICES.minimum else 0

    def count_shared(self, before: _Request) -> int:
        """How many messages the two have in common from the start."""
        pairs = zip(self.lines, before.lines, strict=False)
        shorter = min(len(self.lines), len(before.lines))
        return next((at for at, (a, b) in enumerate(pairs) if a != b), shorter)

    def extends(self, before: _Request | None) -> bool:
        """Whether it begins with all of the earlier request."""
        return before is None or self.count_shared(before) == len(before.lines)


def calls(messages: Sequence[Message]) -> list[int]:
    """How many messages each model call of a run sends."""
    return [
        at for at, message in enumerate(messages) if message.get("role") == "assistant" and at > 0
    ]


def usual_budget(messages: Sequence[Message]) -> int:
    """Half of what the last call would send: enough to work with, too little for everything."""
    sent = list(messages[: calls(messages)[-1]])
    return fit_messages(sent, budget=10**9, compression_level="none").report.before // 2


def replay(messages: Sequence[Message], budget: int) -> Iterator[ReplayStep]:
    """Every model call of a run, as it is made."""
    last_raw = last_sent = None
    for number, end in enumerate(calls(messages), 1):
        fitted = fit_messages(list(messages[:end]), budget=budget)
        raw = _Request(fitted.report.before, _lines(messages[:end]))
        sent = _Request(fitted.report.after, _lines(fitted.messages))
        yield ReplayStep(
            number,
            raw.tokens,
            sent.tokens,
            _cost(raw, last_raw),
            _cost(sent, last_sent),
            rewrite=not sent.extends(last_sent),
            fitted=fitted,
        )
        last_raw, last_sent = raw, sent


def _cost(request: _Request, before: _Request | None) -> float:
    cached = request.count_cached(before)
    return cached * PRICES.read + (request.tokens - cached) * PRICES.write


def _lines(messages: Sequence[object]) -> tuple[str, ...]:
    return tuple(json.dumps(message, sort_keys=True, default=repr) for message in messages)


def render_arguments(message: object) -> str:
    """The arguments of a chat message's calls, a line each."""
    calls = message.get("tool_calls") if isinstance(message, Mapping) else None
    found = [call.get("function") for call in calls or () if isinstance(call, Mapping)]
    return "\n".join(str(each.get("arguments")) for each in found if isinstance(each, Mapping))


def text_of(message: object) -> str:
    """The text of a chat message, whether it is a string or a list of parts."""
    content = message.get("content") if isinstance(message, Mapping) else None
    return _text(content)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text(content.get("text", content.get("content")))
    if isinstance(content, Sequence):
        return "\n".join(filter(None, map(_text, content)))
    return ""
