"""What the site is about, as values: mails, products, orders, rows, and who is visiting.

All but a session are frozen: a change puts a new value in the place of the old one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

USER = "ada@postbox.example"
MAIL_PASSWORD = "letters-2026"
SHOP_PASSWORD = "paper-boats"
LABELS = ("Invoices", "Customers", "Newsletters", "Codes", "Personal")
CATEGORIES = ("Notebooks", "Pens", "Paper", "Desk")


@dataclass(frozen=True, slots=True)
class Mail:
    """A letter in the mailbox; `facts` are what its body shows as names and values."""

    id: int
    sender: str
    address: str
    subject: str
    received: datetime
    body: tuple[str, ...]
    facts: tuple[tuple[str, str], ...] = ()
    labels: tuple[str, ...] = ()
    read: bool = False
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Product:
    """Something the shop sells; its price is in cents."""

    sku: str
    name: str
    category: str
    price: int
    stock: int
    about: str
    hue: int


@dataclass(frozen=True, slots=True)
class OrderLine:
    """So many of one product at the price of that moment."""

    sku: str
    name: str
    quantity: int
    price: int

    @property
    def total(self) -> int:
        """The price of the whole line."""
        return self.quantity * self.price


@dataclass(frozen=True, slots=True)
class Order:
    """An order as it was placed."""

    number: str
    placed: datetime
    lines: tuple[OrderLine, ...]
    address: Mapping[str, str]
    reference: str = ""

    @property
    def total(self) -> int:
        """What is to be paid."""
        return sum(line.total for line in self.lines)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of the table: a text in each column."""

    id: int
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DemoAction:
    """Something a visitor did on the lab page."""

    what: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """A login that waits for its one-time code."""

    reference: str
    code: str
    tries: int = 0


@dataclass(slots=True)
class SiteSession:
    """One browser: where it is logged in, what is in its cart, what to tell it next."""

    mailbox: bool = False
    shop: bool = False
    pending: Pending | None = None
    cart: dict[str, int] = field(default_factory=dict)
    notice: str = ""


def money(cents: int) -> str:
    """An amount as people write it."""
    return f"€{cents // 100:,}.{cents % 100:02}"
