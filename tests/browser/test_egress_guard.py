"""The guard with a browser: redirects, addresses of the machine, service workers, no open port.

That no channel of a page gets past it is shown in tests/attacks/test_exfiltration.py.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Error as PlaywrightError

from browser.programs import below, command, listening, sockets
from browser.sites import Served, site, until
from director.browser import Browser, BrowserError, NotApproved, Origins
from director.browser.egress_guard import Blocked, run_guard

# Addresses that are none of a page, or that a browser reads otherwise than they look.
ADDRESSES = (
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "chrome://version",
    "chrome-error://x",
    "devtools://devtools/bundled/inspector.html",
    "view-source:http://127.0.0.1/",
    "javascript:alert(1)",
    "data:text/html,<h1>x",
    "about:version",
    "ftp://127.0.0.1/",
    "blob:http://127.0.0.1/x",
    "filesystem:http://127.0.0.1/temporary/x",
    " file:///etc/passwd",
    "http:127.0.0.1:1",
    "http:///127.0.0.1:1",
    "http:/\\127.0.0.1:1",
    "http://user@127.0.0.1:1",
    "http://127.0.0.1:1@attacker.test/",
    "http://127.0.0.1:1\\@attacker.test/",
    "http://127.0.0.1.:1/",
    "http://127.1:1/",
    "https://127.0.0.1:1/",
    "//127.0.0.1:1/",
    "127.0.0.1:1",
    "",
)


@pytest.fixture
def browser(full_browser: Browser) -> Browser:
    """What a browser itself does is tried on the one that users have."""
    return full_browser


def redirect(target: str, status: int = 302) -> Served:
    """A redirect to an address."""
    return Served(status=status, headers={"Location": target})


@pytest.mark.promise("E2")
def test_a_redirect_to_another_origin_is_refused_and_named(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """Whatever its status, and by a header too; approving the origin takes effect at once."""

    async def redirects() -> None:
        with site({"/status-302": "arrived"}) as evil, site() as home:
            for status in (301, 302, 303, 307, 308):
                home.pages[f"/status/{status}"] = redirect(f"{evil.origin}/status-{status}", status)
            home.pages["/refresh"] = Served("x", headers={"Refresh": f"0; url={evil.origin}/"})
            async with browser.session(Origins([home.origin])) as session:
                for path in ("/status/301", "/status/303", "/status/307", "/status/308"):
                    with pytest.raises(NotApproved, match=evil.origin):
                        await session.navigate(f"{home.origin}{path}")
                with contextlib.suppress(NotApproved):
                    await session.navigate(f"{home.origin}/refresh")
                await until(lambda: session.page().url.startswith("chrome-error:"))
                assert evil.reached == 0
                session.origins.approve(evil.origin)
                await session.navigate(f"{home.origin}/status/302")
                assert await session.page().inner_text("body") == "arrived"

    run(redirects())


@pytest.mark.promise("E2")
def test_a_service_worker_would_be_held_by_the_guard_too(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """Sessions block them; where one runs all the same, what it asks for passes the guard."""

    async def attempts() -> None:
        with site() as evil, site() as good, site({"/": "<p>."}) as home:
            ask = 'fetch("{0}/x", {{mode: "no-cors"}}).catch(() => 0);'
            worker = ask.format(evil.origin) + ask.format(good.origin)
            home.pages["/worker.js"] = Served(worker, "text/javascript")
            blocked: list[Blocked] = []
            async with run_guard(Origins([home.origin, good.origin]), blocked.append) as guard:
                context = await browser._browser.new_context(proxy={"server": guard.address})
                page = await context.new_page()
                await page.goto(home.origin)
                await page.evaluate("navigator.serviceWorker.register('/worker.js')")
                await until(lambda: good.paths and Blocked(evil.origin, "http") in blocked)
                await context.close()
            assert (evil.reached, good.paths) == (0, {"/x"})

    run(attempts())


@pytest.mark.promise("G3")
def test_an_address_that_is_no_page_of_an_approved_origin_is_refused(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """In a tab that is there, and in a new one, which is not left behind."""

    async def attempts() -> None:
        async with browser.session(Origins(["http://127.0.0.1:1", "http://127.0.0.1"])) as session:
            for address in ADDRESSES:
                with pytest.raises(NotApproved):
                    await session.navigate(address)
                with pytest.raises(NotApproved):
                    await session.open_tab(address, "other")
            assert [(tab.name, tab.url) for tab in await session.tabs()] == [
                ("main", "about:blank")
            ]

    run(attempts())


@pytest.mark.promise("G3")
def test_a_page_cannot_take_itself_or_a_popup_to_an_address_of_the_machine(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """Links, scripts and redirects to file:, chrome: and the like open none of it."""
    addresses = (
        "file:///etc/passwd",
        "chrome://version",
        "view-source:file:///etc/passwd",
        "devtools://devtools/bundled/inspector.html",
        "data:text/html,<h1>x",
    )

    async def attempts() -> None:
        with site({"/": "<title>home</title><a>.</a>"}) as home:
            home.pages |= {f"/r{n}": redirect(address) for n, address in enumerate(addresses)}
            async with browser.session(Origins([home.origin])) as session:
                for number, address in enumerate(addresses):
                    await session.navigate(home.origin)
                    page = session.page()
                    for way in ("window.open(to)", "location = to", "fetch(to).catch(() => 0)"):
                        # The page of an attempt that was refused may be gone before the next.
                        with contextlib.suppress(PlaywrightError):
                            await page.evaluate(f"to => {{ {way} }}", address)
                    with contextlib.suppress(BrowserError):
                        await session.navigate(f"{home.origin}/r{number}")
                shown = {tab.url.partition(":")[0] for tab in await session.tabs()}
                assert shown <= {"http", "about", "chrome-error"}

    run(attempts())


@pytest.mark.promise("G3")
def test_the_browser_listens_on_no_port(browser: Browser, run: Callable[[Any], None]) -> None:
    """It is driven through a pipe: none of its sockets listens, and nothing else is in its switches."""

    async def look() -> None:
        async with browser.session(Origins()):
            inodes = {inode for pid in below(os.getpid()) for inode in sockets(pid)}
            own = sockets(os.getpid())
            assert listening() & inodes - own == set()
            switches = [word for pid in below(os.getpid()) for word in command(pid)]
            assert "--remote-debugging-pipe" in switches
            assert not [word for word in switches if word.startswith("--remote-debugging-port")]

    if not Path("/proc/net/tcp").exists():
        pytest.skip("the sockets of a program are read from /proc")
    run(look())
