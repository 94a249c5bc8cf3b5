"""The pages of a list that were turned, and those that its pager leads to. Reads only.

What its pager lists without a link says nothing: some list pages that there are none of.
"""

from __future__ import annotations

from itertools import groupby
from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator

from director.workflow.values import Json

# The page that is shown and the last one that can be opened, by the numbers around what leads on.
PAGER: Final = """next => {
    const NUMBER = /^\\d{1,6}$/;
    const said = e => (e.innerText ?? "").replace(/\\s+/g, " ").trim();
    const isLive = e => !e.disabled && !e.closest("[aria-disabled=true],.disabled,[disabled]") &&
        getComputedStyle(e).pointerEvents !== "none" &&
        (e.matches("button,[role=button],[onclick]") || e.hasAttribute("href"));
    for (let at = next.parentElement, up = 0; at && up < 4; at = at.parentElement, up += 1) {
        if (at.matches("body,table,tbody,tr") || said(at).length > 300) return null;
        const numbered = [...at.querySelectorAll("a,button")].filter(e => NUMBER.test(said(e)));
        const shown = "[aria-current],.this-page,.current,.active,.selected,strong";
        const current = [...at.querySelectorAll(shown)].map(said).find(t => NUMBER.test(t));
        if (!current || !numbered.length) continue;
        return [Number(current), Math.max(0, ...numbered.filter(isLive).map(e => Number(said(e))))];
    }
    return null;
}"""
_WITHIN: Final = 1_000


class PageSizes:
    """How many items each page of a list showed that was turned; of one that only grows nothing."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._last: list[Json] = []
        self._grows = False

    def note(self, shown: list[Json]) -> None:
        """Take what a page showed; one that shows the same as before is the same page."""
        if not shown or shown == self._last:
            return
        self._grows = self._grows or (bool(self._last) and self._last[0] in shown)
        self._sizes.append(len(shown))
        self._last = shown

    def list_sizes(self) -> list[int]:
        """The sizes of two pages or more, in their order."""
        return [] if self._grows or len(self._sizes) < 2 else self._sizes


class TurnedPages:
    """What the pagers said on the pages that were turned, in their order."""

    def __init__(self) -> None:
        self._shown: list[int] = []
        self._linked = 0

    async def look(self, leading: Locator) -> None:
        """Read the pager around what leads on, before it is followed."""
        try:
            found = await leading.evaluate(PAGER, timeout=_WITHIN)
        except PlaywrightError:
            return
        if found:
            self.note(*found)

    def note(self, current: int, linked: int) -> None:
        """Take the page that was shown, and the last one that its pager leads to."""
        self._shown.append(current)
        self._linked = max(self._linked, linked)

    def list_doubts(self, steps: int, *, is_last: bool) -> list[Json]:
        """A doubt about a list that ended before the last page that its pager led to.

        `is_last` says that nothing led on any more after so many steps. Else the list must have
        stayed where it was: one whose pages turn and bring nothing new was read whole before.
        """
        last = self._find_last(steps, is_last=is_last)
        if not last or self._linked <= last:
            return []
        said = (
            f"The pager of the list leads to page {self._linked}, and the list ended at page "
            f"{last}: what is on the pages after it was not read."
        )
        evidence: Json = {"page": last, "last": self._linked}
        return [{"kind": "next", "sentence": said, "evidence": evidence}]

    def _find_last(self, steps: int, *, is_last: bool) -> int:
        """The last page that was shown; 0 where its pager does not count on by one."""
        pages = [page for page, _ in groupby(self._shown)]
        if not pages or pages != [*range(pages[0], pages[0] + len(pages))]:
            return 0
        if self._shown[-1:] == self._shown[-2:-1]:
            return pages[-1] if len(pages) > 1 else 0
        return pages[-1] + 1 if is_last and len(self._shown) == steps else 0
