"""Opening a browser, and sessions in it.

The browser itself stands behind a guard that lets nothing through; each session brings its own.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, cast, final

from playwright.async_api import Browser as PlaywrightBrowser
from playwright.async_api import (
    BrowserContext,
    Playwright,
    ProxySettings,
    StorageState,
    async_playwright,
)
from playwright.async_api import Error as PlaywrightError

from director.browser.approved_origins import Origins
from director.browser.chromium import find_chromium, has_display, list_chromium_switches
from director.browser.desktop import disable_desktop_openers
from director.browser.egress_guard import run_guard
from director.browser.element_portraits import register_portraits_script
from director.browser.errors import BrowserError, BrowserGone, shorten_error
from director.browser.field_filling import SecretDoor
from director.browser.logins import Logins
from director.browser.network import Network
from director.browser.points import RestartPoint
from director.browser.session import Session

# Without it a browser reaches this machine past its proxy.
_BYPASS: Final = "<-loopback>"
_CLOSES: Final = 30.0


@final
class Browser:
    """A running Chromium."""

    def __init__(self, browser: PlaywrightBrowser, network: Network, *, headless: bool) -> None:
        self._browser = browser
        self._network = network
        self._headless = headless

    @property
    def version(self) -> str:
        """Which Chromium it is."""
        return self._browser.version

    @property
    def runs(self) -> bool:
        """Whether it is still there."""
        return self._browser.is_connected()

    @asynccontextmanager
    async def session(
        self,
        approved: Origins,
        secrets: SecretDoor | None = None,
        *,
        downloads: Path | None = None,
        state: RestartPoint | None = None,
        logins: Logins | None = None,
    ) -> AsyncIterator[Session]:
        """A session that reaches the approved origins only, and shares nothing with others."""
        session = Session(approved, secrets, downloads=downloads, logins=logins)
        async with run_guard(
            approved, session.report_blocked, miss=session.report_unreached, network=self._network
        ) as guard:
            try:
                context = await self._browser.new_context(
                    proxy=_proxy(guard.address),
                    service_workers="block",
                    accept_downloads=True,
                    no_viewport=not self._headless,
                    storage_state=cast("StorageState", state.storage) if state else None,
                )
            except PlaywrightError as error:
                gone = BrowserGone(
                    f"The browser ended: it opened no session ({shorten_error(error.message)}). "
                    "Nothing was done in it; start another browser."
                )
                gone.point = state
                raise gone from None
            try:
                await session.begin(context, state)
                yield session
            finally:
                await session.end()
                await _close_quietly(context)


@asynccontextmanager
async def open_browser(
    *, headless: bool = True, network: Network | None = None
) -> AsyncIterator[Browser]:
    """Start Chromium; with `headless=False` in a window in which a person can act too."""
    if not headless and not has_display():
        raise BrowserError(
            "No browser was started. A window needs a display, and neither DISPLAY nor "
            "WAYLAND_DISPLAY names one: start this where windows can be shown."
        )
    with disable_desktop_openers() as environ:
        async with async_playwright() as playwright, run_guard(Origins()) as nothing:
            await register_portraits_script(playwright)
            browser = await _launch(
                playwright, headless=headless, environ=environ, proxy=_proxy(nothing.address)
            )
            try:
                yield Browser(browser, network or Network(), headless=headless)
            finally:
                await _close_quietly(browser)


async def _launch(
    playwright: Playwright, *, headless: bool, environ: Mapping[str, str], proxy: ProxySettings
) -> PlaywrightBrowser:
    path = find_chromium(playwright.chromium.executable_path)
    try:
        return await playwright.chromium.launch(
            executable_path=path,
            headless=headless,
            args=list_chromium_switches(),
            chromium_sandbox="--no-sandbox" not in list_chromium_switches(),
            proxy=proxy,
            env=dict(environ),
        )
    except PlaywrightError as error:
        raise BrowserError(
            f"{path!r} did not start: {error.message.splitlines()[0]}"
            + ("" if headless else " A window needs a display: is there one?")
        ) from None


async def _close_quietly(what: BrowserContext | PlaywrightBrowser) -> None:
    """Close it; one that is gone is closed already, or never says so."""
    with contextlib.suppress(PlaywrightError, TimeoutError):
        async with asyncio.timeout(_CLOSES):
            await what.close()


def _proxy(address: str) -> ProxySettings:
    return {"server": address, "bypass": _BYPASS}
