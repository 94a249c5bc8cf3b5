"""Forms that nobody has approved: held back in the browser while a harmless action is done.

A page may send a form as soon as something is chosen, checked or typed. While they are held, such a
request does not leave the browser, the page stays as it is, and what it wanted is kept to be asked
for. They stay held after the action, for a page may also take its time, until they are let go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Final, final

from playwright.async_api import BrowserContext, Route

from director.browser.approved_origins import describe_origin_place
from director.browser.session_events import Events

_SAFE: Final = ("GET", "HEAD")
_REACTS: Final = 0.2
"""Seconds in which most pages react to what is done on them."""
_LOADS: Final = 1.0
"""Seconds that a page has to load on after it wanted to send a form; some never have."""


@final
class HeldForms:
    """The forms of one session: held back or let go."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._on: BrowserContext | None = None
        self._taken: list[str] = []
        self._came = asyncio.Event()

    async def hold(self, context: BrowserContext) -> None:
        """Hold forms back from now on; what was held before is forgotten."""
        self._taken.clear()
        if self._on is None:
            await context.route("**/*", self._look)
            self._on = context

    async def let_go(self) -> None:
        """Let forms be sent from now on."""
        self._taken.clear()
        if self._on is not None:
            await self._on.unroute("**/*", self._look)
            self._on = None

    async def wait_for_page(self, loads: Coroutine[object, object, None]) -> None:
        """Wait until a page has loaded; not much longer if a form of it is held meanwhile."""
        self._came.clear()
        loading = asyncio.ensure_future(loads)
        held = asyncio.ensure_future(self._came.wait())
        try:
            await asyncio.wait({loading, held}, return_when=asyncio.FIRST_COMPLETED)
            if not loading.done():
                await asyncio.wait({loading}, timeout=_LOADS)
            if loading.done():
                await loading
        finally:
            held.cancel()
            loading.cancel()

    async def take(self) -> str:
        """What was held since `hold`, by method and origin; empty if nothing was."""
        if self._on is not None and not self._taken:
            await asyncio.sleep(_REACTS)
        taken, self._taken = ", ".join(dict.fromkeys(self._taken)), []
        return taken

    async def _look(self, route: Route) -> None:
        request = route.request
        if not request.is_navigation_request() or request.method in _SAFE:
            await route.fallback()
            return
        told = f"{request.method} to {describe_origin_place(request.url)}"
        self._taken.append(told)
        self._came.set()
        self._events.add("blocked", f"{told} (a form that was not approved)")
        await route.abort("aborted")
