"""Text for people."""

from ledger.money import split_evenly
from ledger.statement import balance, entries_of_month, totals_by_account

WIDTH_ACCOUNT = 14
WIDTH_AMOUNT = 14


def statement_text(entries, month):
    """The statement of a month, one line for each account and the sum."""
    chosen = entries_of_month(entries, month)
    lines = [f"Statement {month}", "=" * (WIDTH_ACCOUNT + WIDTH_AMOUNT)]
    for account, total in totals_by_account(chosen).items():
        lines.append(f"{account:<{WIDTH_ACCOUNT}}{str(total):>{WIDTH_AMOUNT}}")
    lines.append(f"{'balance':<{WIDTH_ACCOUNT}}{str(balance(chosen)):>{WIDTH_AMOUNT}}")
    return "\n".join(lines)


def share_text(amount, members):
    """What each member pays, the first by name taking the cents left over."""
    shares = split_evenly(amount, len(members))
    return "\n".join(f"{name}: {share}" for name, share in zip(sorted(members), shares))
