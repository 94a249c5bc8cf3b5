"""All that one site remembers, in memory: made from a seed, gone with the site.

It knows what happened and nothing of pages, so it is what tests ask for the truth. It has no
clock: its time moves on by a minute with each thing that happens.
"""

from __future__ import annotations

import random
import threading
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta

from director.demo.site.content.invoices import rows
from director.demo.site.content.letters import letters
from director.demo.site.content.products import products
from director.demo.site.values import (
    DemoAction,
    Mail,
    Order,
    OrderLine,
    Pending,
    Product,
    SiteSession,
    TableRow,
)

_BEGIN = datetime(2026, 11, 16, 9, 0)  # noqa: DTZ001  the site's own time, of no zone
_FIRST_ORDER = 1001


@dataclass(slots=True)
class SiteState:
    """What is in the mailbox, the table and the shop, and who is visiting."""

    seed: int
    mails: dict[int, Mail]
    rows: dict[int, TableRow]
    products: dict[str, Product]
    chance: random.Random
    orders: list[Order] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    deeds: list[DemoAction] = field(default_factory=list)
    uploads: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    sessions: dict[str, SiteSession] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    @classmethod
    def fresh(cls, seed: int) -> SiteState:
        """The state that a site begins with."""
        chance = random.Random(seed)  # noqa: S311  repeatable, and nothing here is secret
        return cls(
            seed=seed,
            mails={mail.id: mail for mail in letters(chance, _BEGIN)},
            rows={row.id: row for row in rows(chance)},
            products={product.sku: product for product in products(chance)},
            chance=chance,
        )

    def count(self, what: str) -> int:
        """How often something happened, with this time."""
        self.counts[what] = self.counts.get(what, 0) + 1
        return self.counts[what]

    def now(self) -> datetime:
        """The site's time; asking moves it on."""
        return _BEGIN + timedelta(minutes=self.count("minutes"))

    def receive(self, mail: Mail) -> None:
        """Put a new mail into the mailbox, whatever id it came with."""
        new = max(self.mails, default=0) + 1
        self.mails[new] = replace(mail, id=new, received=self.now())

    def ask_code(self) -> Pending:
        """Begin a login: a code is sent to the mailbox."""
        pending = Pending(
            reference=f"L-{self.count('logins')}", code=f"{self.chance.randrange(10**6):06}"
        )
        self.receive(
            Mail(
                id=0,
                sender="Oak & Ink",
                address="login@oakandink.example",
                subject=f"Your one-time code for login {pending.reference}",
                received=_BEGIN,
                body=(
                    "Somebody, hopefully you, is logging in to the Oak & Ink shop.",
                    "Type this code on the page that asks for it. It works once.",
                ),
                facts=(("Login", pending.reference), ("Code", pending.code)),
                labels=("Codes",),
            )
        )
        return pending

    def place(
        self, lines: tuple[OrderLine, ...], address: dict[str, str], *, reference: str
    ) -> Order:
        """Place an order. Twice the same is two orders: the shop asks no questions."""
        order = Order(
            number=f"OI-{_FIRST_ORDER + len(self.orders)}",
            placed=self.now(),
            lines=lines,
            address=address,
            reference=reference,
        )
        self.orders.append(order)
        self.receive(
            Mail(
                id=0,
                sender="Oak & Ink",
                address="orders@oakandink.example",
                subject=f"Thank you for your order {order.number}",
                received=_BEGIN,
                body=("We have your order and will send it soon.",),
                facts=(("Order", order.number), ("Items", str(len(lines)))),
                labels=("Personal",),
            )
        )
        return order

    def add_row(self, cells: dict[str, str]) -> TableRow:
        """Put a row at the end of the table."""
        row = TableRow(max(self.rows, default=0) + 1, cells)
        self.rows[row.id] = row
        return row

    def as_json(self) -> dict[str, object]:
        """What happened, for whoever wants to check it; no session, no code, no password."""
        with self.lock:
            return {
                "seed": self.seed,
                "mails": [
                    {
                        "id": mail.id,
                        "from": mail.address,
                        "subject": mail.subject,
                        "labels": list(mail.labels),
                        "read": mail.read,
                        "archived": mail.archived,
                    }
                    for mail in self.mails.values()
                ],
                "archived": [mail.id for mail in self.mails.values() if mail.archived],
                "rows": [{"id": row.id, **row.cells} for row in self.rows.values()],
                "orders": [
                    {
                        "number": order.number,
                        "reference": order.reference,
                        "address": dict(order.address),
                        "lines": [asdict(line) for line in order.lines],
                        "total": order.total,
                    }
                    for order in self.orders
                ],
                "notes": list(self.notes),
                "deeds": [asdict(deed) for deed in self.deeds],
                "uploads": list(self.uploads),
            }
