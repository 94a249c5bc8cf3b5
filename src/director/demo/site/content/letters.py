"""The letters that lie in the mailbox at the start: bills, questions, news, codes, a friend."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from director.demo.site.content.invoices import SUPPLIERS, amount
from director.demo.site.values import Mail

_NAMES = ("Mara Lind", "Jonas Weber", "Priya Nair", "Tom Okafor", "Lucía Ortega", "Sam Field")
_QUESTIONS = (
    ("When will my order arrive?", "I ordered ten days ago and have heard nothing since."),
    ("Wrong colour in the parcel", "I asked for grey and got blue. May I send it back?"),
    ("Invoice with our tax number", "Our accounts need our number on the bill, please."),
    ("Do you deliver to Iceland?", "Your form does not offer it, but perhaps you can."),
    ("Broken lid", "The tin came with a dent and does not close any more."),
    ("Larger quantity", "What would two hundred field notebooks cost, with our logo?"),
    ("Compliment", "The pencils are the best I have had. That is all, no question."),
)
_NEWS = (
    ("The Margin", "news@themargin.example", "Nine small shops that outlived the mall"),
    ("Ink & Iron", "letter@inkandiron.example", "How a nib is ground, in twelve pictures"),
    ("Harbour Weekly", "weekly@harbour.example", "Ferry timetable changes from Monday"),
    ("Slow Tools", "hello@slowtools.example", "Against notifications: a reader's plan"),
    ("Paper Trade", "desk@papertrade.example", "Pulp prices fall for the third month"),
    ("Oak & Ink", "news@oakandink.example", "New in the shop: paper for watercolours"),
)
_CODES = (
    ("Kestrel Hosting", "login@kestrel.example"),
    ("Brightwater Energy", "login@brightwater.example"),
    ("City Library", "account@library.example"),
)
_FRIENDS = (
    ("Dinner on Thursday?", "The new place by the canal has a table at eight. Say yes."),
    ("The photos", "They are in the shared folder now. The one with the dog is the best."),
    ("Your parcel is with me", "The courier rang here. Come and fetch it whenever you like."),
    ("Minutes of the meeting", "Three decisions, two open points, all in the text below."),
)


def letters(chance: random.Random, now: datetime) -> list[Mail]:
    """Twenty-eight mails, the newest with the highest id, some of them read."""
    drawn = [*_invoices(chance, now), *_questions(chance, now), *_news(now), *_codes(chance, now)]
    drawn += _friends(chance, now)
    chance.shuffle(drawn)
    when = now - timedelta(days=9)
    mails = []
    for number, mail in enumerate(drawn, 1):
        when += timedelta(minutes=chance.randrange(60, 8 * 55))
        mails.append(replace(mail, id=number, received=when, read=chance.random() < 0.4))
    return mails


def _invoices(chance: random.Random, now: datetime) -> Iterator[Mail]:
    for supplier, address in SUPPLIERS:
        number = f"{supplier[0]}{chance.randrange(4000, 5000)}"
        due = (now + timedelta(days=chance.randrange(7, 31))).date().isoformat()
        yield Mail(
            id=0,
            sender=supplier,
            address=address,
            subject=chance.choice(
                (f"Invoice {number}", f"Your invoice {number} is ready", f"{supplier}: {number}")
            ),
            received=now,
            body=(
                "Dear customer, please find the details of your invoice below.",
                "Thank you for paying in time.",
            ),
            facts=(
                ("Supplier", supplier),
                ("Invoice number", number),
                ("Amount due", f"€{amount(chance)}"),
                ("Due date", due),
            ),
            labels=("Invoices",),
        )


def _questions(chance: random.Random, now: datetime) -> Iterator[Mail]:
    for subject, text in _QUESTIONS:
        name = chance.choice(_NAMES)
        address = f"{name.split()[0].lower().replace('í', 'i')}@customers.example"
        greeting = chance.choice(("Hello,", "Dear team,", "Good morning,"))
        body = (greeting, text, f"Kind regards, {name}")
        yield Mail(0, name, address, subject, now, body, labels=("Customers",))


def _news(now: datetime) -> Iterator[Mail]:
    for name, address, subject in _NEWS:
        body = (
            f"{subject}: the story of this week, and four shorter ones.",
            "You get this letter because you asked for it. Reply with “stop” to end it.",
        )
        yield Mail(0, name, address, subject, now, body, labels=("Newsletters",))


def _codes(chance: random.Random, now: datetime) -> Iterator[Mail]:
    for name, address in _CODES:
        yield Mail(
            id=0,
            sender=name,
            address=address,
            subject=f"{name}: your code",
            received=now,
            body=("Your code is below. It has expired by the time you read this.",),
            facts=(("Code", f"{chance.randrange(10**6):06}"),),
            labels=("Codes",),
        )


def _friends(chance: random.Random, now: datetime) -> Iterator[Mail]:
    for subject, text in _FRIENDS:
        name = chance.choice(_NAMES)
        address = f"{name.split()[0].lower().replace('í', 'i')}@friends.example"
        yield Mail(0, name, address, subject, now, (text, name.split()[0]), labels=("Personal",))
