"""Reading and writing the books as CSV."""

import csv
import io
from datetime import date

from ledger.entry import Entry
from ledger.money import parse_money

COLUMNS = ["day", "account", "amount", "currency", "note", "tags"]
TAG_SEPARATOR = "|"


class BadBooks(ValueError):
    """A file that is not a ledger."""


def read_entries(text):
    """Read a whole file or nothing."""
    rows = list(csv.reader(io.StringIO(text)))
    if not rows or rows[0] != COLUMNS:
        raise BadBooks("the first line must name the columns")
    return [_read_row(number, row) for number, row in enumerate(rows[1:], start=2)]


def _read_row(number, row):
    if len(row) != len(COLUMNS):
        raise BadBooks(f"line {number} has {len(row)} fields")
    day, account, amount, currency, note, tags = row
    return Entry(
        day=date.fromisoformat(day),
        account=account,
        amount=parse_money(amount, currency),
        note=note,
        tags=tuple(tag for tag in tags.split(TAG_SEPARATOR) if tag),
    )


def write_entries(entries):
    """The text of a file that holds these entries."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for entry in entries:
        amount, currency = str(entry.amount).split()
        tags = TAG_SEPARATOR.join(entry.tags)
        writer.writerow(
            [entry.day.isoformat(), entry.account, amount, currency, entry.note, tags]
        )
    return out.getvalue()
