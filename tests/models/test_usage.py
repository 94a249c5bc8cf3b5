"""Usage has one form for all providers; what was not reported is unknown, not zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.models import usage as usages
from director.models.prices import compute_price
from director.models.usage import (
    MISSING,
    NO_CACHE,
    NO_REASONING,
    add_all_usages,
    add_usage,
    read_anthropic_usage,
    read_chat_usage,
    read_responses_usage,
)
from director.models.values import Usage

AT = datetime(2026, 11, 15, tzinfo=UTC)
READERS = (read_responses_usage, read_chat_usage, read_anthropic_usage)


def test_cached_and_written_tokens_of_openai_are_inside_its_input() -> None:
    """They are taken out, each to its own column."""
    body = {
        "usage": {
            "input_tokens": 1_000,
            "input_tokens_details": {"cached_tokens": 600, "cache_write_tokens": 300},
            "output_tokens": 50,
            "output_tokens_details": {"reasoning_tokens": 20},
            "total_tokens": 1_050,
        }
    }
    usage, warnings = read_responses_usage(body)
    assert usage == Usage(100, 600, {"30m": 300}, 50, 20)
    assert usage.input == 1_000
    assert warnings == ()


def test_writes_of_openai_are_told_apart_by_their_lifetime() -> None:
    """Half an hour, unless the details say twelve."""
    details = {
        "cached_tokens": 0,
        "cache_write_tokens": 300,
        "cache_write_tokens_details": {"ttl_12h_tokens": 200, "ttl_30m_tokens": 100},
    }
    body = {
        "usage": {
            "input_tokens": 1_000,
            "input_tokens_details": details,
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
        }
    }
    usage, _ = read_responses_usage(body)
    assert usage == Usage(700, 0, {"30m": 100, "12h": 200}, 1, 0)


def test_chat_has_other_words_for_the_same() -> None:
    """Prompt and completion."""
    body = {
        "usage": {
            "prompt_tokens": 1_000,
            "prompt_tokens_details": {"cached_tokens": 600, "cache_write_tokens": None},
            "completion_tokens": 50,
            "completion_tokens_details": {"reasoning_tokens": 20},
        }
    }
    assert read_chat_usage(body) == (Usage(400, 600, {}, 50, 20), ())


def test_cached_tokens_of_anthropic_are_beside_its_input() -> None:
    """All three make the input, and writes have their lifetimes."""
    body = {
        "model": "claude-sonnet-5-5",
        "usage": {
            "input_tokens": 100,
            "cache_creation_input_tokens": 300,
            "cache_read_input_tokens": 600,
            "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 200},
            "output_tokens": 50,
            "output_tokens_details": {"thinking_tokens": 20},
        },
    }
    usage, warnings = read_anthropic_usage(body)
    assert usage == Usage(100, 600, {"5m": 100, "1h": 200}, 50, 20)
    assert usage.input == 1_000
    assert warnings == ()


def test_writes_of_anthropic_without_their_lifetimes_are_of_five_minutes() -> None:
    """Which is the default."""
    usage, _ = read_anthropic_usage(
        {
            "usage": {
                "input_tokens": 1,
                "cache_creation_input_tokens": 300,
                "cache_read_input_tokens": 0,
                "output_tokens": 5,
            }
        }
    )
    assert usage is not None
    assert usage.writes == {"5m": 300}


def compacted() -> dict[str, object]:
    """A response during which the server compacted: its top level says little of it."""
    return {
        "model": "claude-opus-5-5",
        "usage": {
            "input_tokens": 229,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 40,
            "output_tokens_details": {"thinking_tokens": 7},
            "iterations": [
                {
                    "type": "compaction",
                    "input_tokens": 3,
                    "cache_creation_input_tokens": 55_096,
                    "cache_read_input_tokens": 0,
                    "cache_creation": {
                        "ephemeral_5m_input_tokens": 55_096,
                        "ephemeral_1h_input_tokens": 0,
                    },
                    "output_tokens": 800,
                },
                {
                    "type": "message",
                    "input_tokens": 229,
                    "cache_creation_input_tokens": 0,
                    "cache_read_input_tokens": 0,
                    "output_tokens": 40,
                },
            ],
        },
    }


def test_a_compaction_of_anthropic_is_counted() -> None:
    """It is only in the iterations, and it is most of the cost."""
    usage, warnings = read_anthropic_usage(compacted())
    assert usage == Usage(232, 0, {"5m": 55_096}, 840, 7)
    assert warnings == ()
    assert compute_price("anthropic", "claude-opus-5-5", usage, at=AT)[0] == Decimal("0.293208")


def test_each_iteration_can_be_had_by_itself() -> None:
    """Prices by the size of a request go by these."""
    first, second = usages.list_usage_iterations(compacted())
    assert (first.input, second.input) == (55_099, 229)


def test_an_iteration_of_another_model_is_warned_of() -> None:
    """It has another price."""
    body = compacted()
    usage = body["usage"]
    assert isinstance(usage, dict)
    usage["iterations"][1]["model"] = "claude-haiku-5-5"
    _, warnings = read_anthropic_usage(body)
    assert any("claude-haiku-5-5" in warning for warning in warnings)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"usage": None},
        {"usage": {}},
        {"usage": {"input_tokens": None, "prompt_tokens": None}},
        {"usage": {"input_tokens": "7", "output_tokens": True}},
        {"usage": {"input_tokens": -1, "output_tokens": 1}},
    ],
)
def test_usage_that_was_not_reported_is_unknown(
    reader: Callable[[Mapping[str, object]], usages.Reported], body: Mapping[str, object]
) -> None:
    """Not zero."""
    assert reader(body) == (None, (MISSING,))


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        (read_responses_usage, {"input_tokens": 7, "output_tokens": 3}),
        (read_chat_usage, {"prompt_tokens": 7, "completion_tokens": 3}),
        (read_anthropic_usage, {"input_tokens": 7, "output_tokens": 3}),
    ],
)
def test_details_that_were_not_reported_are_unknown(
    reader: Callable[[Mapping[str, object]], usages.Reported], said: Mapping[str, int]
) -> None:
    """Older servers leave them out."""
    usage, warnings = reader({"usage": said})
    assert usage == Usage(7, 0, {}, 3, None)
    assert set(warnings) == {NO_CACHE, NO_REASONING}
    assert all("unknown, not zero" in warning for warning in warnings)


def test_more_cached_than_input_is_warned_of() -> None:
    """Nothing becomes negative."""
    body = {
        "usage": {
            "input_tokens": 5,
            "input_tokens_details": {"cached_tokens": 9},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
        }
    }
    usage, warnings = read_responses_usage(body)
    assert usage is not None
    assert usage.uncached == 0
    assert warnings == (usages.TOO_MANY,)


counts = st.integers(0, 10**9)
some_usages = st.builds(
    Usage,
    uncached=counts,
    read=counts,
    writes=st.dictionaries(st.sampled_from(["5m", "30m", "1h", "12h"]), counts),
    output=counts,
    reasoning=st.none() | counts,
)


@given(some_usages, some_usages, some_usages)
def test_usages_add_up(a: Usage, b: Usage, c: Usage) -> None:
    """In any order, losing nothing; what one does not know the sum does not."""
    assert add_usage(a, b) == add_usage(b, a)
    assert (
        add_usage(add_usage(a, b), c) == add_all_usages([a, b, c]) == add_usage(a, add_usage(b, c))
    )
    assert add_usage(a, b).input == a.input + b.input
    assert (add_usage(a, b).reasoning is None) == (a.reasoning is None or b.reasoning is None)
