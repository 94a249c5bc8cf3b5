"""The request log: what each request took in tokens and money, cached or not.

Nothing here reads a socket; prices come from genai-prices when it is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from director.models.capabilities import Capabilities, read_capabilities
from director.testing.double.request_log.block import CacheBlock
from director.testing.double.request_log.cache_anthropic import AnthropicCache
from director.testing.double.request_log.cache_openai import OpenAICache
from director.testing.double.request_log.prefix import CacheOutcome, Prefix, list_prefixes
from director.testing.double.request_log.token_prices import compute_token_price, get_token_rates


@dataclass(frozen=True, slots=True, kw_only=True)
class BilledCall:
    """A generation that is to be booked, by what it was asked with and what it gave.

    `key` is OpenAI's prompt_cache_key, `lifetime` its chosen one ("30m" or "12h"); the `mode`
    "explicit" takes away its one implicit breakpoint, and with it the cache.
    """

    exchange: int
    run: str
    provider: str
    model: str
    at: float
    blocks: Sequence[CacheBlock]
    output: int
    reasoning: int = 0
    key: str = ""
    lifetime: str = ""
    mode: str = ""
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Booked:
    """One line of the request log.

    `split` says of each part how its tokens were billed: "read", "uncached", or the lifetime they
    were written for. `wasted` counts what the request before of this run had already sent, and
    what was billed again without the cache.
    """

    exchange: int
    run: str
    model: str
    at: float
    parts: dict[str, int]
    uncached: int
    read: int
    writes: dict[str, int]
    output: int
    reasoning: int
    dropped: int
    cost: Decimal | None
    miss: str = ""
    provider: str = ""
    split: dict[str, dict[str, int]] = field(default_factory=dict)
    wasted: int = 0

    @property
    def input(self) -> int:
        """All input tokens, however they were billed."""
        return self.uncached + self.read + sum(self.writes.values())


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """The sum of many lines. One line without a price leaves the sum without one."""

    requests: int
    parts: dict[str, int]
    uncached: int
    read: int
    writes: dict[str, int]
    output: int
    reasoning: int
    dropped: int
    cost: Decimal | None

    @property
    def input(self) -> int:
        """All input tokens, however they were billed."""
        return self.uncached + self.read + sum(self.writes.values())


def _find_capabilities(provider: str, model: str) -> Capabilities:
    try:
        return read_capabilities(provider, model)
    except KeyError:
        return Capabilities()


def _sum_rows(rows: Iterator[dict[str, int]]) -> dict[str, int]:
    made: dict[str, int] = {}
    for row in rows:
        for name, count in row.items():
            made[name] = made.get(name, 0) + count
    return made


def _split(row: Sequence[Prefix], outcome: CacheOutcome) -> dict[str, dict[str, int]]:
    """How the tokens of each part were billed; every sort ends at the end of a block."""
    ends: list[tuple[int, str]] = [(outcome.read, "read")]
    for lifetime, written in outcome.writes.items():
        ends.append((ends[-1][0] + written, lifetime))
    made: dict[str, dict[str, int]] = {}
    past = 0
    for prefix in row:
        sort = next((name for end, name in ends if prefix.tokens <= end), "uncached")
        counts = made.setdefault(prefix.part, {})
        counts[sort] = counts.get(sort, 0) + prefix.tokens - past
        past = prefix.tokens
    return made


def _price(call: BilledCall, uncached: int, outcome: CacheOutcome) -> Decimal | None:
    return compute_token_price(
        call.provider,
        call.model,
        uncached=uncached,
        read=outcome.read,
        writes=outcome.writes,
        output=call.output,
        at=call.at,
    )


@dataclass(slots=True)
class RequestLog:
    """All lines, and the caches they were reckoned with."""

    lines: list[Booked] = field(default_factory=list)
    capabilities: Callable[[str, str], Capabilities] = _find_capabilities
    _implicit: dict[tuple[str, str, str], OpenAICache] = field(default_factory=dict)
    _explicit: dict[tuple[str, str], AnthropicCache] = field(default_factory=dict)
    _sent: dict[str, frozenset[bytes]] = field(default_factory=dict)

    def book(self, call: BilledCall) -> Booked:
        """Reckon one generation with the cache of its model, price it, and write it down."""
        row = list_prefixes(call.blocks)
        outcome = CacheOutcome() if call.mode == "explicit" else self._use_cache(row, call)
        split = _split(row, outcome)
        uncached = _sum_rows(iter(split.values())).get("uncached", 0)
        line = Booked(
            exchange=call.exchange,
            run=call.run,
            model=call.model,
            at=call.at,
            parts={part: sum(counts.values()) for part, counts in split.items()},
            uncached=uncached,
            read=outcome.read,
            writes=dict(outcome.writes),
            output=call.output,
            reasoning=call.reasoning,
            dropped=call.dropped,
            cost=_price(call, uncached, outcome),
            miss=outcome.miss,
            provider=call.provider,
            split=split,
            wasted=self._count_wasted(call.run, call.blocks, outcome.read),
        )
        self.lines.append(line)
        return line

    def totals(self, run: str | None = None) -> UsageTotals:
        """The sum of all lines, or of those of one run."""
        lines = self._of(run)
        costs = [line.cost for line in lines]
        known = [cost for cost in costs if cost is not None]
        return UsageTotals(
            requests=len(lines),
            parts=_sum_rows(line.parts for line in lines),
            uncached=sum(line.uncached for line in lines),
            read=sum(line.read for line in lines),
            writes=_sum_rows(line.writes for line in lines),
            output=sum(line.output for line in lines),
            reasoning=sum(line.reasoning for line in lines),
            dropped=sum(line.dropped for line in lines),
            cost=sum(known, Decimal(0)) if len(known) == len(costs) else None,
        )

    def hit_rate(self, run: str | None = None) -> float:
        """The share of all input tokens that came from a cache."""
        totals = self.totals(run)
        return totals.read / totals.input if totals.input else 0.0

    def cost_by_part(self, run: str | None = None) -> dict[str, Decimal] | None:
        """What each part of the contexts cost, and the "output"; None where a price is unknown."""
        made: dict[str, Decimal] = {}
        for line in self._of(run):
            each = get_token_rates(line.provider, line.model, size=line.input, at=line.at)
            if each is None:
                return None
            sorts = {"uncached": each.uncached, "read": each.read, **each.writes}
            for part, counts in line.split.items():
                cost = sum((sorts[sort] * count for sort, count in counts.items()), Decimal(0))
                made[part] = made.get(part, Decimal(0)) + cost
            made["output"] = made.get("output", Decimal(0)) + each.output * line.output
        return made

    def _of(self, run: str | None) -> list[Booked]:
        return [line for line in self.lines if run is None or line.run == run]

    def _use_cache(self, row: Sequence[Prefix], call: BilledCall) -> CacheOutcome:
        provider, model = call.provider, call.model
        can = self.capabilities(provider, model)
        if can.cache == "none":
            return CacheOutcome()
        if can.cache == "explicit":
            explicit = self._explicit.get((provider, model))
            if explicit is None:
                explicit = AnthropicCache(can.cache_minimum)
                self._explicit[provider, model] = explicit
            return explicit.use(row, at=call.at, run=call.run)
        implicit = self._implicit.get((provider, model, call.key))
        if implicit is None:
            implicit = OpenAICache(can.cache == "implicit_paid", can.cache_minimum)
            self._implicit[provider, model, call.key] = implicit
        return implicit.use(row, at=call.at, lifetime=call.lifetime, run=call.run)

    def _count_wasted(self, run: str, blocks: Sequence[CacheBlock], read: int) -> int:
        before = self._sent.get(run, frozenset())
        tokens = wasted = 0
        for block in blocks:
            tokens += block.tokens
            if tokens > read and block.digest in before:
                wasted += block.tokens
        self._sent[run] = frozenset(block.digest for block in blocks)
        return wasted
