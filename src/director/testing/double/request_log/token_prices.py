"""What tokens cost at a provider: genai-prices, when it is installed, asked with plain counts.

A request is priced by the size of its whole input and by the prices of its day. What is not known
costs None, never nothing. This is independent of how the model layer reckons, so that the two can
be compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Rates:
    """What one token of each sort costs within one request."""

    uncached: Decimal
    read: Decimal
    writes: Mapping[str, Decimal]
    output: Decimal


def _calculate_price(
    provider: str, model: str, at: float, counts: Mapping[str, int]
) -> Decimal | None:
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None
    when = datetime.fromtimestamp(at, UTC)
    try:
        found = calc_price(
            Usage(**counts), model, provider_id=provider, genai_request_timestamp=when
        )
    except LookupError:
        return None
    return found.total_price


def compute_token_price(  # noqa: PLR0913  a price has that many factors
    provider: str,
    model: str,
    *,
    uncached: int,
    read: int,
    writes: Mapping[str, int],
    output: int,
    at: float,
) -> Decimal | None:
    """The price of one request in dollars; None when it is not known."""
    written = sum(writes.values())
    counts = {
        "input_tokens": uncached + read + written,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        "output_tokens": output,
    }
    if "1h" in writes:
        counts["cache_write_1h_tokens"] = writes["1h"]
    return _calculate_price(provider, model, at, counts)


def get_token_rates(provider: str, model: str, *, size: int, at: float) -> Rates | None:
    """What each sort of token costs in a request whose input has that size."""
    size = max(size, 1)
    plain = {"input_tokens": size}
    sorts = {
        "uncached": plain,
        "read": plain | {"cache_read_tokens": size},
        "write": plain | {"cache_write_tokens": size},
        "1h": plain | {"cache_write_tokens": size, "cache_write_1h_tokens": size},
        "both": plain | {"output_tokens": size},
    }
    asked = {sort: _calculate_price(provider, model, at, counts) for sort, counts in sorts.items()}
    each = {sort: found / size for sort, found in asked.items() if found is not None}
    if len(each) < len(sorts):
        return None
    writes = {"1h": each["1h"]} | dict.fromkeys(("5m", "30m", "12h"), each["write"])
    return Rates(each["uncached"], each["read"], writes, each["both"] - each["uncached"])
