"""The redesign of the demo site as a test of locators: the same elements before and after.

Which element of the redesigned page is which is told by what a redesign keeps and no locator reads
as one key: all attributes but ids and classes, the form they send, and the known new name of an id.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Page

from director.demo.site import Site
from director.demo.site.look import SiteDesign
from director.demo.site.values import MAIL_PASSWORD, USER

PATHS = (
    "/",
    "/mail/login",
    "/mail",
    "/mail/3",
    "/grid",
    "/shop",
    "/shop/products/{sku}",
    "/shop/cart",
    "/shop/login",
    "/shop/checkout",
    "/flaky",
    "/lab",
)
_KEYS = """ids => {
  const open = "a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=tab]";
  const left = new Set("id class style for aria-labelledby aria-describedby aria-label placeholder title".split(" "));
  const key = (el) => JSON.stringify([
    el.nodeName, ids[el.id] || el.id, el.closest("form")?.getAttribute("action"),
    [...el.attributes].filter((each) => !left.has(each.name) && !each.name.startsWith("data-"))
      .map((each) => `${each.name}=${each.value}`).sort(),
  ]);
  const found = new Map();
  for (const el of document.querySelectorAll(open)) {
    const box = el.getBoundingClientRect();
    if (!el.checkVisibility({ visibilityProperty: true }) || !box.width || !box.height) continue;
    found.set(key(el), [...(found.get(key(el)) || []), el]);
  }
  return found;
}"""


@asynccontextmanager
async def visited(page: Page) -> AsyncIterator[Site]:
    """The site, with somebody logged in and something in the cart."""
    with Site(seed=1).serve() as site:
        login = {"user": USER, "password": MAIL_PASSWORD}
        await page.request.post(f"{site.url}/mail/login", form=login)
        sku = next(iter(site.state.products))
        await page.request.post(f"{site.url}/shop/cart", form={"sku": sku, "quantity": "2"})
        for session in site.state.sessions.values():
            session.shop = True
        yield site


async def keys(page: Page, site: Site, path: str, *, redesign: bool) -> list[str]:
    """Show a page in one of its looks; the keys that single out one element there."""
    sku = next(iter(site.state.products))
    await page.context.add_cookies(
        [{"name": "redesign", "value": str(int(redesign)), "url": site.url}]
    )
    await page.goto(site.url + path.format(sku=sku))
    ids = await _ids(page, redesign=redesign)
    return list(
        await page.evaluate(
            f"ids => [...({_KEYS})(ids)].filter(([, els]) => els.length === 1).map(([key]) => key)",
            ids,
        )
    )


async def pointed(page: Page, wanted: list[str], *, redesign: bool) -> None:
    """Put the elements with these keys into `window.truth`, in this order."""
    ids = await _ids(page, redesign=redesign)
    await page.evaluate(
        f"([ids, keys]) => {{ const found = ({_KEYS})(ids); "
        "window.truth = keys.map((key) => found.get(key)[0]); }",
        [ids, wanted],
    )


async def _ids(page: Page, *, redesign: bool) -> dict[str, str]:
    """From the ids of this look to the names they have in both."""
    shown = await page.evaluate("[...document.querySelectorAll('[id]')].map((el) => el.id)")
    if redesign:
        return {each: each for each in shown}
    look = SiteDesign(redesign=True, seed=1)
    return {each: look.name(each) for each in shown}
