"""Whether a page rests is asked of its model."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Error, async_playwright

from director.browser import BrowserError
from director.browser.chromium import find_chromium
from director.browser.element_portraits import register_portraits_script
from director.browser.readiness import wait_until_ready


def test_a_page_without_a_model_is_not_called_loading() -> None:
    """Whoever forgot to register it is told; registered late, it answers and the page rests."""
    try:
        chromium = find_chromium()
    except BrowserError as reason:
        pytest.skip(str(reason))

    async def go() -> tuple[str, ...]:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox"]
            )
            page = await browser.new_page()
            with pytest.raises(Error, match="Unknown engine"):
                await wait_until_ready(page, lambda: ())
            await register_portraits_script(playwright)
            rest = await wait_until_ready(page, lambda: (), within=60)
            await browser.close()
            return rest

    assert asyncio.run(go()) == ()
