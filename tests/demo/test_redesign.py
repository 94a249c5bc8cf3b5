"""The redesign: every id and class is another, and every function is the same."""

from __future__ import annotations

import re

import pytest

from demo.visitor import ADDRESS, Answer, Visitor
from director.demo.site import Site
from director.demo.site.look import SiteDesign

PAGES = ("/", "/mail", "/mail/3", "/grid", "/shop", "/shop/cart", "/shop/orders", "/flaky", "/lab")


def names(page: Answer) -> set[str]:
    """All ids and classes of a page."""
    given = page.all(r' (?:id|class)="([^"]+)"')
    return {name for each in given for name in each.split()}


def order(text: str) -> list[int]:
    """Where the main blocks of the start page stand in its markup."""
    blocks = ("/api/state", "paper-boats", "A stationery shop")
    return sorted(range(3), key=lambda at: text.index(blocks[at]))


@pytest.mark.parametrize("path", PAGES)
def test_no_id_and_no_class_survives(path: str) -> None:
    """On any page; the blocks are wrapped, and what they lead to is the same."""
    with Site().serve() as usual, Site(redesign=True).serve() as other:
        before, after = Visitor(usual), Visitor(other)
        for visitor in (before, after):
            visitor.enter_shop()
        one, two = before.get(path), after.get(path)
    assert names(one) & names(two) == set()
    assert len(names(two)) >= len(names(one)) > 5
    assert len(re.findall("<div", two.text)) > len(re.findall("<div", one.text))
    actions = r'<form[^>]* action="([^"]*)"'
    assert sorted(one.all(actions)) == sorted(two.all(actions))
    fields = r'<(?:input|select|textarea)[^>]* name="([^"]*)"'
    assert sorted(one.all(fields)) == sorted(two.all(fields))


def test_words_and_order_change_too(site: Site) -> None:
    """Some labels, and which block comes first."""
    with Site(redesign=True).serve() as redesigned:
        one, two = Visitor(site).get("/").text, Visitor(redesigned).get("/").text
        assert order(one) == order(two)[::-1]
        assert "Add to cart" in Visitor(site).get("/shop").text
        assert "Put in basket" in Visitor(redesigned).get("/shop").text


def test_the_address_switches_it_for_one_browser(site: Site) -> None:
    """It stays on until it is switched off, and nobody else sees it."""
    visitor = Visitor(site)
    first = visitor.get("/shop")
    assert names(visitor.get("/shop?redesign=1")) & names(first) == set()
    assert names(visitor.get("/shop")) & names(first) == set()
    assert Visitor(site).get("/shop").text == first.text
    assert visitor.get("/shop?redesign=0").text == first.text
    with Site(redesign=True).serve() as redesigned:
        other = Visitor(redesigned)
        other.get("/?redesign=0")
        assert other.get("/shop").text == first.text


def test_every_class_of_a_page_is_in_the_style_sheet_of_its_look() -> None:
    """The sheet is renamed with the pages, and keeps its numbers and selectors."""
    styled: list[set[str]] = []
    for redesign in (False, True):
        with Site(redesign=redesign).serve() as site:
            visitor = Visitor(site)
            visitor.enter_shop()
            sheet = visitor.get("/static/site.css").text
            shown = set().union(*(names(visitor.get(path)) for path in PAGES))
        styled.append({name for name in shown if f".{name}" in sheet})
        assert "gap: 0.6rem" in sheet
        assert "blur" not in sheet
    usual, redesigned = styled
    assert {SiteDesign(redesign=True).name(name) for name in usual} <= redesigned


def test_another_seed_draws_other_names() -> None:
    """So that nobody can learn them."""
    drawn = {SiteDesign(redesign=True, seed=seed).name("button") for seed in range(20)}
    assert len(drawn) == 20
    assert all(re.fullmatch("[a-z][a-z0-9]+", name) for name in drawn)


def test_the_same_things_can_be_done() -> None:
    """Login with a code, order, archive, row: the state afterwards is the same as without."""
    states = []
    for redesign in (False, True):
        with Site(redesign=redesign).serve() as site:
            visitor = Visitor(site)
            visitor.enter_shop()
            visitor.post("/mail/5/archive")
            visitor.post("/grid/rows/2", {"column": "note", "value": "new"})
            visitor.post(
                "/shop/orders", {**ADDRESS, "line": f"{next(iter(site.state.products))}:2"}
            )
            states.append(visitor.state())
    assert states[0] == states[1]
    assert states[0]["orders"]
