"""The pages of a list that were turned, and those that its pager leads to. Reads only.

What its pager lists without a link says nothing: some list pages that there are none of.
"""

from __future__ import annotations

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

    def list_doubts(self, steps: int) -> list[Json]:
        """A doubt about a list that ended before the last page that its pager led to.

        Only where each of the `steps` went on by one page, as its pager counted.
        """
        first = self._shown[0] if self._shown else 0
        last = first + steps
        if self._shown != [*range(first, last)] or self._linked <= last:
            return []
        said = (
            f"The pager of the list leads to page {self._linked}, and the list ended at page "
            f"{last}: what is on the pages after it was not read."
        )
        evidence: Json = {"page": last, "last": self._linked}
        return [{"kind": "next", "sentence": said, "evidence": evidence}]
