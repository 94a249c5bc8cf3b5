"""The double's books: what is read from a cache, what is written, why it was missed, and the bill."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from director.models.capabilities import read_capabilities
from director.testing.double.request_log.block import (
    OVERHEAD,
    CacheBlock,
    Part,
    count_all_block_units,
    count_block_units,
)
from director.testing.double.request_log.token_prices import compute_token_price
from director.testing.double.request_log.usage_log import BilledCall, Booked, RequestLog

AT = datetime(2026, 11, 15, tzinfo=UTC).timestamp()
PAID, FREE, SONNET, HAIKU = "gpt-6.1-terra", "gpt-5.4", "claude-sonnet-5-5", "claude-haiku-4-5"
MILLION = 1_000_000


def block(tokens: int, name: str, part: Part = "history", mark: str = "") -> CacheBlock:
    """A block of so many tokens, whose text is its own."""
    return CacheBlock(part, name.ljust((tokens - OVERHEAD) * 4, "."), mark)


def openai(books: RequestLog, *blocks: CacheBlock, at: float = AT, **more: str) -> Booked:
    """Book a request to an OpenAI model."""
    columns = {"run": "r", "model": PAID, "key": "", "lifetime": ""} | more
    return books.book(
        BilledCall(
            exchange=1, provider="openai", at=at, blocks=blocks, output=10, reasoning=4, **columns
        )
    )


def claude(books: RequestLog, *blocks: CacheBlock, at: float = AT, model: str = SONNET) -> Booked:
    """Book a request to an Anthropic model."""
    return books.book(
        BilledCall(
            exchange=1, run="r", provider="anthropic", model=model, at=at, blocks=blocks, output=10
        )
    )


SYSTEM = block(1_000, "system", "instructions")
TOOL = block(500, "tool", "tools")
FIRST = block(2_000, "first")
SECOND = block(300, "second", "new")


def test_a_token_is_four_bytes_rounded_up() -> None:
    """The unit is bytes of UTF-8, so that it is the same everywhere."""
    assert [count_block_units(text) for text in ("", "a", "abcd", "abcde", "éé", "ééé")] == [
        0,
        1,
        1,
        2,
        1,
        2,
    ]
    assert block(50, "x").tokens == 50
    assert count_all_block_units([SYSTEM, TOOL]) == 1_500


def test_a_line_counts_each_part() -> None:
    """The parts of a line add up to its input."""
    line = openai(RequestLog(), TOOL, SYSTEM, FIRST, SECOND)
    assert line.parts == {"tools": 500, "instructions": 1_000, "history": 2_000, "new": 300}
    assert line.input == 3_800


def test_what_a_paid_cache_lacks_is_written() -> None:
    """A first request writes all; the next reads that and writes what is new."""
    books = RequestLog()
    first = openai(books, TOOL, SYSTEM)
    assert (first.read, first.writes, first.uncached, first.miss) == (0, {"30m": 1_500}, 0, "")
    second = openai(books, TOOL, SYSTEM, FIRST)
    assert (second.read, second.writes, second.uncached) == (1_500, {"30m": 2_000}, 0)
    again = openai(books, TOOL, SYSTEM, FIRST)
    assert (again.read, again.writes, again.uncached) == (3_500, {}, 0)


def test_a_free_cache_reads_the_same_and_bills_no_writes() -> None:
    """Older models bill what they write as plain input."""
    books = RequestLog()
    assert openai(books, TOOL, SYSTEM, model=FREE).uncached == 1_500
    line = openai(books, TOOL, SYSTEM, FIRST, model=FREE)
    assert (line.read, line.writes, line.uncached) == (1_500, {}, 2_000)


def test_a_short_prefix_is_not_cached() -> None:
    """Below 1,024 tokens nothing is kept, and the line says why."""
    books = RequestLog()
    openai(books, SYSTEM)
    line = openai(books, SYSTEM)
    assert (line.read, line.writes, line.uncached, line.miss) == (0, {}, 1_000, "too_short")
    assert openai(books, SYSTEM, block(24, "x")).writes == {"30m": 1_024}


def test_a_prefix_is_shared_up_to_the_block_that_differs() -> None:
    """Whole blocks are read, in order, and none after the first that changed."""
    books = RequestLog()
    openai(books, FIRST, SECOND, TOOL)
    line = openai(books, FIRST, block(300, "other"), TOOL)
    assert (line.read, line.miss) == (2_000, "input_changed")


def test_moving_from_new_to_history_changes_nothing() -> None:
    """A block's part is ours; the cache sees its text."""
    books = RequestLog()
    openai(books, FIRST, SECOND)
    assert openai(books, FIRST, replace(SECOND, part="history")).read == 2_300


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ((block(500, "other", "tools"), SYSTEM, FIRST), "tools_changed"),
        ((SYSTEM, FIRST), "tools_changed"),
        ((TOOL, block(400, "more", "tools"), SYSTEM, FIRST), "tools_changed"),
        ((TOOL, block(1_000, "other", "instructions"), FIRST), "instructions_changed"),
        ((TOOL, FIRST), "instructions_changed"),
        ((TOOL, SYSTEM, block(2_000, "other")), "input_changed"),
        ((TOOL, SYSTEM, FIRST, SECOND), ""),
        ((TOOL, SYSTEM), ""),
    ],
)
def test_a_miss_names_what_changed_first(changed: tuple[CacheBlock, ...], reason: str) -> None:
    """The part of the first block that differs from the request before is the reason."""
    books = RequestLog()
    openai(books, TOOL, SYSTEM, FIRST)
    assert openai(books, *changed).miss == reason


@pytest.mark.parametrize(("lifetime", "seconds"), [("", 1_800), ("30m", 1_800), ("12h", 43_200)])
def test_a_prefix_dies_after_its_lifetime(lifetime: str, seconds: int) -> None:
    """An entry can be read until its time is over."""
    for passed, read, miss in ((seconds - 1, 2_000, ""), (seconds, 0, "expired")):
        books = RequestLog()
        openai(books, FIRST, lifetime=lifetime)
        line = openai(books, FIRST, at=AT + passed, lifetime=lifetime)
        assert (line.read, line.miss) == (read, miss)


def test_use_keeps_a_prefix_alive() -> None:
    """Every use starts the lifetime anew, and a longer prefix keeps a shorter one alive."""
    books = RequestLog()
    openai(books, FIRST)
    assert openai(books, FIRST, SECOND, at=AT + 1_500).read == 2_000
    assert openai(books, FIRST, at=AT + 3_000).read == 2_000


def test_a_long_lifetime_is_not_cut_short_by_a_shorter_one() -> None:
    """What was kept for 12 hours stays so when it is used with the default."""
    books = RequestLog()
    assert openai(books, FIRST, lifetime="12h").writes == {"12h": 2_000}
    openai(books, FIRST, at=AT + 60)
    assert openai(books, FIRST, at=AT + 40_000).read == 2_000


@pytest.mark.parametrize("other", [{"key": "k"}, {"model": "gpt-6-astra"}])
def test_caches_are_apart_by_key_and_model(other: dict[str, str]) -> None:
    """Another key or model finds nothing; another run does."""
    books = RequestLog()
    openai(books, FIRST)
    assert openai(books, FIRST, **other).read == 0
    assert openai(books, FIRST, run="another").read == 2_000


def test_without_marks_an_explicit_cache_keeps_nothing() -> None:
    """Anthropic caches only what it is told to."""
    books = RequestLog()
    claude(books, FIRST)
    line = claude(books, FIRST)
    assert (line.read, line.writes, line.uncached, line.miss) == (0, {}, 2_000, "")


def test_a_mark_writes_up_to_itself() -> None:
    """What stands after the last mark is plain input; the next request reads up to the mark."""
    books = RequestLog()
    marked = block(2_000, "first", mark="5m")
    line = claude(books, SYSTEM, marked, SECOND)
    assert (line.read, line.writes, line.uncached) == (0, {"5m": 3_000}, 300)
    line = claude(books, SYSTEM, FIRST, block(300, "second", mark="5m"))
    assert (line.read, line.writes, line.uncached) == (3_000, {"5m": 300}, 0)


def test_each_mark_writes_for_its_own_lifetime() -> None:
    """From the point read to the last mark for an hour, then to the last mark for five minutes."""
    books = RequestLog()
    hour, five = block(1_500, "system", "instructions", "1h"), block(2_000, "first", mark="5m")
    line = claude(books, hour, five, SECOND)
    assert line.writes == {"1h": 1_500, "5m": 2_000}
    assert line.uncached == 300
    later = claude(books, hour, five, at=AT + 301)
    assert (later.read, later.writes, later.miss) == (1_500, {"5m": 2_000}, "expired")
    assert claude(books, hour, five, at=AT + 301 + 3_600).read == 0


@pytest.mark.parametrize(("model", "minimum"), [(HAIKU, 4_096), ("claude-opus-4-8", 1_024)])
def test_below_the_models_minimum_a_mark_is_ignored(model: str, minimum: int) -> None:
    """Nothing is cached and nothing is said; the tokens go to the next mark that is far enough."""
    assert read_capabilities("anthropic", model).cache_minimum == minimum
    books = RequestLog()
    small = block(minimum - 1, "s", mark="5m")
    line = claude(books, small, model=model)
    assert (line.writes, line.uncached, line.miss) == ({}, minimum - 1, "too_short")
    rest = block(10, "t", mark="5m")
    assert claude(books, small, rest, model=model).writes == {"5m": minimum + 9}
    assert claude(books, small, model=model).read == 0


@pytest.mark.parametrize(("between", "read"), [(18, 2_000), (19, 0)])
def test_a_mark_looks_back_twenty_blocks(between: int, read: int) -> None:
    """The mark's own block is the first of the twenty."""
    books = RequestLog()
    claude(books, block(2_000, "first", mark="5m"))
    small = [block(5, str(number)) for number in range(between)]
    line = claude(books, FIRST, *small, block(5, "end", mark="5m"))
    assert line.read == read
    assert line.miss == ("" if read else "out_of_reach")


def test_a_second_mark_reaches_what_the_last_cannot() -> None:
    """Every mark looks back from its own place."""
    books = RequestLog()
    first = block(2_000, "first", mark="5m")
    claude(books, first)
    small = [block(5, str(number)) for number in range(30)]
    assert claude(books, first, *small, block(5, "end", mark="5m")).read == 2_000


def test_use_keeps_an_explicit_entry_alive() -> None:
    """Five minutes start anew with every use."""
    books = RequestLog()
    marked = block(2_000, "first", mark="5m")
    for passed in (0, 299, 598):
        line = claude(books, marked, at=AT + passed)
    assert line.read == 2_000
    assert claude(books, marked, at=AT + 898).miss == "expired"


def test_a_changed_prefix_is_written_anew() -> None:
    """A change before the mark invalidates all after it, and is named."""
    books = RequestLog()
    marked = block(2_000, "first", mark="5m")
    claude(books, TOOL, SYSTEM, marked)
    line = claude(books, TOOL, block(1_000, "other", "instructions"), marked)
    assert (line.read, line.writes, line.miss) == (0, {"5m": 3_500}, "instructions_changed")


def test_a_local_server_has_no_cache_and_no_price() -> None:
    """A provider that nobody knows costs None, never nothing."""
    books = RequestLog()
    line = books.book(
        BilledCall(exchange=1, run="", provider="vllm", model="x", at=AT, blocks=[FIRST], output=1)
    )
    assert (line.uncached, line.cost, line.miss) == (2_000, None, "")
    assert books.totals().cost is None
    assert books.cost_by_part() is None


PRICES = {
    "gpt-6.1-terra": ("1", "0.05", "1.25", "1.25", "5"),
    "gpt-6-astra": ("10", "1", "12.5", "12.5", "50"),
    "gpt-5.4": ("2.5", "0.25", "2.5", "2.5", "15"),
    "claude-sonnet-5-5": ("2", "0.10", "2.5", "4", "10"),
    "claude-opus-5-5": ("4", "0.20", "5", "8", "20"),
    "claude-haiku-5-5": ("0.10", "0.01", "0.125", "0.2", "0.50"),
    "claude-haiku-4-5": ("1", "0.1", "1.25", "2", "5"),
}
TIERS = {
    "gpt-6.1-terra": (272_000, "2", "1.5"),
    "gpt-6-astra": (272_000, "2", "1.5"),
    "gpt-5.4": (272_000, "2", "1.5"),
    "claude-haiku-5-5": (100_000, "5", "5"),
}


def cost(model: str, sort: str, tokens: int, at: float = AT) -> Decimal | None:
    """The price of so many tokens of one sort."""
    provider = "anthropic" if model.startswith("claude") else "openai"
    counts = {"uncached": 0, "read": 0, "output": 0} | (
        {sort: tokens} if sort in ("uncached", "read", "output") else {}
    )
    writes = {} if sort in counts else {sort: tokens}
    return compute_token_price(provider, model, writes=writes, at=at, **counts)


@pytest.mark.parametrize("model", PRICES)
def test_prices_are_those_of_the_vendors_pages(model: str) -> None:
    """Input, reads, both sorts of writes and output, in dollars for a million tokens."""
    short = "5m" if model.startswith("claude") else "30m"
    long = "1h" if model.startswith("claude") else "12h"
    sorts = ("uncached", "read", short, long, "output")
    found = {sort: cost(model, sort, 10_000) for sort in sorts}
    expected = dict(zip(sorts, map(Decimal, PRICES[model]), strict=True))
    assert found == {sort: each / 100 for sort, each in expected.items()}


@pytest.mark.parametrize("model", TIERS)
def test_a_large_input_reprices_the_whole_request(model: str) -> None:
    """One token over the limit, and all tokens cost more, those of the output too."""
    limit, factor, out = TIERS[model]
    rate, output = Decimal(PRICES[model][0]) / MILLION, Decimal(PRICES[model][4]) / MILLION
    provider = "anthropic" if model.startswith("claude") else "openai"
    for size, more, out_more in ((limit, "1", "1"), (limit + 1, factor, out)):
        found = compute_token_price(
            provider, model, uncached=size, read=0, writes={}, output=100, at=AT
        )
        assert found == rate * Decimal(more) * size + output * Decimal(out_more) * 100


@pytest.mark.parametrize("model", PRICES)
def test_reads_and_writes_count_towards_the_size_of_a_request(model: str) -> None:
    """The tier goes by all of the input, however it is billed."""
    provider = "anthropic" if model.startswith("claude") else "openai"
    factor = Decimal(TIERS[model][1]) if model in TIERS else Decimal(1)
    uncached, read, write = (Decimal(each) / MILLION for each in PRICES[model][:3])
    short = "5m" if provider == "anthropic" else "30m"
    found = compute_token_price(
        provider, model, uncached=1_000, read=200_000, writes={short: 100_000}, output=0, at=AT
    )
    assert found == factor * (uncached * 1_000 + read * 200_000 + write * 100_000)


def test_a_price_is_that_of_its_day() -> None:
    """gpt-5.6-sol became cheaper on 2026-08-21."""
    july = datetime(2026, 8, 1, tzinfo=UTC).timestamp()
    now = cost("gpt-5.6-sol", "uncached", 10_000)
    before = cost("gpt-5.6-sol", "uncached", 10_000, july)
    assert now == Decimal(4) / 100
    assert before is not None
    assert before > now


def test_an_unknown_model_has_no_price() -> None:
    """It is None, and the sum with it."""
    assert (
        compute_token_price("openai", "no-such", uncached=1, read=0, writes={}, output=0, at=AT)
        is None
    )


def test_without_genai_prices_nothing_has_a_price() -> None:
    """The double works where the extra is not installed."""
    program = (
        "import sys; sys.modules['genai_prices'] = None\n"
        "from director.testing.double.request_log.token_prices import compute_token_price\n"
        "print(compute_token_price('openai', 'gpt-5.4', uncached=1, read=0, writes={}, output=0, at=1.8e9))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert ran.stdout.split() == [b"None"]


@pytest.mark.parametrize("model", [PAID, FREE])
def test_the_cost_of_the_parts_adds_up_to_the_bill(model: str) -> None:
    """Every token is billed once, in the part it stands in."""
    books = RequestLog()
    large = block(300_000, "large")
    for row in ((TOOL, SYSTEM, FIRST), (TOOL, SYSTEM, FIRST, SECOND), (TOOL, SYSTEM, large)):
        openai(books, *row, model=model)
    parts = books.cost_by_part()
    assert parts is not None
    assert set(parts) == {"tools", "instructions", "history", "new", "output"}
    assert sum(parts.values()) == books.totals().cost


def test_the_cost_of_marked_parts_adds_up_too() -> None:
    """Both lifetimes have their own rate."""
    books = RequestLog()
    hour, five = block(1_500, "system", "instructions", "1h"), block(2_000, "first", mark="5m")
    claude(books, hour, five, SECOND)
    claude(books, hour, five, SECOND, at=AT + 301)
    parts = books.cost_by_part("r")
    assert parts is not None
    assert sum(parts.values()) == books.totals("r").cost


def test_queries_sum_up_all_lines_or_one_run() -> None:
    """Totals and hit rate are of all runs unless one is named."""
    books = RequestLog()
    openai(books, FIRST, run="a")
    openai(books, FIRST, SECOND, run="a")
    openai(books, SYSTEM, run="b")
    totals = books.totals("a")
    assert (totals.requests, totals.read, totals.writes) == (2, 2_000, {"30m": 2_300})
    assert (totals.input, totals.output, totals.reasoning) == (4_300, 20, 8)
    assert books.totals().requests == 3
    assert books.hit_rate("a") == pytest.approx(2_000 / 4_300)
    assert books.hit_rate("none") == 0.0
    assert RequestLog().totals().cost == 0


def test_what_is_sent_again_uncached_is_waste() -> None:
    """Changed instructions make all that follows be paid again, though it is unchanged."""
    books = RequestLog()
    openai(books, SYSTEM, FIRST)
    assert openai(books, SYSTEM, FIRST, SECOND).wasted == 0
    openai(books, block(1_000, "other", "instructions"), FIRST, SECOND)
    assert sum(line.wasted for line in books.lines) == 2_300


def test_a_long_run_pays_each_turn_once() -> None:
    """A history that only grows is written once and read ever after."""
    books = RequestLog()
    blocks = [block(1_000, f"turn {number}") for number in range(200)]
    for number in range(1, 200):
        line = openai(books, *blocks[:number])
    assert line.read == 198_000
    assert books.totals().writes == {"30m": 199_000}
