"""Screenshots without secrets: texts are masked, fields and what may have drawn one are covered.

Before a picture is taken, what the browser is about to draw is read once more, from the browser and
not from the page. If a secret is still among it there is no picture, and the error says why.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from playwright.async_api import CDPSession, Frame, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from director.browser.errors import BrowserError
from director.browser.fields import HIDDEN, hide_secret_fields, restore_secret_fields
from director.browser.masks import MaskedPage, Masks
from director.browser.session_redaction import SessionNet

COLOUR: Final = "#5c5c66"
LONGEST: Final = 30.0
_PDF: Final = "application/pdf"
# Whatever their style, these draw no text outside of their box.
_CLIPPING: Final = ("INPUT", "TEXTAREA")
_ROUNDING: Final = 1.0


async def take_screenshot(
    page: Page,
    masks: Masks | None = None,
    *,
    full: bool = False,
    selector: str | None = None,
    timeout: float = LONGEST,
) -> bytes:
    """A PNG of what is in view, of the full page, or of the first element a selector finds."""
    masks = masks or Masks()
    net = masks.net

    async def look(seen: MaskedPage) -> bytes:
        covers = [frame.locator(HIDDEN) for frame in page.frames]
        await hide_secret_fields(page)
        if net.is_used or seen.holds:
            await _check(page, net)
        if selector is None:
            return await page.screenshot(full_page=full, mask=covers, mask_color=COLOUR)
        seen.check_selector(selector)
        found = page.locator(f"css={selector}").first
        return await found.screenshot(mask=covers, mask_color=COLOUR)

    try:
        async with asyncio.timeout(timeout):
            return await masks.look(page, look)
    except (TimeoutError, PlaywrightTimeout):
        what = f"the element {selector!r}" if selector else "the page"
        raise BrowserError(
            f"There is no picture of {what} after {timeout:g} s. It may be busy, hidden or gone. "
            "Take a snapshot to see what is there."
        ) from None
    finally:
        await restore_secret_fields(page)


async def _check(page: Page, net: SessionNet) -> None:
    """Refuse a picture on which a secret would be seen, or on which nobody can tell."""
    if net.is_used and await page.evaluate("document.contentType") == _PDF:
        raise BrowserError(
            "There is no picture of a PDF in a session that has typed a secret: what it shows "
            "cannot be read before it is drawn. Read its text with extractPdf."
        )
    for frame in page.frames:
        async with _session_of(page, frame) as session:
            drawn = await _list_texts(session) if session else ()
        if any(net.spans(text) for text in drawn):
            raise BrowserError(
                "There is no picture of this page: it shows a secret in a way that cannot be "
                "hidden, such as by its style sheet. Take a snapshot to see what is there."
            )


@asynccontextmanager
async def _session_of(page: Page, frame: Frame) -> AsyncIterator[CDPSession | None]:
    """The browser's own view of a frame; None if it is part of the view of the one around it."""
    inner = frame.parent_frame is not None
    try:
        session = await page.context.new_cdp_session(frame if inner else page)
    except PlaywrightError as error:
        if not inner or ("separate CDP session" not in error.message and not frame.is_detached()):
            raise
        yield None
        return
    try:
        yield session
    finally:
        await session.detach()


async def _list_texts(session: CDPSession) -> list[str]:
    """The texts that the browser draws, but for what is covered."""
    taken = await session.send("DOMSnapshot.captureSnapshot", {"computedStyles": []})
    strings: Sequence[str] = taken["strings"]
    return [text for each in taken["documents"] for text in _texts(each, strings)]


def _texts(document: Mapping[str, Any], strings: Sequence[str]) -> list[str]:
    nodes, layout = document["nodes"], document["layout"]
    parents: Sequence[int] = nodes["parentIndex"]
    name = HIDDEN.strip("[]")
    boxes = dict(zip(layout["nodeIndex"], layout["bounds"], strict=True))
    covers = {
        at: boxes.get(at)
        for at, names in enumerate(nodes["attributes"])
        if name in (strings[each] for each in names[::2])
    }

    def is_covered(node: int, box: Sequence[float]) -> bool:
        """Whether a text is drawn below a cover: what an element holds may stand elsewhere."""
        while node >= 0:
            if node in covers:
                clips = strings[nodes["nodeName"][node]].upper() in _CLIPPING
                cover = covers[node]
                if cover and (clips or _inside(box, cover)):
                    return True
            node = parents[node]
        return False

    return [
        strings[text]
        for node, text, box in zip(
            layout["nodeIndex"], layout["text"], layout["bounds"], strict=True
        )
        if text >= 0 and not is_covered(node, box)
    ]


def _inside(box: Sequence[float], cover: Sequence[float]) -> bool:
    (left, top, width, height), (x, y, wide, high) = box, cover
    return (
        left >= x - _ROUNDING
        and top >= y - _ROUNDING
        and left + width <= x + wide + _ROUNDING
        and top + height <= y + high + _ROUNDING
    )
