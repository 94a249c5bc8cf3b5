"""Going to an address, past what an earlier navigation may still do."""

from __future__ import annotations

from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

TIMEOUT: Final = 30_000.0


async def navigate_to(page: Page, url: str, *, within: float = TIMEOUT, tries: int = 3) -> None:
    """Go to an address and wait until it has loaded, or until it turns out to be a download.

    `within` is in milliseconds.
    """
    try:
        await page.goto(url, timeout=within)
    except PlaywrightError as error:
        if "Download is starting" in error.message:
            return
        if "interrupted by another navigation" not in error.message or tries == 1:
            raise
        if "chrome-error:" in error.message:
            # The error page of an earlier, refused navigation arrived only now.
            await navigate_to(page, url, within=within, tries=tries - 1)
        else:
            # The page sent itself on before it had loaded.
            await page.wait_for_load_state(timeout=within)
