"""Screenshots with every secret field, and whatever echoes one, under a uniform colour."""

from __future__ import annotations

import asyncio

from playwright.async_api import Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from director.browser.errors import BrowserError
from director.browser.fields import HIDDEN, hide, restore

COLOUR = "#5c5c66"
LONGEST = 30.0


async def shot(
    page: Page,
    *,
    full: bool = False,
    selector: str | None = None,
    timeout: float = LONGEST,  # noqa: ASYNC109  one limit for several waits
) -> bytes:
    """A PNG of what is in view, of the full page, or of the first element a selector finds."""
    try:
        async with asyncio.timeout(timeout):
            await hide(page)
            masks = [frame.locator(HIDDEN) for frame in page.frames]
            if selector is None:
                return await page.screenshot(full_page=full, mask=masks, mask_color=COLOUR)
            return await page.locator(selector).first.screenshot(mask=masks, mask_color=COLOUR)
    except (TimeoutError, PlaywrightTimeout):
        what = f"the element {selector!r}" if selector else "the page"
        raise BrowserError(
            f"There is no picture of {what} after {timeout:g} s. It may be busy, hidden or gone. "
            "Take a snapshot to see what is there."
        ) from None
    finally:
        await restore(page)
