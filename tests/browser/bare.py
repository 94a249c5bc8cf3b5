"""Bare Playwright pages for tests: made of strings, without a server, in one browser for all."""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Awaitable, Callable
from functools import cache
from typing import TypeVar

import pytest
from playwright.async_api import Browser, Page, Route, async_playwright

from director.browser import BrowserError
from director.browser.chromium import find_chromium
from director.browser.element_portraits import register_portraits_script
from director.browser.fields import watch_secret_fields

ORIGIN = "https://pages.test"
_SWITCHES = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
T = TypeVar("T")


@cache
def opened() -> tuple[asyncio.Runner, Browser]:
    """One loop and one browser for the tests of a process; each test has a context of its own."""
    try:
        chromium = find_chromium()
    except BrowserError as reason:
        pytest.skip(str(reason))
    runner = asyncio.Runner()

    async def begin() -> tuple[Browser, Callable[[], Awaitable[None]]]:
        playwright = await async_playwright().start()
        await register_portraits_script(playwright)
        launched = await playwright.chromium.launch(executable_path=chromium, args=[*_SWITCHES])
        return launched, playwright.stop

    browser, stop = runner.run(begin())

    async def end() -> None:
        await browser.close()
        await stop()

    def close() -> None:
        runner.run(end())
        runner.close()

    atexit.register(close)
    return runner, browser


def on(work: Callable[[Page], Awaitable[T]], *, watched: bool = True, **pages: str) -> T:
    """What comes of some work on the first of these pages; any other address is refused."""
    runner, browser = opened()

    async def run() -> T:
        context = await browser.new_context(viewport={"width": 800, "height": 600})
        try:
            if watched:
                await watch_secret_fields(context)
            await context.route("**/*", lambda route: _answer(route, pages))
            page = await context.new_page()
            await page.goto(f"{ORIGIN}/{next(iter(pages))}")
            return await work(page)
        finally:
            await context.close()

    return runner.run(run())


async def _answer(route: Route, pages: dict[str, str]) -> None:
    name = route.request.url.removeprefix(f"{ORIGIN}/").partition("?")[0]
    if name in pages:
        await route.fulfill(body=pages[name], content_type="text/html; charset=utf-8")
    else:
        await route.abort()
