"""Oak & Ink: the login in two steps, the checkout, the orders."""

from __future__ import annotations

import secrets
from dataclasses import replace

from director.demo.site.html_tree import Element, el
from director.demo.site.http_values import Response, SiteVisit, address, redirect
from director.demo.site.pages.pieces import (
    alert,
    button,
    facts,
    field,
    login_form,
    missing,
    page,
    render_hidden_field,
    table,
)
from director.demo.site.pages.shop import MOST, bill, lines, links
from director.demo.site.values import SHOP_PASSWORD, USER, Order, OrderLine, money

_ADDRESS = (
    ("name", "Full name", "Name of the recipient", "name"),
    ("street", "Street and number", "Street address", "street-address"),
    ("postcode", "Postcode", "Postal code", "postal-code"),
    ("city", "City", "Town or city", "address-level2"),
    ("country", "Country", "Country", "country-name"),
)
_TRIES = 5
_AFTER = ("/shop", "/shop/checkout", "/shop/orders")


def _after(visit: SiteVisit) -> str:
    asked = visit.form.text("next") or visit.query.text("next")
    return asked if asked in _AFTER else "/shop"


def login(visit: SiteVisit, problem: str = "") -> Response:
    """The first step: user and password."""
    form = login_form(
        visit,
        "/shop/login",
        render_hidden_field("next", _after(visit)),
        problem=problem,
        then=button(visit.look.says("Continue", "Next step"), data_testid="login"),
        next_=" A one-time code follows by mail.",
    )
    return page(
        visit,
        "Log in to Oak & Ink",
        *form,
        part="shop",
        lead=links(visit),
        status=401 if problem else 200,
    )


def enter(visit: SiteVisit) -> Response:
    """Check the password and send a code to the mailbox."""
    if (visit.form.text("user"), visit.form.text("password")) != (USER, SHOP_PASSWORD):
        return login(visit, "This user and this password do not belong together.")
    visit.session.pending = visit.state.ask_code()
    return redirect(address("/shop/login/code", next=_after(visit)), renew=True)


def code(visit: SiteVisit, problem: str = "") -> Response:
    """The second step: the code."""
    pending = visit.session.pending
    if pending is None:
        return redirect("/shop/login")
    form = el(
        "form",
        alert(problem),
        el(
            "p",
            f"We sent a code to {USER}. The letter names login ",
            el("strong", pending.reference),
            ".",
        ),
        render_hidden_field("next", _after(visit)),
        field(
            visit.look.says("One-time code", "Code from the letter"),
            "code",
            required=True,
            inputmode="numeric",
            autocomplete="one-time-code",
            maxlength=6,
        ),
        button(visit.look.says("Confirm", "Finish login"), data_testid="confirm"),
        method="post",
        action="/shop/login/code",
        class_="panel narrow",
    )
    return page(
        visit,
        visit.look.says("Check your mail", "One more step"),
        form,
        el("p", el("a", "Open Postbox", href="/mail"), class_="quiet"),
        part="shop",
        status=401 if problem else 200,
    )


def confirm(visit: SiteVisit) -> Response:
    """Let in whoever has the code; five wrong ones end the attempt."""
    pending = visit.session.pending
    if pending is None:
        return redirect("/shop/login")
    if secrets.compare_digest(visit.form.text("code").encode(), pending.code.encode()):
        visit.session.pending, visit.session.shop = None, True
        visit.session.notice = "You are logged in."
        return redirect(_after(visit), renew=True)
    if pending.tries + 1 >= _TRIES:
        visit.session.pending = None
        return login(visit, f"{_TRIES} wrong codes. Log in again to get a new one.")
    visit.session.pending = replace(pending, tries=pending.tries + 1)
    return code(visit, "This is not the code of this login.")


def leave(visit: SiteVisit) -> Response:
    """Log out of the shop; the cart stays."""
    visit.session.shop = False
    visit.session.notice = "You are logged out."
    return redirect("/shop")


def checkout(visit: SiteVisit, problem: str = "") -> Response:
    """The address form. It carries its lines: whoever sends it twice orders twice."""
    if not visit.session.shop:
        return redirect("/shop/login?next=/shop/checkout")
    wanted = lines(visit, visit.session.cart)
    if not wanted:
        return redirect("/shop/cart")
    form = _render_form(visit, wanted, problem)
    items = el("section", el("h2", "What you order"), bill(wanted), class_="stack")
    return page(
        visit,
        visit.look.says("Checkout", "Almost done"),
        el("div", *visit.look.order(form, items), class_="halves"),
        part="shop",
        lead=links(visit),
        status=422 if problem else 200,
    )


def _render_form(visit: SiteVisit, wanted: tuple[OrderLine, ...], problem: str) -> Element:
    return el(
        "form",
        alert(problem),
        el("h2", visit.look.says("Where to", "Delivery address")),
        [
            field(
                visit.look.says(usual, other),
                key,
                required=True,
                autocomplete=known,
                value=visit.form.text(key),
            )
            for key, usual, other, known in _ADDRESS
        ],
        field(
            visit.look.says("Your reference (optional)", "Your own reference (optional)"),
            "reference",
            maxlength=80,
            value=visit.form.text("reference"),
        ),
        [render_hidden_field("line", f"{line.sku}:{line.quantity}") for line in wanted],
        button(visit.look.says("Place order", "Order now"), data_testid="place-order"),
        method="post",
        action="/shop/orders",
        class_="panel stack",
    )


def place(visit: SiteVisit) -> Response:
    """Place the order that the form carries."""
    if not visit.session.shop:
        return redirect("/shop/login?next=/shop/checkout")
    given = {key: visit.form.text(key)[:200] for key, *_ in _ADDRESS}
    if lacking := [usual for key, usual, *_ in _ADDRESS if not given[key]]:
        return checkout(visit, f"Please fill in: {', '.join(lacking)}.")
    wanted = lines(visit, _parse_amounts(visit.form.texts("line")))
    if not wanted:
        return redirect("/shop/cart")
    order = visit.state.place(wanted, given, reference=visit.form.text("reference")[:80])
    visit.session.cart.clear()
    visit.session.notice = "Thank you. Your order is placed."
    return redirect(f"/shop/orders/{order.number}")


def _parse_amounts(sent: tuple[str, ...]) -> dict[str, int]:
    pairs = [each.partition(":") for each in sent]
    return {
        sku: min(int(many), MOST)
        for sku, _, many in pairs
        if many.isascii() and many.isdecimal() and 0 < len(many) < 4 and int(many)
    }


def orders(visit: SiteVisit) -> Response:
    """All orders, the newest first."""
    if not visit.session.shop:
        return redirect("/shop/login?next=/shop/orders")
    rows = [
        el(
            "tr",
            el("th", el("a", each.number, href=f"/shop/orders/{each.number}"), scope="row"),
            el("td", each.placed.strftime("%d %B %Y, %H:%M")),
            el("td", sum(line.quantity for line in each.lines), class_="cell-number"),
            el("td", each.reference or "–"),
            el("td", money(each.total), class_="cell-number"),
        )
        for each in reversed(visit.state.orders)
    ]
    headings = (
        "Order",
        "Placed",
        el("th", "Items", scope="col", class_="cell-number"),
        "Reference",
        el("th", "Total", scope="col", class_="cell-number"),
    )
    shown = table("Orders", headings, rows) if rows else el("p", "No orders yet.", class_="empty")
    return page(
        visit, visit.look.says("Orders", "My orders"), shown, part="shop", lead=links(visit)
    )


def order(visit: SiteVisit) -> Response:
    """One order."""
    if not visit.session.shop:
        return redirect("/shop/login?next=/shop/orders")
    found = next((each for each in visit.state.orders if each.number == visit.arguments[0]), None)
    if found is None:
        return missing(visit, "shop")
    return page(
        visit,
        f"Order {found.number}",
        el("div", *visit.look.order(_facts(found), bill(found.lines)), class_="halves"),
        part="shop",
        lead=links(visit),
    )


def _facts(found: Order) -> Element:
    where = found.address
    place = f"{where['postcode']} {where['city']}, {where['country']}"
    return el(
        "section",
        facts(
            (
                ("Order number", found.number),
                ("Placed", found.placed.strftime("%d %B %Y, %H:%M")),
                ("Reference", found.reference or "–"),
                ("Deliver to", f"{where['name']}, {where['street']}, {place}"),
                ("Total", money(found.total)),
            )
        ),
        class_="panel",
    )
