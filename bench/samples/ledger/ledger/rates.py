"""Exchange rates by day, in millionths, so that nothing is ever a float."""

from bisect import bisect_right
from datetime import date

from ledger.money import Money

SCALE_MILLIONTHS = 1_000_000
CENTRAL_RATES = {
    "USD": [
        (date(2025, 1, 2), 968_054),
        (date(2025, 2, 3), 974_659),
        (date(2025, 3, 3), 953_744),
    ],
    "SEK": [
        (date(2025, 1, 2), 87_413),
        (date(2025, 2, 3), 86_808),
        (date(2025, 3, 3), 90_212),
    ],
    "GBP": [
        (date(2025, 1, 2), 1_204_529),
        (date(2025, 2, 3), 1_200_192),
        (date(2025, 3, 3), 1_211_900),
    ],
}


class NoRate(LookupError):
    """A currency or a day without a rate."""


def rate_on(currency, day):
    """The rate of a day, or the latest before it."""
    try:
        known = CENTRAL_RATES[currency]
    except KeyError:
        raise NoRate(currency) from None
    at = bisect_right([since for since, _ in known], day)
    if at == 0:
        raise NoRate(f"{currency} has no rate before {known[0][0]}")
    return known[at - 1][1]


def to_euro(amount, day):
    """An amount in euro, halves rounded to the even cent."""
    if amount.currency == "EUR":
        return amount
    product = amount.cents * rate_on(amount.currency, day)
    cents, rest = divmod(product, SCALE_MILLIONTHS)
    half = SCALE_MILLIONTHS // 2
    if rest > half or (rest == half and cents % 2):
        cents += 1
    return Money(cents, "EUR")
