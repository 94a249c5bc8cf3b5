"""Each ref of an outline becomes a bundle that leads to its element and to no other."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from playwright.async_api import Page

from director.browser import Browser, Origins
from director.browser.bundle import Bundle, LocatorError
from director.browser.descriptions import describe_ref, rests_on_position
from director.browser.locators import resolve
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
        found = (await resolve(page, bundle)).locator
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
