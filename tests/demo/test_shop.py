"""Oak & Ink: products, cart, a login in two steps, and orders that are placed as often as asked."""

from __future__ import annotations

import pytest

from demo.visitor import ADDRESS, Visitor
from director.demo.site import Site
from director.demo.site.values import CATEGORIES, USER

_PRODUCTS = r'<h2><a href="/shop/products/([A-Z]{2}-\d+)">'


def test_paging_shows_every_product_once(site: Site, visitor: Visitor) -> None:
    """Thirty-one products on four pages."""
    shown = [
        sku for page in range(1, 5) for sku in visitor.get(f"/shop?page={page}").all(_PRODUCTS)
    ]
    assert shown == list(site.state.products)
    assert len(shown) == 31


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_shows_its_products_only(site: Site, visitor: Visitor, category: str) -> None:
    """Each of them has a page and a picture."""
    shown = visitor.get(f"/shop?category={category}").all(_PRODUCTS)
    assert {site.state.products[sku].category for sku in shown} == {category}
    page = visitor.get(f"/shop/products/{shown[0]}")
    assert site.state.products[shown[0]].about in page.text
    assert visitor.get(f"/shop/pictures/{shown[0]}.svg").headers["Content-Type"] == "image/svg+xml"


def test_a_cart_adds_up_and_can_be_changed(site: Site, visitor: Visitor) -> None:
    """It belongs to one browser."""
    one, other = list(site.state.products)[:2]
    visitor.post("/shop/cart", {"sku": one, "quantity": "2"})
    visitor.post("/shop/cart", {"sku": one})
    page = visitor.post("/shop/cart", {"sku": other, "quantity": "nonsense"})
    prices = [site.state.products[sku].price for sku in (one, other)]
    total = 3 * prices[0] + prices[1]
    assert f"€{total // 100}.{total % 100:02}" in page.text
    visitor.post("/shop/cart/change", {"sku": one, "quantity": "0"})
    page = visitor.post("/shop/cart/change", {"sku": other, "quantity": "1000"})
    assert "Cart (1)" in page.text
    assert (
        "Nothing in it yet" in visitor.post("/shop/cart/change", {"sku": other, "remove": 1}).text
    )
    visitor.post("/shop/cart", {"sku": one})
    assert "Cart (0)" in Visitor(site).get("/shop").text


def test_the_login_needs_the_password_and_the_code_from_the_mailbox(
    site: Site, visitor: Visitor
) -> None:
    """The letter names the login that it belongs to; a code works once."""
    assert visitor.post("/shop/login", {"user": USER, "password": "guess"}).status == 401
    assert visitor.get("/shop/login/code").url.endswith("/shop/login")
    page = visitor.begin_login()
    assert page.url.endswith("/shop/login/code?next=%2Fshop")
    assert page.all("<strong>(L-\\d+)</strong>") == ["L-1"]
    assert site.state.mails[29].subject == "Your one-time code for login L-1"
    assert visitor.get("/shop/orders").url.endswith("/shop/login?next=/shop/orders")
    code = visitor.code()
    assert "You are logged in." in visitor.post("/shop/login/code", {"code": code}).text
    assert visitor.get("/shop/orders").url.endswith("/shop/orders")
    visitor.post("/shop/logout")
    assert visitor.post("/shop/login/code", {"code": code}).url.endswith("/shop/login")


def test_five_wrong_codes_end_the_login(visitor: Visitor) -> None:
    """After that the right one does not help either."""
    visitor.begin_login()
    code = visitor.code()
    wrong = f"{(int(code) + 1) % 10**6:06}"
    pages = [visitor.post("/shop/login/code", {"code": wrong}) for _ in range(5)]
    assert {page.status for page in pages} == {401}
    assert "5 wrong codes" in pages[-1].text
    assert visitor.post("/shop/login/code", {"code": code}).url.endswith("/shop/login")


def test_each_login_has_its_own_code(site: Site) -> None:
    """Two who log in at once do not take each other's."""
    one, other = Visitor(site), Visitor(site)
    one.begin_login()
    first = one.code()
    other.begin_login()
    assert other.post("/shop/login/code", {"code": first}).status == 401
    assert one.post("/shop/login/code", {"code": first}).status == 200


def test_a_login_leads_only_to_pages_of_the_shop(visitor: Visitor) -> None:
    """Whatever the address asks for."""
    page = visitor.get("/shop/login?next=//evil.example/shop")
    assert page.all('name="next" value="([^"]*)"') == ["/shop"]


def test_an_order_is_placed_with_a_number_and_confirmed_by_mail(
    site: Site, visitor: Visitor
) -> None:
    """The cart is empty afterwards, and the order is in the history."""
    visitor.enter_shop()
    sku = next(iter(site.state.products))
    visitor.post("/shop/cart", {"sku": sku, "quantity": "2"})
    page = visitor.get("/shop/checkout")
    line = page.all('name="line" value="([^"]*)"')
    assert line == [f"{sku}:2"]
    page = visitor.post("/shop/orders", {**ADDRESS, "reference": "R-7", "line": line})
    assert page.url.endswith("/shop/orders/OI-1001")
    (order,) = visitor.state()["orders"]
    assert (order["number"], order["reference"], order["address"]) == ("OI-1001", "R-7", ADDRESS)
    assert order["total"] == 2 * site.state.products[sku].price
    assert visitor.state()["mails"][-1]["subject"] == "Thank you for your order OI-1001"
    history = visitor.get("/shop/orders")
    assert "Cart (0)" in history.text
    assert "R-7" in history.text


def test_sending_the_same_order_twice_orders_twice(site: Site, visitor: Visitor) -> None:
    """So that doing it twice can be seen."""
    visitor.enter_shop()
    form = {**ADDRESS, "line": f"{next(iter(site.state.products))}:1"}
    visitor.post("/shop/orders", form)
    visitor.post("/shop/orders", form)
    assert [order["number"] for order in visitor.state()["orders"]] == ["OI-1001", "OI-1002"]


def test_an_order_without_an_address_or_a_login_is_none(site: Site, visitor: Visitor) -> None:
    """What is lacking is named."""
    sku = next(iter(site.state.products))
    visitor.post("/shop/cart", {"sku": sku})
    form = {**ADDRESS, "line": f"{sku}:1"}
    assert "/shop/login" in visitor.post("/shop/orders", form).url
    visitor.enter_shop()
    page = visitor.post("/shop/orders", {**form, "city": " "})
    assert page.all('role="alert">([^<]*)') == ["Please fill in: City."]
    for line in ("XX-999:1", f"{sku}:0", f"{sku}:-1", "nonsense"):
        assert visitor.post("/shop/orders", {**form, "line": line}).url.endswith("/shop/cart")
    assert visitor.state()["orders"] == []
