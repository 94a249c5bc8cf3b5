"""Balances and months."""

from calendar import monthrange
from collections import defaultdict
from datetime import date

from ledger.money import Money
from ledger.rates import to_euro


def month_bounds(month):
    """First and last day of a month written as 2025-03."""
    year, number = (int(part) for part in month.split("-"))
    return date(year, number, 1), date(year, number, monthrange(year, number)[1])


def entries_of_month(entries, month):
    """The entries of a month, both its ends included."""
    first, last = month_bounds(month)
    return [entry for entry in entries if first <= entry.day <= last]


def balance(entries):
    """The sum of entries in euro."""
    return sum((to_euro(entry.amount, entry.day) for entry in entries), start=Money(0))


def totals_by_account(entries):
    """The balance of each account that has entries, by name."""
    grouped = defaultdict(list)
    for entry in entries:
        grouped[entry.account].append(entry)
    return {account: balance(grouped[account]) for account in sorted(grouped)}


def running_balance(entries):
    """Day and balance after each entry, in the order of days."""
    total, steps = Money(0), []
    for entry in sorted(entries, key=lambda entry: entry.day):
        total += to_euro(entry.amount, entry.day)
        steps.append((entry.day, total))
    return steps
