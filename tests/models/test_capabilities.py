"""What models can do is data, and the data is looked at before it is believed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from director.models.capabilities import (
    CatalogueError,
    list_models_with_capabilities,
    look_up_capabilities,
    parse_capabilities_catalogue,
    read_capabilities,
    strip_date,
)
from director.models.prices import compute_price
from director.models.values import Usage

AT = datetime(2026, 11, 15, tzinfo=UTC)
NOT_PRICED = {"claude-fable-5-2", "claude-mythos-5-2"}

WINDOWS = {
    "openai:gpt-6-astra": (1_050_000, 922_000, 128_000),
    "openai:gpt-6.1-sol": (1_050_000, 922_000, 128_000),
    "openai:gpt-6.1-terra": (1_050_000, 922_000, 128_000),
    "openai:gpt-6-sol": (1_050_000, 922_000, 128_000),
    "openai:gpt-6-luna": (1_050_000, 922_000, 128_000),
    "openai:gpt-5.6-sol": (1_050_000, 922_000, 128_000),
    "openai:gpt-5.6-terra": (1_050_000, 922_000, 128_000),
    "openai:gpt-5.6-luna": (1_050_000, 922_000, 128_000),
    "openai:gpt-5.5": (1_050_000, 922_000, 128_000),
    "openai:gpt-5.4": (1_050_000, 922_000, 128_000),
    "openai:gpt-5.4-mini": (400_000, 272_000, 128_000),
    "openai:gpt-5.4-nano": (400_000, 272_000, 128_000),
    "openai:o3": (200_000, 200_000, 100_000),
    "openai:gpt-4.1": (1_047_576, 1_047_576, 32_768),
    "openai:gpt-4o": (128_000, 128_000, 16_384),
    "anthropic:claude-fable-5-1": (1_000_000, 1_000_000, 128_000),
    "anthropic:claude-opus-5-5": (1_000_000, 1_000_000, 128_000),
    "anthropic:claude-sonnet-5-5": (1_000_000, 1_000_000, 128_000),
    "anthropic:claude-haiku-5-5": (1_000_000, 1_000_000, 128_000),
    "anthropic:claude-haiku-4-5": (200_000, 200_000, 64_000),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_the_models_of_today_are_known_with_their_windows(name: str) -> None:
    """Each has its window, its largest input and its largest output."""
    can = read_capabilities(*name.split(":"))
    assert can.known
    assert (can.window, can.max_input, can.max_output) == WINDOWS[name]


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("gpt-6.1-terra", "implicit_paid"),
        ("gpt-6-luna", "implicit_paid"),
        ("gpt-5.6-luna", "implicit_paid"),
        ("gpt-5.5", "implicit"),
        ("gpt-5.4-nano", "implicit"),
        ("gpt-4.1", "implicit"),
    ],
)
def test_openai_charges_for_cache_writes_from_5_6_on(model: str, kind: str) -> None:
    """Earlier models write for nothing."""
    assert read_capabilities("openai", model).cache == kind


def test_openai_models_chain_run_in_the_background_count_and_compact() -> None:
    """What the Responses API offers is offered for each of its models."""
    for model in list_models_with_capabilities("openai"):
        can = read_capabilities("openai", model)
        assert (can.form, can.chain) == ("responses", "durable")
        assert can.background
        assert can.token_count
        assert can.server_compaction


def test_reasoning_models_of_openai_take_no_sampling_and_encrypt_their_reasoning() -> None:
    """The others are the other way round."""
    for model in list_models_with_capabilities("openai"):
        can = read_capabilities("openai", model)
        assert can.reasoning == (not model.startswith("gpt-4"))
        assert can.encrypted_reasoning == can.reasoning
        assert can.sampling != can.reasoning


def test_claude_chains_for_five_minutes_and_caches_where_it_is_told_to() -> None:
    """Threads of Anthropic end three hundred seconds after their last use."""
    can = read_capabilities("anthropic", "claude-sonnet-5-5")
    assert (can.chain, can.chain_seconds, can.cache) == ("ephemeral", 300.0, "explicit")
    assert (can.background, can.encrypted_reasoning, can.token_count) == (False, False, True)


@pytest.mark.parametrize("model", ["claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1"])
def test_the_newest_claude_models_cannot_be_forced_to_a_tool(model: str) -> None:
    """Those three refuse a forced tool choice."""
    assert not read_capabilities("anthropic", model).forced_tool_choice


@pytest.mark.parametrize(
    ("model", "new"),
    [
        ("claude-sonnet-5", True),
        ("claude-opus-5-5", True),
        ("claude-haiku-5-5", True),
        ("claude-sonnet-4-6", False),
        ("claude-haiku-4-5", False),
    ],
)
def test_claude_binds_thinking_and_takes_no_sampling_from_5_on(model: str, new: bool) -> None:  # noqa: FBT001
    """Earlier models take sampling parameters and bind nothing."""
    can = read_capabilities("anthropic", model)
    assert (can.binding, can.sampling) == (new, not new)


def test_prefixes_below_a_models_minimum_are_not_cached() -> None:
    """The minimum is the model's own."""
    minimums = {
        "claude-opus-5": 512,
        "claude-fable-5": 512,
        "claude-sonnet-5": 1_024,
        "claude-sonnet-4-5": 1_024,
        "claude-opus-4-8": 1_024,
        "claude-opus-4-7": 2_048,
        "claude-opus-4-6": 4_096,
        "claude-haiku-4-5": 4_096,
    }
    assert {
        model: read_capabilities("anthropic", model).cache_minimum for model in minimums
    } == minimums


@pytest.mark.parametrize(
    "model",
    ["claude-haiku-4-5-20251001", "claude-haiku-4-5@20251001", "claude-haiku-4-5-latest"],
)
def test_a_dated_name_is_its_model(model: str) -> None:
    """A snapshot can do what its model can."""
    assert read_capabilities("anthropic", model) == read_capabilities(
        "anthropic", "claude-haiku-4-5"
    )
    assert strip_date(model) == "claude-haiku-4-5"


def test_a_dated_name_of_openai_is_its_model_and_not_a_longer_one() -> None:
    """The longest name that fits is taken."""
    assert read_capabilities("openai", "gpt-5.4-mini-2026-03-01") == read_capabilities(
        "openai", "gpt-5.4-mini"
    )
    assert read_capabilities("openai", "gpt-5.4-2026-03-01") == read_capabilities(
        "openai", "gpt-5.4"
    )


def test_an_unknown_model_gets_what_its_provider_does_and_is_said_to_be_unknown() -> None:
    """A model of tomorrow works by the newest rules of its family."""
    can = read_capabilities("openai", "gpt-9-nova")
    assert (can.known, can.form, can.chain, can.sampling) == (False, "responses", "durable", False)
    claude = read_capabilities("anthropic", "claude-opus-9")
    assert (claude.known, claude.cache, claude.binding) == (False, "explicit", True)
    other = read_capabilities("anthropic", "qwen3")
    assert (other.known, other.form, other.cache, other.chain) == (
        False,
        "anthropic",
        "none",
        "none",
    )


def test_a_server_of_ones_own_is_trusted_with_nothing() -> None:
    """It chains nothing and caches nothing until a probe says otherwise."""
    for provider, form in (("chat", "chat"), ("responses", "responses")):
        can = read_capabilities(provider, "qwen3")
        assert (can.form, can.chain, can.cache, can.background) == (form, "none", "none", False)


def test_azure_can_what_openai_can_and_chat_can_less() -> None:
    """The same models behind another door."""
    assert read_capabilities("azure", "gpt-5.4") == read_capabilities("openai", "gpt-5.4")
    assert not read_capabilities("azure", "our-deployment").known
    by_chat = read_capabilities("openai-chat", "gpt-4.1")
    assert (by_chat.form, by_chat.chain, by_chat.window) == ("chat", "none", 1_047_576)


def test_an_unknown_provider_is_an_error_that_names_the_known_ones() -> None:
    """Nothing is guessed for it."""
    with pytest.raises(KeyError, match="openai, openai-chat, azure, anthropic"):
        read_capabilities("gemini", "pro")


def test_every_model_of_the_catalogue_has_a_price_but_those_that_nobody_prices() -> None:
    """The list of exceptions is exact: a new price takes its model off it."""
    usage = Usage(uncached=1_000, output=10)
    unpriced = {
        model
        for provider in ("openai", "anthropic")
        for model in list_models_with_capabilities(provider)
        if not compute_price(provider, model, usage, at=AT)[0]
    }
    assert unpriced == NOT_PRICED
    assert compute_price("openai", "gpt-6.1-terra", usage, at=AT)[0] == Decimal("0.00105")


@pytest.mark.parametrize(
    "provider",
    ["openai", "openai-chat", "azure", "anthropic", "chat", "responses", "scripted"],
)
def test_there_are_defaults_for_every_provider(provider: str) -> None:
    """Any model of any of them can be looked up."""
    assert read_capabilities(provider, "anything").window > 0


@pytest.mark.parametrize(
    ("catalogue", "complaint"),
    [
        ([], "an object of providers"),
        ({"x": {}}, "defaults under '\\*'"),
        ({"x": {"*": {"windw": 3}}}, "x/\\*: no capability 'windw'; there are: form, known"),
        ({"x": {"*": {}, "m": {"window": "big"}}}, "x/m: window cannot be 'big'"),
        ({"x": {"*": {"window": True}}}, "x/\\*: window cannot be True"),
        ({"x": {"*": {"window": -1}}}, "window cannot be -1"),
        ({"x": {"*": {"cache": "some"}}}, "cache cannot be 'some'"),
        ({"x": {"*": {"images": 1}}}, "images cannot be 1"),
        ({"x": {"*": {"chain_seconds": "5"}}}, "chain_seconds cannot be '5'"),
        ({"x": {"*": 3}}, "needs an object"),
        ({"x": {"*": {}, "like": {"provider": "y"}}}, "no provider is that"),
    ],
)
def test_a_wrong_catalogue_is_refused_with_the_place(catalogue: object, complaint: str) -> None:
    """Each key and each value is looked at when it is read."""
    with pytest.raises(CatalogueError, match=complaint):
        parse_capabilities_catalogue(json.dumps(catalogue))


def test_a_narrow_pattern_says_more_than_a_wide_one() -> None:
    """Patterns are laid over each other, the longest on top."""
    catalogue = parse_capabilities_catalogue(
        json.dumps(
            {"x": {"*": {"window": 1}, "a*": {"window": 2, "max_output": 9}, "a-b": {"window": 3}}}
        )
    )
    exact = look_up_capabilities(catalogue, "x", "a-b")
    assert (exact.window, exact.max_output, exact.known) == (3, 9, True)
    family = look_up_capabilities(catalogue, "x", "a-c")
    assert (family.window, family.max_output, family.known) == (2, 9, False)
    assert look_up_capabilities(catalogue, "x", "z").window == 1
