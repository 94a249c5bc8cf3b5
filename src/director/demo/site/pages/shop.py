"""Oak & Ink: the shop's products and its cart."""

from __future__ import annotations

from math import ceil

from director.demo.site.html_tree import Element, Node, el, render_html
from director.demo.site.http_values import Response, SiteVisit, address, redirect
from director.demo.site.look import SiteDesign
from director.demo.site.pages.pieces import (
    button,
    choice,
    facts,
    field,
    missing,
    page,
    pager,
    render_hidden_field,
    table,
)
from director.demo.site.values import CATEGORIES, OrderLine, Product, money

_ROOM = 9
MOST = 99
# Two paths for each category: what it is drawn with, and the light on it.
_SHAPES = {
    "Notebooks": (
        "M72 12h52a5 5 0 0 1 5 5v66a5 5 0 0 1-5 5h-52z",
        "M82 12h5v76h-5zM98 28h20v9h-20z",
    ),
    "Pens": ("M38 44h92l22 6-22 6h-92z", "M52 44h6v12h-6zM130 44l22 6-22 6z"),
    "Paper": ("M62 22h76v56h-76z", "M62 22l38 30 38-30z"),
    "Desk": (
        "M48 40h104v12H48zM58 52h9v36h-9zM133 52h9v36h-9zM104 52h22v20h-22z",
        "M108 59h14v3h-14z",
    ),
}


def shop(visit: SiteVisit) -> Response:
    """The products of a category, a page of them."""
    asked = visit.query.text("category")
    category = asked if asked in CATEGORIES else ""
    found = [each for each in visit.state.products.values() if category in ("", each.category)]
    pages = max(1, ceil(len(found) / _ROOM))
    number = visit.number("page", 1, most=pages)
    cards = [_card(visit, each) for each in found[(number - 1) * _ROOM : number * _ROOM]]
    listed = el(
        "section",
        el("p", f"{len(found)} products, page {number} of {pages}", class_="quiet"),
        el("ul", cards, class_="cards goods"),
        pager(visit, number, pages, lambda to: address("/shop", category=category, page=to)),
        aria_label="Products",
        class_="stack",
    )
    return page(
        visit,
        category or visit.look.says("All products", "Everything we sell"),
        *visit.look.order(_filter(visit, category), listed),
        part="shop",
        lead=links(visit),
    )


def links(visit: SiteVisit) -> Element:
    """Where a customer can go from every page of the shop."""
    many = sum(visit.session.cart.values())
    cart = visit.look.says("Cart", "Basket")
    account = (
        el(
            "form",
            button(visit.look.says("Log out", "Sign out"), kind="plain small"),
            method="post",
            action="/shop/logout",
        )
        if visit.session.shop
        else el("a", visit.look.says("Log in", "Sign in"), href="/shop/login")
    )
    return el(
        "nav",
        el("a", visit.look.says("Products", "Goods"), href="/shop"),
        el("a", f"{cart} ({many})", href="/shop/cart"),
        el("a", visit.look.says("Orders", "My orders"), href="/shop/orders"),
        account,
        aria_label="Shop",
        class_="actions links",
    )


def _filter(visit: SiteVisit, category: str) -> Element:
    options = [("", "All categories"), *((each, each) for each in CATEGORIES)]
    return el(
        "form",
        choice("Category", "category", options=options, chosen=category),
        button(visit.look.says("Show", "Filter"), kind="plain"),
        method="get",
        action="/shop",
        class_="bar",
    )


def _card(visit: SiteVisit, product: Product) -> Element:
    name = el("h2", el("a", product.name, href=f"/shop/products/{product.sku}"))
    price = el(
        "p",
        el("span", money(product.price), class_="price"),
        el("span", product.category, class_="quiet"),
        class_="spread",
    )
    return el(
        "li",
        _picture(product),
        el(
            "div",
            *visit.look.order(name, price),
            _add(visit, product, short=True),
            class_="inside",
        ),
        class_="card good",
    )


def _picture(product: Product) -> Element:
    return el(
        "img",
        src=f"/shop/pictures/{product.sku}.svg",
        alt="",
        width=200,
        height=100,
        class_="picture",
    )


def _add(visit: SiteVisit, product: Product, *, short: bool) -> Element:
    words = visit.look.says("Add to cart", "Put in basket")
    return el(
        "form",
        render_hidden_field("sku", product.sku),
        None if short else field("Quantity", "quantity", type="number", min=1, max=MOST, value=1),
        button(
            words,
            kind="plain" if short else "primary",
            data_testid="add-to-cart",
            aria_label=f"{words}: {product.name}" if short else None,
        ),
        method="post",
        action="/shop/cart",
        class_=None if short else "bar",
    )


def product(visit: SiteVisit) -> Response:
    """One product."""
    found = visit.state.products.get(visit.arguments[0])
    if found is None:
        return missing(visit, "shop")
    about = el(
        "div",
        el("p", money(found.price), class_="price large"),
        el("p", found.about),
        facts(
            (
                ("Number", found.sku),
                ("Category", found.category),
                ("In stock", f"{found.stock} pieces"),
            )
        ),
        _add(visit, found, short=False),
        class_="stack",
    )
    shown = el("div", _picture(found), class_="plate")
    return page(
        visit,
        found.name,
        el("div", *visit.look.order(shown, about), class_="halves panel"),
        part="shop",
        lead=links(visit),
    )


def picture(visit: SiteVisit) -> Response:
    """A drawing of a product."""
    found = visit.state.products.get(visit.arguments[0])
    if found is None:
        return missing(visit, "shop")
    ink, ground = f"hsl({found.hue} 42% 45%)", f"hsl({found.hue} 45% 94%)"
    shape, light = _SHAPES[found.category]
    drawn = el(
        "svg",
        el("path", d="M0 0h200v100H0z", fill=ground),
        el("path", d=shape, fill=ink),
        el("path", d=light, fill=ground, fill_opacity="0.6"),
        xmlns="http://www.w3.org/2000/svg",
        viewBox="0 0 200 100",
    )
    return Response(render_html(drawn, SiteDesign()).encode(), type="image/svg+xml")


def put(visit: SiteVisit) -> Response:
    """Put a product into the cart."""
    found = visit.state.products.get(visit.form.text("sku"))
    if found is None:
        return missing(visit, "shop")
    cart = visit.session.cart
    cart[found.sku] = min(cart.get(found.sku, 0) + _quantity(visit.form.text("quantity")), MOST)
    visit.session.notice = f"{found.name} is in the cart."
    return redirect("/shop/cart")


def _quantity(text: str) -> int:
    usable = text.isascii() and text.isdecimal() and len(text) < 4
    return max(1, min(int(text), MOST)) if usable else 1


def change(visit: SiteVisit) -> Response:
    """Set how many of a product are wanted; none takes it out."""
    sku, text = visit.form.text("sku"), visit.form.text("quantity")
    if visit.form.text("remove") or text == "0":
        visit.session.cart.pop(sku, None)
    elif sku in visit.session.cart:
        visit.session.cart[sku] = _quantity(text)
    return redirect("/shop/cart")


def lines(visit: SiteVisit, wanted: dict[str, int]) -> tuple[OrderLine, ...]:
    """What is wanted, at the prices of now; unknown products are left out."""
    products = visit.state.products
    return tuple(
        OrderLine(sku, products[sku].name, quantity, products[sku].price)
        for sku, quantity in wanted.items()
        if sku in products
    )


def bill(of: tuple[OrderLine, ...], more: list[Element] | None = None) -> Element:
    """Lines and their sum as a table; `more` adds a cell to each line."""
    rows: list[Node] = [
        el(
            "tr",
            el("th", el("a", line.name, href=f"/shop/products/{line.sku}"), scope="row"),
            el("td", line.quantity, class_="cell-number"),
            el("td", money(line.price), class_="cell-number"),
            el("td", money(line.total), class_="cell-number"),
            el("td", more[at]) if more else None,
        )
        for at, line in enumerate(of)
    ]
    total = sum(line.total for line in of)
    rows.append(
        el(
            "tr",
            el("th", "Total", scope="row", colspan=3),
            el("td", money(total), class_="cell-number"),
            el("td") if more else None,
            class_="total",
        )
    )
    right = [
        el("th", each, scope="col", class_="cell-number") for each in ("Quantity", "Price", "Sum")
    ]
    last = [el("th", "Change", scope="col")] if more else []
    return table("Products", ["Product", *right, *last], rows)


def cart(visit: SiteVisit) -> Response:
    """What is in the cart."""
    wanted = lines(visit, visit.session.cart)
    title = visit.look.says("Your cart", "Your basket")
    if not wanted:
        nothing = el(
            "p", "Nothing in it yet. ", el("a", "See the products", href="/shop"), class_="empty"
        )
        return page(visit, title, nothing, part="shop", lead=links(visit))
    onward = el(
        "div",
        el(
            "a",
            visit.look.says("Check out", "Go to checkout"),
            href="/shop/checkout",
            class_="button primary",
            data_testid="checkout",
        ),
        el(
            "a",
            visit.look.says("Go on shopping", "More products"),
            href="/shop",
            class_="button plain",
        ),
        class_="actions",
    )
    return page(
        visit,
        title,
        bill(wanted, [_change(visit, line) for line in wanted]),
        onward,
        part="shop",
        lead=links(visit),
    )


def _change(visit: SiteVisit, line: OrderLine) -> Element:
    return el(
        "form",
        render_hidden_field("sku", line.sku),
        el(
            "input",
            type="number",
            name="quantity",
            min=0,
            max=MOST,
            value=line.quantity,
            aria_label=f"Quantity of {line.name}",
            class_="input tiny",
        ),
        button(
            visit.look.says("Update", "Set"), kind="plain small", aria_label=f"Update {line.name}"
        ),
        button(
            "Remove", kind="plain small", name="remove", value=1, aria_label=f"Remove {line.name}"
        ),
        method="post",
        action="/shop/cart/change",
        class_="actions",
    )
