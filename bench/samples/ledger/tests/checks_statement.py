from datetime import date
from pathlib import Path

from ledger.statement import (
    balance,
    entries_of_month,
    month_bounds,
    running_balance,
    totals_by_account,
)
from ledger.store import read_entries

ENTRIES = read_entries(Path("books.csv").read_text())


def test_a_month_ends_with_its_last_day():
    assert month_bounds("2024-02") == (date(2024, 2, 1), date(2024, 2, 29))


def test_the_last_day_belongs_to_its_month():
    days = [entry.day for entry in entries_of_month(ENTRIES, "2025-01")]
    assert days == [date(2025, 1, 4), date(2025, 1, 9), date(2025, 1, 31)]


def test_totals_are_kept_by_account():
    totals = totals_by_account(entries_of_month(ENTRIES, "2025-03"))
    assert {name: str(total) for name, total in totals.items()} == {
        "donations": "71.53 EUR",
        "fees": "251.00 EUR",
        "travel": "-143.25 EUR",
    }


def test_a_balance_is_in_euro():
    assert str(balance(entries_of_month(ENTRIES, "2025-02"))) == "21.78 EUR"


def test_the_running_balance_follows_the_days():
    steps = running_balance(reversed(ENTRIES))
    assert [str(total) for _, total in steps][:3] == [
        "240.00 EUR",
        "60.00 EUR",
        "17.65 EUR",
    ]
