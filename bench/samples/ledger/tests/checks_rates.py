from datetime import date

import pytest

from ledger.money import Money
from ledger.rates import NoRate, rate_on, to_euro


def test_a_day_has_its_own_rate():
    assert rate_on("USD", date(2025, 2, 3)) == 974_659


def test_a_missing_day_takes_the_latest_before_it():
    assert rate_on("SEK", date(2025, 2, 27)) == 86_808


def test_a_day_before_all_rates_has_none():
    with pytest.raises(NoRate, match="before"):
        rate_on("GBP", date(2024, 12, 31))


def test_an_unknown_currency_has_none():
    with pytest.raises(NoRate):
        rate_on("XXX", date(2025, 1, 2))


def test_euro_stays_as_it_is():
    assert to_euro(Money(123), date(2025, 1, 1)) == Money(123)


@pytest.mark.parametrize(
    ("cents", "euro"), [(10_000, 9_747), (1, 1), (-10_000, -9_747)]
)
def test_dollars_become_euro(cents, euro):
    assert to_euro(Money(cents, "USD"), date(2025, 2, 3)) == Money(euro)
