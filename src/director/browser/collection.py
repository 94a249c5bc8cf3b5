"""Collecting a whole list: what is drawn is read, then it is scrolled or turned, until nothing new.

Items of one key are one item. The list ends when it can go no further and nothing new comes; what
the page itself states as its total is compared with what was found.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias, cast

from director.browser.bundle import NoElement, SeveralElements
from director.browser.element_portraits import (
    PageChanged,
    ask_about_portraits,
    evaluate_element_portraits,
)
from director.browser.elements import (
    Result,
    find_matching_elements,
    find_one_element,
    read_config_number,
    read_element_text,
)
from director.browser.errors import BrowserError
from director.browser.list_items import (
    Gathering,
    Patience,
    explain_missing_key,
    is_empty,
    read_total,
)
from director.browser.masks import MaskedPage
from director.browser.session import Session
from director.browser.turned_pages import PageSizes, TurnedPages
from director.workflow.values import Config, Json

Extract: TypeAlias = Callable[[MaskedPage, Config], Awaitable[Result]]
_COMES: Final = 1.0
"""Seconds in which more has to come after a step."""
_DRAWN: Final = 0.1
"""Seconds until what is drawn is that of the beginning."""
_LOOK_AGAIN: Final = 0.03
_IDLE: Final = 2
"""Steps that may bring nothing new before a list counts as ended."""
# Where links lead; what only a script knows is no address.
ADDRESSES: Final = """elements => elements.map(e =>
    /^(#|javascript:|$)/i.test(e.getAttribute("href") ?? "") ? "" : e.href)"""
# How far it came: whether it moved, and whether that was the end of it.
SCROLL: Final = """(elements, back) => {
    const SCROLLS = /auto|scroll|overlay/;
    const moves = node => node.scrollHeight > node.clientHeight + 1 &&
        (node === document.scrollingElement || SCROLLS.test(getComputedStyle(node).overflowY));
    let at = elements[0];
    while (at && !moves(at)) at = at.parentElement ?? at.getRootNode().host ?? null;
    at = at ?? document.scrollingElement;
    if (!at || !moves(at)) return [[false, true]];
    const before = at.scrollTop;
    if (back) at.scrollTo({top: 0, behavior: "instant"});
    else at.scrollBy({top: Math.max(40, at.clientHeight * 0.85), behavior: "instant"});
    return [[at.scrollTop !== before, at.scrollTop + at.clientHeight >= at.scrollHeight - 2]];
}"""


async def collect_list_items(session: Session, config: Config, extract: Extract) -> Result:
    """All items of a list, in the order in which they were seen."""
    given = (
        None if config.get("timeout") is None else read_config_number(config, "timeout", 0) / 1000
    )
    patience, left = Patience(time.monotonic(), given), ""
    limit = read_config_number(config, "limit", 1_000_000)
    items = _Reading(session, {**config, "limit": None}, extract)
    steps, idle, ended, last = 0, 0, False, False
    turned, sizes = TurnedPages(), PageSizes()
    if config.get("next") is None and (await _scroll(session, config, back=True))[0]:
        await asyncio.sleep(_DRAWN)
    while not ended:
        fresh, known = await items.read(), len(items)
        if not steps and (lost := explain_missing_key(items.shown, _list_keys(config))):
            raise BrowserError(f"{lost} Nothing was kept. Correct the field, or name another key.")
        if len(items) >= limit or (left := patience.explain_end(time.monotonic())):
            break
        sizes.note(items.shown)
        moved, last = await _step(session, config, turned)
        steps += moved
        came = await items.wait_for_more()
        patience.note(fresh + len(items) - known, time.monotonic())
        idle = 0 if came or fresh else idle + 1
        ended = not came and (last or not moved or idle > _IDLE)
    kept = items.items(limit)
    sizes.note(items.shown)
    result: Result = {"items": cast("Json", kept), "count": len(kept), "steps": steps}
    if config.get("next") is not None and (pages := sizes.list_sizes()):
        result["pages"] = [*pages]
    doubts = [
        *items.list_doubts(),
        *_tell_left(left, result),
        *(turned.list_doubts(steps, is_last=last) if ended else ()),
        *await _compare(session, config, result, whole=len(items) < limit),
    ]
    return {**result, "doubts": cast("Json", doubts)} if doubts else result


def _list_keys(config: Config) -> tuple[Json, ...]:
    """The fields by which items are told apart while they are read, and as records."""
    records = config.get("create_records")
    return config.get("key"), records.get("key") if isinstance(records, Mapping) else None


def _tell_left(why: str, result: Result) -> list[Json]:
    """Mark a result of a list that was left before its end; the doubt about it."""
    if not why:
        return []
    result["stopped"] = why
    count, steps = result["count"], result["steps"]
    said = f"{why}: {count} items were read in {steps} steps, and more may follow. Give a longer "
    seen: Json = {"read": count, "steps": steps}
    return [{"kind": "early", "sentence": f"{said}'timeout', or a 'limit'.", "evidence": seen}]


class _Reading(Gathering):
    """What is read of a list, look by look."""

    def __init__(self, session: Session, config: Config, extract: Extract) -> None:
        super().__init__(config.get("key"))
        self._session = session
        self._config = config
        self._extract = extract
        self._told: list[Json] = []
        self._is_read = False
        self.shown: list[Json] = []

    async def read(self) -> int:
        """Read what is drawn; how many items of it are new."""
        for _ in range(5):
            try:
                page = self._session.page()
                found = await self._session.look(
                    page, lambda seen: self._extract(seen, self._config)
                )
                break
            except PageChanged:
                await asyncio.sleep(_LOOK_AGAIN)
        else:
            raise BrowserError("The list changed all the time while it was read. Nothing was kept.")
        told, read = found.get("doubts"), found["items"]
        self._told = told if isinstance(told, list) else []
        self._is_read = self._is_read or bool(read and not told)
        self.shown = [each for each in read if not is_empty(each)] if isinstance(read, list) else []
        return self.add(self.shown)

    async def wait_for_more(self) -> bool:
        """Whether something new comes within a moment."""
        until = time.monotonic() + _COMES
        while not await self.read():
            if time.monotonic() >= until:
                return False
            await asyncio.sleep(_LOOK_AGAIN)
        return True

    def list_doubts(self) -> list[Json]:
        """What speaks against the items, and against a list of which nothing was read."""
        return [*self.doubts(), *([] if self._is_read else self._told)]


async def _step(session: Session, config: Config, turned: TurnedPages) -> tuple[bool, bool]:
    """Go on by a page or by scrolling: whether it moved, and whether it can go no further."""
    if config.get("next") is not None:
        return await _turn(session, config, turned)
    return await _scroll(session, config)


async def _scroll(session: Session, config: Config, *, back: bool = False) -> tuple[bool, bool]:
    async def scroll(seen: MaskedPage) -> tuple[bool, bool]:
        sights = (
            await find_matching_elements(seen, config.get("container") or config["selector"])
        ).sights
        if not sights:
            return False, True
        (moved, last), *_ = await evaluate_element_portraits(sights[:1], SCROLL, back)
        return moved, last

    return await session.look(session.page(), scroll)


async def _turn(session: Session, config: Config, turned: TurnedPages) -> tuple[bool, bool]:
    leads_on: Config = {"selector": config["next"], "timeout": 1_000}
    try:
        found = await find_one_element(session, leads_on)
    except NoElement:
        return False, True
    except SeveralElements:
        # A pager above the list and one below it lead to the same place.
        if not await _lead_to_one_page(session, config["next"]):
            raise
        found = await find_one_element(session, {**leads_on, "first": True})
    if await found.locator.is_disabled():
        return False, True
    said = await ask_about_portraits(found.locator, "state")
    if said["disabled"]:
        return False, True
    await turned.look(found.locator)
    async with session.acting(session.page()):
        await found.locator.click()
    return True, False


async def _lead_to_one_page(session: Session, selector: Json) -> bool:
    async def look(seen: MaskedPage) -> list[Json]:
        shown = (await find_matching_elements(seen, selector)).visible()
        return await shown.evaluate_all(ADDRESSES)

    found = await session.look(session.page(), look)
    return len({str(each) for each in found}) == 1 and bool(found[0])


async def _compare(session: Session, config: Config, result: Result, *, whole: bool) -> list[Json]:
    """Add the total that the page states to a result; a doubt if it is another."""
    if config.get("total") is None:
        return []

    async def look(seen: MaskedPage) -> str:
        shown = (await find_matching_elements(seen, config["total"])).visible()
        return seen.clean(await read_element_text(shown.locator())) if len(shown) else ""

    text = await session.look(session.page(), look)
    stated = read_total(text)
    result["total"] = stated
    if stated is None:
        said = "What is named in 'total' is not there or states no number, so nothing was compared."
        return [{"kind": "total", "sentence": said, "evidence": {"shown": text[:80]}}]
    if whole and stated != result["count"]:
        said = f"The page states {stated} items; {result['count']} were found."
        seen: Json = {"read": result["count"], "said": stated, "text": text}
        return [{"kind": "total", "sentence": said, "evidence": seen}]
    return []
