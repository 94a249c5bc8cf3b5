"""What a page tells at a glance, and what of it is new after something was done.

Messages, dialogs and headings first, then what can be acted on. What is new is described by
bundles, each of which means exactly one element of the page. Nothing on the page is changed.
"""

from __future__ import annotations

import asyncio
import re
import time
from typing import TypeAlias

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator, Page

from director.browser.bundle import Bundle, LocatorError
from director.browser.locators import make_locator_bundle, resolve_locator
from director.browser.masks import MaskedPage
from director.browser.session import Session

Glance: TypeAlias = tuple[tuple[int, str, str], ...]
"""Each telling element that can be seen: how much it tells (0 is most), its tag, its words."""

_MESSAGES = "[role=alert],[role=status],[role=dialog],[role=alertdialog],dialog[open],output"
_HEADINGS = "h1,h2,h3,[role=heading]"
_PARTS = "button,[role=button],a[href],input:not([type=hidden]),select,textarea,table"
_GLANCE = """(elements, kinds) => elements.map(element => {
  const unread = globalThis.__directorMasks?.hidesText(element);
  const text = (unread ? '' : element.innerText || '').trim().replace(/\\s+/g, ' ').slice(0, 200);
  const weight = kinds.findIndex(kind => element.matches(kind));
  const own = weight < 2 ? text : text || element.getAttribute('aria-label')
    || element.name || element.id;
  return [weight, element.tagName, own || ''];
})"""
_LOOK_AGAIN = 0.1
_SETTLED = 1.5


async def read_page_notices(session: Session) -> Glance:
    """What the active tab tells now; nothing if it is just going elsewhere."""
    page = session.page()
    try:
        found = await session.look(
            page, lambda _: _telling(page).evaluate_all(_GLANCE, [_MESSAGES, _HEADINGS, _PARTS])
        )
    except PlaywrightError:
        return ()
    return tuple((weight, tag, words) for weight, tag, words in found)


async def find_new_page_notices(session: Session, before: Glance, most: int = 2) -> list[Bundle]:
    """What the active tab tells that it did not tell before, the most telling first."""
    now = await _wait_until_settled(session, before)
    fresh = [at for at, each in enumerate(now) if each[2] and each not in before]
    # Numbers are mostly of this one time: of an order, of a date.
    fresh.sort(key=lambda at: (re.search(r"\d", now[at][2]) is not None, now[at][0], at))
    found: list[Bundle] = []
    for at in fresh[: 4 * most]:
        bundle = await _bundle(session, _telling(session.page()).nth(at))
        if bundle is not None and len(found) < most:
            found.append(bundle)
    return found


async def _wait_until_settled(session: Session, before: Glance) -> Glance:
    """What it tells when it has told something new and rests, or when enough was waited."""
    until, last = time.monotonic() + _SETTLED, before
    while True:
        now = await read_page_notices(session)
        if time.monotonic() >= until or (now == last and now != before):
            return now
        last = now
        await asyncio.sleep(_LOOK_AGAIN)


async def _bundle(session: Session, element: Locator) -> Bundle | None:
    """The bundle of an element, if it means this one and no other."""
    page = session.page()

    async def look(_: MaskedPage) -> Bundle:
        return await make_locator_bundle(page, element, clean=session.net.clean)

    try:
        made = await session.look(page, look)
        await resolve_locator(page, made, looks=session.look)
    except (LocatorError, PlaywrightError):
        return None
    return made


def _telling(page: Page) -> Locator:
    return page.locator(f"css={_MESSAGES},{_HEADINGS},{_PARTS}").filter(visible=True)
