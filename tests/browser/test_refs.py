"""Each ref of an outline becomes a bundle that leads to its element and to no other."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import pytest
from playwright.async_api import Page

from browser.bare import on
from director.browser import Browser, Origins
from director.browser.bundle import Bundle, LocatorError, NoElement
from director.browser.descriptions import describe_ref, make_element_description, rests_on_position
from director.browser.element_portraits import ask_about_portraits
from director.browser.locators import find_all_located, make_locator_bundle, resolve_locator
from director.browser.masks import MaskedPage
from director.demo.site import Site

MOST = 10
PATHS = ("/mail", "/shop", "/shop/login", "/grid", "/lab")
_MARK = """(element, at) => {
  element.__truth = at;
  const steps = [];
  for (let el = element; el.parentElement; el = el.parentElement)
    steps.unshift([...el.parentElement.children].indexOf(el));
  return steps;
}"""
_MARK_AGAIN = """known => known.forEach((steps, at) => {
  let el = document.documentElement;
  for (const step of steps) el = el?.children[step];
  if (el) el.__truth = at;
})"""
_RENAME = """() => document.body.querySelectorAll("[id], [class]").forEach((el, at) => {
  for (const by of document.querySelectorAll(`[for="${el.id}"]`)) by.htmlFor = `x${at}y`;
  if (el.id) el.id = `x${at}y`;
  if (el.className) el.setAttribute("class", `css-${at}`);
})"""
_REMOVE = """at => [...document.body.querySelectorAll("*")].filter(el => el.__truth === at).forEach(el => el.remove())"""


async def find(page: Page, bundle: Bundle) -> int | None:
    """The number of the element that a bundle means: -1 of one without, None if it means none."""
    try:
        found = (await resolve_locator(page, bundle)).locator
    except LocatorError:
        return None
    return int(await found.evaluate("element => element.__truth ?? -1"))


@pytest.mark.parametrize("path", PATHS)
def test_refs_lead_to_their_elements(browser: Browser, run: Any, path: str) -> None:
    """In the same document and after a reload each; after changes and removals never to another."""

    async def go(site: Site) -> None:
        async with browser.session(Origins([site.url])) as session:
            page = session.page()
            await session.navigate(site.url + path)
            refs = sorted(set(re.findall(r"\[ref=(e\d+)\]", (await session.snapshot()).text)))
            chosen = random.Random(path).sample(refs, min(MOST, len(refs)))
            known, bundles = [], []
            for at, ref in enumerate(chosen):
                known.append(await page.locator(f"aria-ref={ref}").evaluate(_MARK, at))
                bundles.append((await describe_ref(page, ref, session.look)).bundle)
            assert not any(map(rests_on_position, bundles))
            every = list(range(len(bundles)))
            assert [await find(page, bundle) for bundle in bundles] == every
            await session.navigate(site.url + path)
            await page.evaluate(_MARK_AGAIN, known)
            assert [await find(page, bundle) for bundle in bundles] == every
            await page.evaluate(_RENAME)
            found = [await find(page, bundle) for bundle in bundles]
            assert all(meant in (at, None) for at, meant in enumerate(found)), found
            assert sum(meant is not None for meant in found) >= 0.7 * len(found)
            await page.evaluate(_REMOVE, 0)
            assert await find(page, bundles[0]) is None

    with Site(seed=1).serve() as site:
        run(go(site))


PAGER = """<main><h1>Details</h1><nav aria-label="Pages"><ul><li><i></i></li><li>1</li><li>2</li><li>3</li><li>4</li>
<li>5</li><li><i></i></li><li>9</li><li id="q7123"><i></i></li></ul></nav><p>End</p></main>"""
_LAST = "li:last-child"
_SHUFFLE = "document.querySelector('ul').append(...[8, 1, 3, 2, 4, 5, 6, 7, 0].map(at => document.querySelectorAll('li')[at]))"
_FRONT = "document.querySelector('ul').prepend(document.querySelector('li:last-child'))"
_FEWER = "document.querySelector('li').remove()"
_NAMED = "document.querySelector('li:last-child').setAttribute('aria-label', 'Next')"


@pytest.mark.parametrize(
    "change", [_SHUFFLE, _FRONT, _FEWER, _NAMED], ids=["shuffled", "moved", "fewer", "named"]
)
def test_what_only_its_place_tells_means_no_other(change: str) -> None:
    """Its bundle says what stood around it, survives new ids, and finds nothing after a change."""

    async def go(page: Page) -> str:
        last = page.locator(_LAST)
        place = str(await ask_about_portraits(last, "place"))
        bundle = replace(await make_locator_bundle(page, last), css=place)
        assert rests_on_position(bundle)
        await page.evaluate(f"document.querySelector('{_LAST}').id = 'q9123'")
        found = (await resolve_locator(page, bundle)).locator
        assert await found.get_attribute("id") == "q9123"
        await page.evaluate(change)
        with pytest.raises(NoElement):
            await find_all_located(MaskedPage(page), bundle)
        with pytest.raises(NoElement) as refused:
            await resolve_locator(page, bundle)
        return str(refused.value)

    said = on(go, pager=PAGER)
    assert "by its place alone" in said
    assert "has changed" in said
    assert "describe_element" in said


def test_a_bare_place_is_css_or_nothing() -> None:
    """A bundle of nothing but a place is refused; as CSS it means whatever stands there."""
    place = "html:nth-child(1) > body:nth-child(2) > main:nth-child(1) > p:nth-child(3)"

    async def go(page: Page) -> str:
        assert await (await resolve_locator(page, place)).locator.inner_text() == "End"
        with pytest.raises(NoElement) as refused:
            await resolve_locator(page, {"css": place})
        return str(refused.value)

    assert f"give the CSS itself as the selector: {place!r}" in on(go, pager=PAGER)


def test_items_that_nothing_tells_apart_are_told_by_their_place() -> None:
    """The description says so; one item less, and the bundle means none of those that are left."""
    items = "<main><h1>Details</h1><ul>" + "<li><i></i></li>" * 4 + "</ul><p>End</p></main>"

    async def go(page: Page) -> None:
        told = await make_element_description(MaskedPage(page), page.locator("li").nth(1), "it")
        assert told.rests_on_position
        assert "only while nothing around it has changed" in told.ways[0]
        await page.evaluate(_FEWER)
        assert await find(page, told.bundle) is None

    on(go, items=items)
