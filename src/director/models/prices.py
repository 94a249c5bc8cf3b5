"""What a request cost, by the prices of genai-prices and what those leave out.

A price that is not known is `None` with a reason, never zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from director.models.capabilities import strip_date
from director.models.values import Usage

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation, TieredPrices

Priced: TypeAlias = tuple[Decimal | None, str | None]

_SELLERS = MappingProxyType(
    {"openai": "openai", "openai-chat": "openai", "azure": "azure", "anthropic": "anthropic"}
)
_STANDARD = ("", "auto", "default", "standard")
_TIERS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "flex": {"service_tier": "flex"},
        "fast": {"service_tier": "fast"},
        "priority": {"service_tier": "priority"},
        "batch": {"processing": "batch"},
    }
)
_WRITES = ("5m", "30m", "1h", "12h")
_LONG_WRITES = MappingProxyType({"gpt-6.1-terra": Decimal(2)})
"""What a write for 12 hours costs, in writes for 30 minutes."""


class _Unknown(Exception):
    """Says what there is no price for."""


def compute_price(
    provider: str, model: str, usage: Usage, *, tier: str = "", at: datetime | float | None = None
) -> Priced:
    """The price of a usage in dollars, or `None` and why it is not known.

    `tier` is the one that the provider says it used; `at` is when (a date, or seconds since the
    epoch; without it, now), for prices change.
    """
    try:
        return _cost(provider, model, usage, tier, _when(at))
    except ImportError:
        return None, "The cost is unknown: genai-prices is not installed."
    except _Unknown as what:
        return None, f"The cost is unknown: there is no price for {what}."


def find_price_threshold(provider: str, model: str) -> int | None:
    """The size in tokens above which each token of a request costs more, if there is one."""
    try:
        found = _calculate(_SELLERS[provider], model, Usage(uncached=1), {}, _when(None))
    except (ImportError, LookupError, ValueError):
        return None
    rate = found.model_price.input_mtok
    starts = () if rate is None or isinstance(rate, Decimal) else [one.start for one in rate.tiers]
    return min(starts, default=None)


def _when(at: datetime | float | None) -> datetime:
    if at is None:
        return datetime.now(tz=UTC)
    if not isinstance(at, datetime):
        return datetime.fromtimestamp(at, tz=UTC)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _cost(provider: str, model: str, usage: Usage, tier: str, when: datetime) -> Priced:
    if provider == "scripted":
        return Decimal(0), None
    if provider not in _SELLERS:
        raise _Unknown(f"{provider}:{model}, a server that sells nothing")
    if strange := [lifetime for lifetime in usage.writes if lifetime not in _WRITES]:
        raise _Unknown(f"cache writes of {', '.join(strange)}")
    if tier not in _STANDARD and tier not in _TIERS:
        raise _Unknown(f"the tier {tier!r}")
    try:
        found = _calculate(_SELLERS[provider], model, usage, _TIERS.get(tier, {}), when)
    except (LookupError, ValueError):
        raise _Unknown(f"{provider}:{model}") from None
    if tier in _TIERS and not _has_tier(found, _TIERS[tier], when):
        raise _Unknown(f"{model} in the tier {tier!r}")
    return found.total_price + _for_long_writes(found, model, usage), None


def _calculate(
    seller: str, model: str, usage: Usage, context: Mapping[str, str], when: datetime
) -> PriceCalculation:
    """The calculation for a model, by its dated name if that has a price and by its bare one."""
    from genai_prices import Usage as Counted
    from genai_prices import calc_price

    counted = Counted(
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.read,
        cache_write_tokens=sum(usage.writes.values()),
        cache_write_1h_tokens=usage.writes.get("1h", 0),
    )
    for name in (model, strip_date(model)):
        try:
            return calc_price(
                counted,
                name,
                provider_id=seller,
                genai_request_timestamp=when,
                price_context=context or None,
            )
        except LookupError:
            continue
    raise LookupError(model)


def _has_tier(found: PriceCalculation, context: Mapping[str, str], when: datetime) -> bool:
    """Whether a tier's price was really applied; otherwise the standard one was, silently."""
    if not any(found.model is model for model in found.provider.models):
        return False
    return any(
        variant.when == context and (variant.constraint is None or variant.constraint.active(when))
        for variant in found.model.price_variants or ()
    )


def _for_long_writes(found: PriceCalculation, model: str, usage: Usage) -> Decimal:
    """What writes of long life cost more than was reckoned."""
    if usage.writes.get("1h") and found.model_price.cache_write_1h_mtok is None:
        raise _Unknown(f"cache writes of 1h by {model}")
    long = usage.writes.get("12h", 0)
    times = _LONG_WRITES.get(strip_date(model))
    rate = found.model_price.cache_write_mtok
    if long and (times is None or rate is None):
        raise _Unknown(f"cache writes of 12h by {model}")
    if not long or times is None or rate is None:
        return Decimal(0)
    return _rate(rate, usage.input) * (times - 1) * long / 1_000_000


def _rate(price: Decimal | TieredPrices, size: int) -> Decimal:
    """The rate for a request of this size."""
    if isinstance(price, Decimal):
        return price
    reached = [tier.price for tier in price.tiers if size > tier.start]
    return reached[-1] if reached else price.base
