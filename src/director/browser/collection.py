"""Collecting a whole list: what is drawn is read, then it is scrolled or turned, until nothing new.

Items of one key are one item. The list ends when it can go no further and nothing new comes; what
the page itself states as its total is compared with what was found.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from director.browser.bundle import NoElement
from director.browser.elements import Result, matching, number, one, text_of
from director.browser.errors import BrowserError
from director.browser.looking import PageChanged, ask_about, evaluate_all
from director.browser.masks import MaskedPage
from director.browser.session import Session
from director.workflow.values import Config, Json

Extract: TypeAlias = Callable[[MaskedPage, Config], Awaitable[Result]]
_WITHIN: Final = 120_000
_COMES: Final = 1.0
"""Seconds in which more has to come after a step."""
_LOOK_AGAIN: Final = 0.03
_IDLE: Final = 2
"""Steps that may bring nothing new before a list counts as ended."""
_NUMBER: Final = re.compile(r"\d[\d.,\u00a0\u202f' ]*")
# How far it came: whether it moved, and whether that was the end of it.
_SCROLL: Final = """elements => {
    const SCROLLS = /auto|scroll|overlay/;
    const moves = node => node.scrollHeight > node.clientHeight + 1 &&
        (node === document.scrollingElement || SCROLLS.test(getComputedStyle(node).overflowY));
    let at = elements[0];
    while (at && !moves(at)) at = at.parentElement ?? at.getRootNode().host ?? null;
    at = at ?? document.scrollingElement;
    if (!at || !moves(at)) return [[false, true]];
    const before = at.scrollTop;
    at.scrollBy({top: Math.max(40, at.clientHeight * 0.85), behavior: "instant"});
    return [[at.scrollTop !== before, at.scrollTop + at.clientHeight >= at.scrollHeight - 2]];
}"""


async def collect(session: Session, config: Config, extract: Extract) -> Result:
    """All items of a list, in the order in which they were seen."""
    until = time.monotonic() + number(config, "timeout", _WITHIN) / 1000
    limit = number(config, "limit", 1_000_000)
    items: dict[str, Json] = {}
    steps, idle, ended, asked = 0, 0, False, {**config, "limit": None}
    while not ended:
        fresh = await _read(session, asked, extract, items)
        if len(items) >= limit:
            break
        if time.monotonic() >= until:
            raise BrowserError(
                f"The list did not end in time: {len(items)} items in {steps} steps. Nothing was "
                "kept. Give a longer 'timeout', or a 'limit'."
            )
        moved, last = await _step(session, config)
        steps += moved
        came = await _wait_for_more(session, asked, extract, items)
        idle = 0 if came or fresh else idle + 1
        ended = not came and (last or not moved or idle > _IDLE)
    kept = list(items.values())[:limit]
    result: Result = {"items": kept, "count": len(kept), "steps": steps}
    return await _compare(session, config, result, whole=len(items) < limit)


async def _read(session: Session, config: Config, extract: Extract, items: dict[str, Json]) -> int:
    """Read what is drawn; how many items of it are new."""
    known = len(items)
    for _ in range(5):
        try:
            found = await session.look(session.page(), lambda seen: extract(seen, config))
            break
        except PageChanged:
            await asyncio.sleep(_LOOK_AGAIN)
    else:
        raise BrowserError("The list changed all the time while it was read. Nothing was kept.")
    read = found["items"]
    for item in read if isinstance(read, list) else []:
        items.setdefault(_key(item, config), item)
    return len(items) - known


async def _wait_for_more(
    session: Session, config: Config, extract: Extract, items: dict[str, Json]
) -> bool:
    """Whether something new comes within a moment."""
    until = time.monotonic() + _COMES
    while not await _read(session, config, extract, items):
        if time.monotonic() >= until:
            return False
        await asyncio.sleep(_LOOK_AGAIN)
    return True


async def _step(session: Session, config: Config) -> tuple[bool, bool]:
    """Go on by a page or by scrolling: whether it moved, and whether it can go no further."""
    if config.get("next") is not None:
        return await _turn(session, config)

    async def scroll(seen: MaskedPage) -> tuple[bool, bool]:
        sights = (await matching(seen, config.get("container") or config["selector"])).sights
        if not sights:
            return False, True
        (moved, last), *_ = await evaluate_all(sights[:1], _SCROLL)
        return moved, last

    return await session.look(session.page(), scroll)


async def _turn(session: Session, config: Config) -> tuple[bool, bool]:
    try:
        found = await one(session, {"selector": config["next"], "timeout": 1_000})
    except NoElement:
        return False, True
    if await found.locator.is_disabled():
        return False, True
    said = await ask_about(found.locator, "state")
    if said["disabled"]:
        return False, True
    async with session.acting(session.page()):
        await found.locator.click()
    return True, False


async def _compare(session: Session, config: Config, result: Result, *, whole: bool) -> Result:
    """The result with the total that the page states; a doubt if it is another."""
    if config.get("total") is None:
        return result

    async def look(seen: MaskedPage) -> str:
        shown = (await matching(seen, config["total"])).visible()
        return seen.clean(await text_of(shown.locator())) if len(shown) else ""

    text = await session.look(session.page(), look)
    numbers = [int(re.sub(r"\D", "", each)) for each in _NUMBER.findall(text)]
    stated = max(numbers, default=None)
    result["total"] = stated
    if stated is None:
        result["doubts"] = ["What is named in 'total' states no number."]
    elif whole and stated != result["count"]:
        said = f"The page states {stated} items; {result['count']} were found."
        seen: Json = {"read": result["count"], "said": stated, "text": text}
        result["doubts"] = [{"kind": "total", "sentence": said, "evidence": seen}]
    return result


def _key(item: Json, config: Config) -> str:
    key = config.get("key")
    if isinstance(key, str) and isinstance(item, Mapping):
        return json.dumps(item.get(key))
    return json.dumps(item, sort_keys=True)
