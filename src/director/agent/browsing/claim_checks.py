"""Claims about a page, done again by the runtime: a selector matches so many, a text is so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from director.agent.browsing.element_names import find_element_name
from director.browser import BrowserError, Session
from director.browser.bundle import LocatorError
from director.browser.elements import find_matching_elements, read_element_text
from director.browser.masks import MaskedPage
from director.sections.value_text import write_compact_value

_WAIT = 2_000


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim, whether it holds, and how to tell of it."""

    holds: bool
    told: str


async def check_claim(session: Session, tab: str, claim: Mapping[str, object]) -> Checked:
    """Look whether a claim holds on the page of a tab now."""
    selector, note = str(claim["selector"]), str(claim.get("note") or "")
    says = f" ({note})" if note else ""

    async def look(seen: MaskedPage) -> tuple[int, str]:
        every = await find_matching_elements(seen, selector)
        count = len(every)
        if claim["claim"] != "text" or not count:
            return count, ""
        first = (every.visible() or every).locator()
        return count, seen.clean(await read_element_text(first, timeout=_WAIT))

    try:
        async with session.doing(f"check {selector!r}"):
            count, text = await session.look(session.page(tab), look)
    except (BrowserError, LocatorError) as problem:
        return Checked(holds=False, told=f"{selector}: {problem}")
    names = await _name_first(session, tab, selector) if count else ""
    if claim["claim"] == "matches":
        if count == claim.get("count"):
            return Checked(holds=True, told=f"{selector} matches {count}{says}{names}")
        told = f"{selector} matches {count}, not {claim.get('count')}"
        return Checked(holds=False, told=told)
    wanted = " ".join(str(claim.get("text", "")).split())
    if count and " ".join(text.split()) == wanted:
        return Checked(holds=True, told=f"{selector} says {wanted!r}{says}{names}")
    return Checked(holds=False, told=f"{selector} does not say {wanted!r}")


async def _name_first(session: Session, tab: str, selector: str) -> str:
    """What else names the first element of a finding: its id, name, test id and label."""
    try:
        first = session.page(tab).locator(f"css={selector}").first
        found = await find_element_name(session, tab, first)
    except BrowserError:
        return ""
    return f"; the first is {write_compact_value(found)}" if found else ""
