"""What a request costs is known as published, or said to be unknown."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from director.models.prices import compute_price
from director.models.values import Usage

AT = datetime(2026, 11, 15, tzinfo=UTC)
MILLION = 1_000_000
PRICES = {
    "openai:gpt-6-astra": ("10", "1", "12.5", "50"),
    "openai:gpt-6.1-sol": ("2", "0.10", "2.5", "10"),
    "openai:gpt-6.1-terra": ("1", "0.05", "1.25", "5"),
    "openai:gpt-6-sol": ("2", "0.20", "2.5", "10"),
    "openai:gpt-6-luna": ("0.10", "0.01", "0.125", "0.50"),
    "openai:gpt-5.6-sol": ("4", "0.4", "5", "20"),
    "openai:gpt-5.6-terra": ("2", "0.2", "2.5", "12"),
    "openai:gpt-5.6-luna": ("0.2", "0.02", "0.25", "1.2"),
    "openai:gpt-5.5": ("5", "0.5", "5", "30"),
    "openai:gpt-5.4": ("2.5", "0.25", "2.5", "15"),
    "openai:gpt-5.4-mini": ("0.75", "0.075", "0.75", "4.5"),
    "openai:gpt-5.4-nano": ("0.2", "0.02", "0.2", "1.25"),
    "openai:o3": ("2", "0.5", "2", "8"),
    "anthropic:claude-fable-5-1": ("10", "0.25", "12.5", "50"),
    "anthropic:claude-opus-5-5": ("4", "0.20", "5", "20"),
    "anthropic:claude-sonnet-5-5": ("2", "0.10", "2.5", "10"),
    "anthropic:claude-haiku-5-5": ("0.10", "0.01", "0.125", "0.50"),
    "anthropic:claude-haiku-4-5": ("1", "0.1", "1.25", "5"),
}


@pytest.mark.parametrize("name", PRICES)
def test_prices_are_those_that_were_published(name: str) -> None:
    """For input, cached input, a cache write and output, each per million tokens.

    Where writes have no price of their own they cost what input costs.
    """
    provider, model = name.split(":")
    lifetime = "30m" if provider == "openai" else "5m"
    small = 1_000
    parts = (
        Usage(uncached=small),
        Usage(read=small),
        Usage(writes={lifetime: small}),
        Usage(output=small),
    )
    paid = [compute_price(provider, model, part, at=AT) for part in parts]
    expected = [(Decimal(price) * small / MILLION, None) for price in PRICES[name]]
    assert paid == expected


@pytest.mark.parametrize(
    "model", ["claude-fable-5-1", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-4-5"]
)
def test_writes_of_an_hour_cost_twice_the_input(model: str) -> None:
    """Those of five minutes a quarter more than it."""
    plain, _ = compute_price("anthropic", model, Usage(uncached=1_000), at=AT)
    hour, _ = compute_price("anthropic", model, Usage(writes={"1h": 1_000}), at=AT)
    both, _ = compute_price("anthropic", model, Usage(writes={"1h": 1_000, "5m": 1_000}), at=AT)
    assert plain is not None
    assert hour == 2 * plain
    assert both == hour + plain * Decimal("1.25")


def test_a_large_request_to_openai_is_priced_anew_as_a_whole() -> None:
    """Above 272,000 tokens of input: twice for input, half more for output."""
    at_most = Usage(uncached=272_000, output=1_000)
    above = Usage(uncached=172_001, read=100_000, output=1_000)
    assert compute_price("openai", "gpt-6.1-sol", at_most, at=AT)[0] == Decimal("0.554")
    assert compute_price("openai", "gpt-6.1-sol", above, at=AT)[0] == (
        Decimal(172_001 * 4 + 1_000 * 15) / MILLION + Decimal("0.02")
    )


def test_a_large_request_to_haiku_costs_five_times() -> None:
    """Above a hundred thousand."""
    small, _ = compute_price("anthropic", "claude-haiku-5-5", Usage(uncached=100_000), at=AT)
    large, _ = compute_price("anthropic", "claude-haiku-5-5", Usage(uncached=100_001), at=AT)
    assert small == Decimal("0.01")
    assert large == Decimal("0.0500005")


def test_a_price_is_the_one_of_its_day() -> None:
    """A call in July is paid at the price of July, by a date or by a clock."""
    july = datetime(2026, 7, 1, tzinfo=UTC)
    usage = Usage(uncached=100_000)
    assert compute_price("openai", "gpt-5.6-terra", usage, at=july)[0] == Decimal("0.25")
    assert compute_price("openai", "gpt-5.6-terra", usage, at=july.timestamp())[0] == Decimal(
        "0.25"
    )
    assert compute_price("openai", "gpt-5.6-terra", usage, at=july.replace(tzinfo=None))[
        0
    ] == Decimal("0.25")
    assert compute_price("openai", "gpt-5.6-terra", usage)[0] == Decimal("0.2")


@pytest.mark.parametrize(
    ("provider", "model", "tier", "factor"),
    [
        ("openai", "gpt-6.1-terra", "flex", "0.5"),
        ("openai", "gpt-6.1-terra", "priority", "2"),
        ("openai", "gpt-6.1-terra", "fast", "2"),
        ("openai", "gpt-6.1-terra", "default", "1"),
        ("openai", "gpt-5.5", "priority", "2.5"),
        ("openai", "gpt-6.1-terra", "batch", "0.5"),
        ("anthropic", "claude-sonnet-5-5", "standard", "1"),
        ("anthropic", "claude-sonnet-5-5", "batch", "0.5"),
    ],
)
def test_a_tier_has_its_price(provider: str, model: str, tier: str, factor: str) -> None:
    """As it is published for the model."""
    usage = Usage(uncached=1_000, output=100)
    plain, _ = compute_price(provider, model, usage, at=AT)
    assert plain is not None
    assert compute_price(provider, model, usage, tier=tier, at=AT) == (
        plain * Decimal(factor),
        None,
    )


@pytest.mark.parametrize(
    ("provider", "model", "tier", "writes"),
    [
        ("openai", "gpt-9", "", {}),
        ("anthropic", "claude-fable-5-2", "", {}),
        ("azure", "our-deployment", "", {}),
        ("chat", "qwen3", "", {}),
        ("responses", "gpt-5.4", "", {}),
        ("openai", "gpt-6.1-terra", "ultrafast", {}),
        ("anthropic", "claude-sonnet-5-5", "priority", {}),
        ("azure", "gpt-5.4", "flex", {}),
        ("openai", "gpt-6.1-sol", "", {"12h": 5}),
        ("openai", "gpt-6.1-sol", "", {"2d": 5}),
        ("anthropic", "claude-2", "", {"1h": 5}),
    ],
)
def test_a_price_that_is_not_known_is_none_with_a_reason(
    provider: str, model: str, tier: str, writes: Mapping[str, int]
) -> None:
    """Never zero, and never that of another tier."""
    price, warning = compute_price(provider, model, Usage(1_000, writes=writes), tier=tier, at=AT)
    assert price is None
    assert warning is not None
    assert warning.startswith("The cost is unknown")


def test_writes_of_twelve_hours_cost_what_was_published_for_terra() -> None:
    """Two dollars fifty per million, and twice that in a large request."""
    small = Usage(writes={"12h": 1_000})
    large = Usage(uncached=300_000, writes={"12h": 1_000})
    assert compute_price("openai", "gpt-6.1-terra", small, at=AT)[0] == Decimal("0.0025")
    assert compute_price("openai", "gpt-6.1-terra", large, at=AT)[0] == Decimal("0.605")


def test_a_dated_name_has_the_price_of_its_model() -> None:
    """Even of a date that the price list has not heard of."""
    usage = Usage(uncached=1_000)
    assert compute_price("openai", "gpt-5.5-2026-09-09", usage, at=AT) == compute_price(
        "openai", "gpt-5.5", usage, at=AT
    )


def test_azure_and_chat_have_the_prices_of_openai() -> None:
    """The same models."""
    usage = Usage(uncached=1_000)
    prices = {compute_price(provider, "gpt-5.4", usage, at=AT) for provider in ("openai", "azure")}
    prices.add(compute_price("openai-chat", "gpt-5.4", usage, at=AT))
    assert prices == {(Decimal("0.0025"), None)}


def test_a_script_costs_nothing() -> None:
    """Which is known."""
    assert compute_price("scripted", "play.json", Usage(uncached=5)) == (Decimal(0), None)


def test_without_the_price_list_nothing_has_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra; the reason says which."""
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    price, warning = compute_price("openai", "gpt-5.4", Usage(uncached=5), at=AT)
    assert price is None
    assert warning == "The cost is unknown: genai-prices is not installed."
