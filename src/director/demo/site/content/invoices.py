"""The table of invoices: its columns, what each may hold, and the rows it begins with."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation

from director.demo.site.values import TableRow

SUPPLIERS = (
    ("Northwind Paper", "billing@northwind.example"),
    ("Halden Logistics", "accounts@halden.example"),
    ("Brightwater Energy", "invoices@brightwater.example"),
    ("Kestrel Hosting", "billing@kestrel.example"),
    ("Mossgate Cleaning", "office@mossgate.example"),
    ("Tallow & Sons", "ledger@tallow.example"),
    ("Orchard Telecom", "bills@orchard.example"),
    ("Pinnacle Print", "accounts@pinnacle.example"),
)
STATUSES = ("open", "paid", "disputed")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key, its heading, and what it takes."""

    key: str
    title: str
    kind: str = "text"
    required: bool = True


COLUMNS = (
    Column("supplier", "Supplier"),
    Column("number", "Invoice"),
    Column("due", "Due", "date"),
    Column("amount", "Amount", "number"),
    Column("status", "Status", "choice"),
    Column("note", "Note", required=False),
)
_NOTES = ("", "", "", "asked for a copy", "see contract", "approved by Tom", "second reminder")


def rows(chance: random.Random) -> Iterator[TableRow]:
    """Eighteen invoices of the months before."""
    for number in range(1, 19):
        supplier, _ = chance.choice(SUPPLIERS)
        due = date(2026, 8, 3) + timedelta(days=number * 4 + chance.randrange(3))
        yield TableRow(
            number,
            {
                "supplier": supplier,
                "number": f"{supplier[0]}{chance.randrange(3000, 4000)}",
                "due": due.isoformat(),
                "amount": amount(chance),
                "status": chance.choice(("paid", "paid", "paid", "open", "disputed")),
                "note": chance.choice(_NOTES),
            },
        )


def amount(chance: random.Random) -> str:
    """A sum as the table writes it."""
    return f"{chance.randrange(2_000, 180_000) / 100:.2f}"


def problem(key: str, text: str) -> str:
    """What is wrong with a cell, in words; nothing if it is fine."""
    column = next(each for each in COLUMNS if each.key == key)
    if not text:
        return f"{column.title} is missing." if column.required else ""
    if len(text) > 200:
        return f"{column.title} is longer than 200 characters."
    if column.kind == "date" and not _is_date(text):
        return f"{column.title} must be a date such as 2026-11-30, not {text!r}."
    if column.kind == "number" and not _is_number(text):
        return f"{column.title} must be a number such as 249.00, not {text!r}."
    if column.kind == "choice" and text not in STATUSES:
        return f"{column.title} must be one of {', '.join(STATUSES)}, not {text!r}."
    return ""


def problems(cells: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with a row, by column."""
    found = {column.key: problem(column.key, cells.get(column.key, "")) for column in COLUMNS}
    return {key: words for key, words in found.items() if words}


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", text))


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False
