"""The scripts of the browser runs: one function for each site, varied by a seed.

What a script read on an early page it needs in a later call; most of it it never writes down.
"""

from __future__ import annotations

import random
import re

from recorder.walker import SYSTEM, Walker

FOLK = (
    ("Nora", "Vestergaard", "14 Tanner Row", "4021 KD"),
    ("Emil", "Castellane", "9 Quay Side", "7715 RB"),
    ("Hana", "Dobrev", "220 Mill Lane", "1163 ZP"),
)
KINDS = ("Lamps", "Desks", "Chairs", "Audio", "Kitchen")
GOODS = ("lamp", "desk", "chair", "speaker", "kettle")
TOWNS = ("Aldermere", "Brightwater", "Coldharbour", "Dunmarsh", "Eastvale", "Farrow")


def shop(walker: Walker, seed: int) -> None:
    """Buy from several shelves with a voucher, then return one thing and match a price."""
    rng, (first, last, street, postcode) = walker.rng, FOLK[seed % len(FOLK)]
    shelves = rng.sample(KINDS, 3 + seed % 2)
    walker.log.begin(
        SYSTEM,
        f"At http://shop.test buy one product each from {', '.join(shelves)}, paying with the voucher"
        f" for {shelves[0]}. Send them to {first} {last}, {street}, {postcode}. Afterwards open a"
        " return for the first of them, ask for a price match on the second, and hand in the"
        " product numbers, prices and warranty codes of all, with the order number.",
    )
    walker.open("http://shop.test/", "I start at the shop.")
    walker.click("link", "Vouchers", "The voucher first.")
    code = walker.read(rf"{shelves[0]}: code[^\n]*\n\s*- code [^:]*: (\S+)")
    bought = []
    for shelf in shelves:
        walker.click("link", shelf, f"Now {shelf}.")
        title = rng.choice([n for n in walker.offers("link") if n.endswith(GOODS)])
        walker.click("link", title, f"{title} looks right.")
        bought.append(_product(walker, title))
        walker.click("button", "Add to bag", walker.aside(f"{title} is {bought[-1]['sku']}."))
    walker.click("link", "Bag", "All chosen.")
    walker.type("Voucher code", code, "The voucher goes in before checking out.")
    walker.click("button", "Apply voucher")
    walker.click("link", "Check out")
    delivery = rng.choice(["Express", "Pick-up point"])
    address = {"Full name": f"{first} {last}", "Street": street, "Postcode": postcode}
    walker.fill({**address, "Delivery": delivery})
    walker.click("button", "Place order", "Everything is filled in.")
    order = walker.read(r"(ORD-\d+)")
    walker.click("link", "Returns", walker.aside(f"The order is {order}. Now the return."))
    for label, text in (
        ("Order number", order),
        ("Product number", bought[0]["sku"]),
        ("Warranty code", bought[0]["warranty"]),
    ):
        walker.type(label, text)
    walker.click("button", "Request return")
    walker.click("link", "Price match", "The return is open. Next the price match.")
    theirs = f"€{float(bought[1]['price'][1:]) - 7:.2f}"
    fields = {"Maker's part": bought[1]["part"], "Our price": bought[1]["price"]}
    walker.fill({**fields, "Their price": theirs})
    walker.click("button", "Ask for a match")
    walker.click("link", rng.choice(KINDS), "One more look at what else there is.")
    walker.log.exchange(
        "", "open_ticket", {"order": order, "voucher": code, "tracking": "asked"}, "Ticket opened."
    )
    walker.report({"order": order, "products": bought}, "Handing in what I found.")


def _product(walker: Walker, title: str) -> dict[str, str]:
    def cell(row: str) -> str:
        return walker.read(rf'{row}" \[ref=\w+\]\n\s*- cell "([^"]+)"')

    return {
        "title": title,
        "sku": cell("Product number"),
        "price": cell("Price"),
        "part": cell("Maker's part"),
        "warranty": cell("Warranty code"),
    }


def tracker(walker: Walker, seed: int) -> None:
    """Read issues, find the releases that hold their commits, link and remark on them."""
    rng = walker.rng
    label = ("regression", "data-loss", "performance")[seed % 3]
    walker.log.begin(
        SYSTEM,
        f"In the tracker at http://issues.test look through the issues labelled {label}. Find for"
        " each that you open the release with its suspect commit, set that as fix version, mark"
        " the last as a duplicate of the first, and leave a remark with error codes and traces.",
    )
    walker.open("http://issues.test/", "Opening the tracker.")
    walker.choose("Label", label)
    walker.click("button", "Filter", f"Only {label}.")
    ids = [n for n in walker.offers("link") if n.startswith("QRY-")]
    chosen = rng.sample(ids, min(len(ids), 4))
    listing, notes = walker.page.url, []
    for issue in chosen:
        walker.click("link", issue, f"Reading {issue}.")
        notes.append(_issue(walker, issue))
        said = f"Code {notes[-1]['code']}. " if rng.random() < 0.3 else ""
        walker.open(listing, f"{said}Back to the list.")
    walker.click("link", "Releases", "Which releases hold these commits?")
    for note in notes:
        note["version"] = _release_of(walker.seen, note["commit"])
    walker.click("link", "People", walker.aside("And who is on call."))
    for note in notes[-2:]:
        walker.open(f"http://issues.test/issue/{note['id']}", "Setting the fix version.")
        walker.click("button", "Set fix version")
        walker.type("Fixed in version", note["version"])
        walker.click("button", "Save")
    walker.click("button", "Mark as duplicate", "This one is the same trouble as the first.")
    walker.type("Duplicate of", notes[0]["id"])
    walker.click("button", "Save")
    codes = "; ".join(f"{n['id']} {n['code']} {n['trace']}" for n in notes[:-1])
    walker.type("New remark", f"Looked at together: {codes}. Suspect {notes[0]['commit']}.")
    walker.click("button", "Add remark")
    walker.report({"issues": notes}, "All linked. Handing in the list.")


def _issue(walker: Walker, issue: str) -> dict[str, str]:
    def entry(term: str) -> str:
        return walker.read(rf"term \[ref=\w+\]: {term}\n\s*- definition \[ref=\w+\]: \"?([^\s\"]+)")

    fields = {"code": "Error code", "trace": "Trace", "commit": "Suspect commit"}
    return {"id": issue, **{key: entry(term) for key, term in fields.items()}}


def _release_of(snapshot: str, commit: str) -> str:
    before = snapshot[: snapshot.index(commit)]
    versions: list[str] = re.findall(r'heading "Version ([\d.]+)"', before)
    return versions[-1]


def travel(walker: Walker, seed: int) -> None:
    """Book trains and a room, change one booking, claim the trains as expenses."""
    rng, (first, last, _, _) = walker.rng, FOLK[seed % len(FOLK)]
    here, there = rng.sample(TOWNS, 2)
    out, back = f"2026-03-{rng.randint(10, 14)}", f"2026-03-{rng.randint(16, 20)}"
    card = f"5204 {rng.randint(1000, 9999)} {rng.randint(1000, 9999)} 3317"
    walker.log.begin(
        SYSTEM,
        f"Book {first} {last} on http://travel.test: a train from {here} to {there} on {out}, a room"
        f" in {there} for that night, a train back on {back}; card {card}. Then move the way back"
        " by one day and claim both trains as expenses, each with its fare and amount.",
    )
    walker.open("http://travel.test/", "Starting with the search.")
    made: list[dict[str, str]] = []
    for leg in ("out", "room", "back"):
        if made:
            walker.click("link", "New search", walker.aside(f"Reference {made[-1]['reference']}."))
        if leg == "room":
            walker.fill({"Town": there, "Night of": out})
            walker.click("button", "Find rooms")
            shown = _rooms(walker.seen)
        else:
            start, end = (here, there) if leg == "out" else (there, here)
            walker.fill({"From": start, "To": end, "Day": out if leg == "out" else back})
            walker.click("button", "Find trains")
            shown = _trains(walker.seen)
        booking = rng.choice(shown)
        walker.click("link", f"Choose {booking['what']}", "This one suits.")
        walker.fill({"First name": first, "Surname": last, "Card number": card})
        walker.click("button", "Book")
        made.append({**booking, "reference": walker.read(r"strong [^:\n]*: \"?([A-Z0-9]{6})")})
    walker.click("link", "Terms", "What do the terms say about changes?")
    walker.click("link", "Change a booking", "A change is free, so I ask for it.")
    later = f"2026-03-{int(back[-2:]) + 1}"
    walker.fill({"Booking reference": made[2]["reference"], "Surname": last, "New day": later})
    walker.click("button", "Ask for the change")
    walker.click("link", "Expenses", "Now the claim.")
    for booking in made[::2]:
        walker.fill(
            {
                "Booking reference": booking["reference"],
                "Train or room": booking["what"],
                "Fare or rate": booking["fare"],
                "Amount": booking["price"],
            }
        )
        walker.click("button", "Add line")
    walker.click("link", "Search")
    walker.report({"claims": made}, "Booked, changed and claimed.")


def _trains(snapshot: str) -> list[dict[str, str]]:
    cells = re.findall(r'cell "([^"]+)"', snapshot)
    starts = [at for at, cell in enumerate(cells) if re.fullmatch(r"NX\d+", cell)]
    rows = [(cells[at], cells[at + 6], cells[at + 7]) for at in starts]
    return [{"what": code, "fare": fare, "price": price} for code, fare, price in rows]


def _rooms(snapshot: str) -> list[dict[str, str]]:
    rows = re.findall(
        r"Room (RM\d+)[^\n]*?Rate (R-[A-Z0-9]{5}):[^\n]*\n[^\n]*?([\d.]+ EUR)", snapshot
    )
    return [{"what": code, "fare": rate, "price": price} for code, rate, price in rows]


def docs(walker: Walker, names: dict[str, list[str]]) -> None:
    """Read module pages, remember a name from each, look some up and list them all."""
    rng = walker.rng
    walker.log.begin(
        SYSTEM,
        "Read the pages of several modules at http://docs.test. From each remember one name that"
        " it defines; look some of them up again, then put every module and name on the list at"
        " http://docs.test/desk.html and hand the pairs in.",
    )
    walker.open("http://docs.test/", "Here is the index of modules.")
    offered = [n for n in walker.offers("link") if n in names and 6 < len(names[n]) < 90]
    found: list[tuple[str, str]] = []
    for step, module in enumerate(rng.sample(offered, 5)):
        walker.click("link", module, f"Reading about {module}.")
        found.append((module, _term(walker, names[module], rng)))
        said = walker.aside(f"I remember {found[-1][1]}.")
        if step % 3 == 2:
            walker.open("http://docs.test/", said)
            walker.type(
                "Which module defines", rng.choice(found[:-1])[1], "Checking an earlier one."
            )
            walker.click("button", "Look up")
        walker.open("http://docs.test/", said if step % 3 != 2 else "")
    walker.click("link", "Reading desk", "Now the list.")
    for module, name in found:
        walker.fill({"Module": module, "Name found there": name})
        walker.click("button", "Put on the list")
    walker.report({"pairs": [{"module": m, "name": n} for m, n in found]}, "That is the list.")


def _term(walker: Walker, names: list[str], rng: random.Random) -> str:
    """A name on this page that no earlier message holds."""
    earlier = "\n".join(str(m.get("content")) for m in walker.log.messages[:-1])
    shown = [n for n in names if len(n) > 4 and re.search(rf"\b{n}\b", walker.seen)]
    fresh = [n for n in shown if not re.search(rf"\b{n}\b", earlier)]
    return rng.choice(fresh or shown)
