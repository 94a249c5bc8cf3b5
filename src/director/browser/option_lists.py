"""The list that a field opens: its options, and the one that is chosen by its name.

Only options of that list count: those in what the field says that it controls, else those that
were not shown before it was opened. A list that draws a part of its options is narrowed by the
search field that it has, or scrolled.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator
from playwright.async_api import TimeoutError as PlaywrightTimeout

from director.browser.element_portraits import Sight
from director.browser.elements import find_matching_elements
from director.browser.errors import BrowserError, shorten_error, shorten_quoted_elements
from director.browser.field_kinds import OPTION
from director.browser.masks import MaskedPage
from director.browser.session import Session

_LOOK_AGAIN: Final = 0.05
_OPENS: Final = 3.0
_DRAWN: Final = 1.0
"""Seconds until the options that are drawn at first must be there."""
_SCROLLS: Final = 300
_NAMED: Final = 20
_GONE: Final = 1_000
"""Milliseconds after which an option that is not there any more is not waited for."""
_CLICKS: Final = 3
"""How often an option is clicked at most within the time of the node."""
_IS_OPEN: Final = """element => {
    const field = element.control ?? element;
    return field.getAttribute("aria-expanded") === "true";
}"""
_CONTROLS: Final = """element => {
    const field = element.control ?? element;
    const said = ["aria-controls", "aria-owns"].map(key => field.getAttribute(key) ?? "");
    const ids = said.join(" ").split(/\\s+/).filter(Boolean);
    const root = field.getRootNode();
    const lists = ids.map(id => root.getElementById?.(id) ?? document.getElementById(id));
    return ids.filter((_, at) => lists[at]?.querySelector("[role=option]") ||
        lists[at]?.getAttribute("role") === "listbox");
}"""
_IS_IN: Final = """(element, ids) => {
    for (let at = element; at; at = at.parentNode ?? at.host) if (ids.includes(at.id)) return true;
    return false;
}"""
# The field of the list itself that takes words, if it has the focus or is the only one around it.
_SEARCH: Final = "input:not([type=hidden], [type=checkbox], [type=radio])"
_SCROLL: Final = """(element, back) => {
    let at = element.parentElement;
    while (at && !(at.scrollHeight > at.clientHeight + 1 &&
        /auto|scroll/.test(getComputedStyle(at).overflowY))) at = at.parentElement;
    if (!at) return false;
    const before = at.scrollTop;
    at.scrollTop = back ? 0 : before + Math.max(20, at.clientHeight * 0.8);
    return at.scrollTop !== before;
}"""
_HAS_SEARCH: Final = """(element, search) => {
    const list = element.closest("[role=listbox]") ?? element.parentElement;
    for (let at = list, far = 0; at && far < 4; at = at.parentElement, far += 1) {
        if (at.matches("form, body, main")) return "";
        const found = [...at.querySelectorAll(search)].filter(each => each.checkVisibility());
        if (found.length) return found.length === 1 ? (found[0].dataset.directorSearch = "1") : "";
    }
    return "";
}"""


@dataclass(frozen=True, slots=True)
class OptionList:
    """The list of one field: `before` are the options that were shown while it was closed."""

    session: Session
    field: Locator
    before: frozenset[int]

    async def list_visible(self) -> list[Sight]:
        """Its options that can be seen now."""
        ids = await self._controls()

        async def look(seen: MaskedPage) -> list[Sight]:
            every = (await find_matching_elements(seen, OPTION)).visible().sights
            if ids:
                return [one for one in every if await _is_in(one, ids)]
            return [one for one in every if one.portrait.node not in self.before]

        return await self.session.look(self.session.page(), look)

    async def _controls(self) -> list[str]:
        try:
            return list(await self.field.evaluate(_CONTROLS))
        except PlaywrightError:
            return []

    async def choose(
        self, text: str, within: float, is_chosen: Callable[[], Awaitable[bool]]
    ) -> str:
        """Click the one option of a name; what stood in the way if it may not have been clicked."""
        shown = await self._wait(text, _DRAWN)
        if not _fits(shown, text) and shown:
            shown = await self._search(shown, text, within)
        if not _fits(shown, text) and shown:
            shown = await self._scroll(shown, text)
        if not _fits(shown, text):
            shown = await self._wait(text, _OPENS - _DRAWN)
        fits = _fits(shown, text)
        if len(fits) != 1:
            # Left open, its options could not be told from those of other lists the next time.
            await self.session.page().keyboard.press("Escape")
            raise self._missing(shown, text, len(fits))
        return await self._click(fits[0], text, within, is_chosen)

    async def _click(
        self, option: Sight, text: str, within: float, is_chosen: Callable[[], Awaitable[bool]]
    ) -> str:
        """Click an option, or the one that has taken its place in a list that is drawn anew.

        A click that took too long may have been done: what the field shows decides.
        """
        until = time.monotonic() + within / 1000
        while True:
            try:
                async with self.session.acting(self.session.page()):
                    await option.locator(exact=False).click(timeout=max(_GONE, within / _CLICKS))
            except PlaywrightTimeout as problem:
                fits = _fits(await self.list_visible(), text)
                if len(fits) != 1 or time.monotonic() >= until or await is_chosen():
                    said = shorten_quoted_elements(shorten_error(problem.message))
                    return f"The click on the option took too long: {said}"
                option = fits[0]
            else:
                return ""

    def _missing(self, shown: Sequence[Sight], text: str, fits: int) -> BrowserError:
        names = ", ".join(repr(_name(sight)) for sight in shown[:_NAMED])
        return BrowserError(
            f"There is no one option {text!r} in the list of this field: {fits} of that name are "
            f"shown, also after it was searched and scrolled. Nothing was chosen. Shown: "
            f"{self.session.net.clean(names) or 'none'}."
        )

    async def _wait(self, text: str, seconds: float) -> list[Sight]:
        until = time.monotonic() + seconds
        while True:
            shown = await self.list_visible()
            if _fits(shown, text) or time.monotonic() >= until:
                return shown
            await asyncio.sleep(_LOOK_AGAIN)

    async def _search(self, shown: Sequence[Sight], text: str, within: float) -> list[Sight]:
        """Narrow the list by the field that stands in it, if it has one."""
        field = shown[0].frame.locator("css=[data-director-search]")
        try:
            first = shown[0].locator(exact=False)
            if not await first.evaluate(_HAS_SEARCH, _SEARCH, timeout=_GONE):
                return list(shown)
            await self.session.fill(field, text, within=within)
            await field.evaluate("element => delete element.dataset.directorSearch")
        except PlaywrightError:
            return list(shown)
        return await self._wait(text, _DRAWN)

    async def _scroll(self, shown: list[Sight], text: str) -> list[Sight]:
        """Scroll from its beginning to its end, until the option is drawn."""
        for step in range(_SCROLLS):
            if not shown or _fits(shown, text):
                break
            last = shown[-1].locator(exact=False)
            try:
                moved = await last.evaluate(_SCROLL, step == 0, timeout=_GONE)
            except PlaywrightError:
                # It was drawn anew in the meantime.
                moved = True
            if not moved and step:
                break
            await asyncio.sleep(_LOOK_AGAIN)
            shown = await self.list_visible()
        return shown


async def _is_in(option: Sight, ids: list[str]) -> bool:
    """Whether an option stands in one of these elements; one that was drawn anew does not."""
    try:
        return bool(await option.locator(exact=False).evaluate(_IS_IN, ids, timeout=_GONE))
    except PlaywrightError:
        return False


def _fits(shown: Sequence[Sight], text: str) -> list[Sight]:
    return [sight for sight in shown if _name(sight) == text]


def _name(option: Sight) -> str:
    """What an option says; one without a role has no name of its own."""
    return option.portrait.like.name or option.portrait.like.text


async def open_list(session: Session, field: Locator, within: float) -> OptionList:
    """Open the list of a field, unless it is open."""
    page = session.page()

    async def look(seen: MaskedPage) -> frozenset[int]:
        every = (await find_matching_elements(seen, OPTION)).visible().sights
        return frozenset(one.portrait.node for one in every)

    before = await session.look(page, look)
    if not await field.evaluate(_IS_OPEN, timeout=within):
        async with session.acting(page):
            await field.click(timeout=within)
    return OptionList(session, field, before)
