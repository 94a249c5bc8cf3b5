"""Amounts in whole cents."""

import re
from dataclasses import dataclass

PATTERN_AMOUNT = re.compile(r"(?P<sign>-?)(?P<whole>\d{1,9})(?:\.(?P<cents>\d{2}))?")


class BadAmount(ValueError):
    """A text that is no amount."""


@dataclass(frozen=True, order=True)
class Money:
    cents: int
    currency: str = "EUR"

    def __add__(self, other):
        self._check_currency(other)
        return Money(self.cents + other.cents, self.currency)

    def __sub__(self, other):
        self._check_currency(other)
        return Money(self.cents - other.cents, self.currency)

    def __neg__(self):
        return Money(-self.cents, self.currency)

    def _check_currency(self, other):
        if self.currency != other.currency:
            raise BadAmount(f"cannot mix {self.currency} and {other.currency}")

    def __str__(self):
        sign = "-" if self.cents < 0 else ""
        whole, cents = divmod(abs(self.cents), 100)
        return f"{sign}{whole}.{cents:02d} {self.currency}"


def parse_money(text, currency="EUR"):
    """Read an amount such as 12.50 or -3."""
    found = PATTERN_AMOUNT.fullmatch(text.strip())
    if not found:
        raise BadAmount(f"not an amount: {text!r}")
    cents = int(found["whole"]) * 100 + int(found["cents"] or 0)
    return Money(-cents if found["sign"] else cents, currency)


def split_evenly(amount, ways):
    """Share an amount; the first shares take the cents left over."""
    if ways < 1:
        raise BadAmount(f"cannot split {ways} ways")
    share, left_over = divmod(amount.cents, ways)
    return [
        Money(share + (1 if at < left_over else 0), amount.currency)
        for at in range(ways)
    ]
