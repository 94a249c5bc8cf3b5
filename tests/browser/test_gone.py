"""A browser that ends in the middle: the call says so, and what was gathered is still there."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from browser.programs import browsers_of
from browser.sites import Served, Site, site, until
from director.browser import Browser, BrowserGone, Origins, Session, open_browser

PAGES: dict[str, Served | str] = {
    "/": "<title>home</title><input id='name'><button>.</button><script>console.error('oh')</script>",
    "/file": Served("x", headers={"Content-Disposition": "attachment; filename=a.txt"}),
}
Step = Callable[[Session, Site], Awaitable[object]]


async def _click(session: Session, _: Site) -> None:
    async with session.doing("click the button"):
        await session.page().click("button")


STEPS: dict[str, Step] = {
    "navigate": lambda session, home: session.navigate(home.origin),
    "fill": lambda session, _: session.fill(session.page().locator("#name"), "Ada"),
    "click": _click,
    "open a tab": lambda session, home: session.open_tab(home.origin, "other"),
    "switch": lambda session, _: session.switch_tab("main"),
    "snapshot": lambda session, _: session.snapshot(),
    "screenshot": lambda session, _: session.screenshot(),
    "close a tab": lambda session, _: session.close_tab("other"),
    "point": lambda session, _: session.point(),
}


def kill(*spared: int) -> None:
    """End the browser below this program as a crash would, but not those of other tests."""
    (own,) = browsers_of(os.getpid()) - set(spared)
    os.kill(own, signal.SIGKILL)


@pytest.mark.promise("G4")
@pytest.mark.parametrize(
    "last",
    [
        "navigate",
        *(pytest.param(name, marks=pytest.mark.slow) for name in STEPS if name != "navigate"),
    ],
)
def test_a_browser_that_is_killed_during_a_step_ends_it_with_an_error_and_loses_nothing(
    last: str, tmp_path: Path
) -> None:
    """Killed before each step's first word, and while it runs; another browser goes on."""
    for moment in (0.0, 0.01):
        asyncio.run(_killed(last, moment, tmp_path / str(moment)))


async def _killed(last: str, moment: float, folder: Path) -> None:
    others = browsers_of(os.getpid())
    with site(PAGES) as home:
        async with (
            open_browser() as browser,
            browser.session(Origins([home.origin]), downloads=folder) as session,
        ):
            await session.navigate(f"{home.origin}/file")
            await until(session.events)
            point = await session.point()
            with pytest.raises(BrowserGone) as caught:
                await _play(session, home, last, lambda: _kill_soon(moment, others))
            assert "restart point" in str(caught.value)
            assert caught.value.point is not None
            assert caught.value.point.storage == point.storage
            files = await session.downloads()
            assert [file.path.read_text() for file in files] == ["x"]
            assert "a.txt" in session.events()[0].text
            with pytest.raises(BrowserGone):
                await session.navigate(home.origin)
            with pytest.raises(BrowserGone):
                async with browser.session(Origins([home.origin])):
                    pass


def _kill_soon(moment: float, others: set[int]) -> None:
    if moment:
        asyncio.get_running_loop().call_later(moment, kill, *others)
    else:
        kill(*others)


async def _play(session: Session, home: Site, last: str, end: Callable[[], None]) -> None:
    """Play the steps up to one, and end the browser under that one."""
    for name, step in STEPS.items():
        if name == last:
            end()
            # What has been answered already may go through; then it is the next that fails.
            while True:
                await step(session, home)
                if name == "close a tab":
                    await session.tabs()
                    await session.open_tab(home.origin, "other")
        await step(session, home)


@pytest.mark.promise("G4")
def test_a_page_that_crashes_ends_the_call_and_the_other_tabs_live_on(
    browser: Browser, run: Callable[[Awaitable[None]], None]
) -> None:
    """The crash is told, and the tab can be closed."""

    async def crash() -> None:
        with site(PAGES) as home:
            async with browser.session(Origins([home.origin])) as session:
                await session.navigate(home.origin)
                await session.open_tab(home.origin, "other")
                with pytest.raises(BrowserGone, match="crash"):
                    await crashing(session)
                assert "crash" in {event.kind for event in session.events()}
                await session.close_tab("other")
                assert await session.page().title() == "home"

    async def crashing(session: Session) -> None:
        page = session.page()
        wire = await page.context.new_cdp_session(page)
        async with session.doing("look at the page"):
            # The order to crash is never answered.
            order = asyncio.ensure_future(wire.send("Page.crash"))
            try:
                await page.evaluate("new Promise(() => 0)")
            finally:
                order.cancel()
                await asyncio.gather(order, return_exceptions=True)

    run(crash())
