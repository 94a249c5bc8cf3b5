"""Addresses of other schemes: no page starts a program, and every refusal leaves a record."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Error as PlaywrightError

from browser.sites import Served, site, until
from chromiums import full_chromium
from director.browser import Browser, BrowserError, NotApproved, Origins, Session, open_browser

# The commands by which Chromium has the desktop open an address.
OPENERS = ("xdg-open", "xdg-email")
# How a page asks for an address; the first four with a click, which programs are started on.
WAYS = {
    "link": '<a id="go" href="{0}">go</a>',
    "window": '<button id="go" onclick="window.open(\'{0}\')">go</button>',
    "location": '<button id="go" onclick="location = \'{0}\'">go</button>',
    "form": '<form action="{0}"><button id="go">go</button></form>',
    "frame": '<button id="go">go</button><iframe src="{0}"></iframe>',
    "blank": '<a id="go" target="_blank" href="{0}">go</a>',
}
SCHEMES = ("mailto:a@b.test", "custom-app:go", "intent:x", "ssh://b.test")


@pytest.fixture
def browser(full_browser: Browser) -> Browser:
    """What a browser itself does is tried on the one that users have."""
    return full_browser


@pytest.fixture(autouse=True)
def _chromium() -> Iterator[None]:
    """What a browser itself does is tried on the one that users have."""
    with full_chromium():
        yield


def events_of(session: Session) -> set[str]:
    """The refusals that a session recorded."""
    return {event.text for event in session.events() if event.kind == "blocked"}


@pytest.mark.promise("E2")
@pytest.mark.attack(
    "A page has the desktop open mailto: and other addresses: links, windows, forms, frames, redirects",
    must="no program is started; each attempt is recorded with its scheme",
    tries=28,
)
@pytest.mark.parametrize(
    "schemes", [SCHEMES[:1], pytest.param(SCHEMES[1:], marks=pytest.mark.slow)]
)
def test_a_page_starts_no_program_of_the_desktop(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, schemes: Sequence[str]
) -> None:
    """The desktop's own commands are there and would tell; clicks are real ones."""
    for name in OPENERS:
        opener = tmp_path / name
        opener.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/started\n')
        opener.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    async def attempts() -> None:
        with site() as home:
            for at, scheme in enumerate(schemes):
                home.pages[f"/{at}/redirect"] = Served(status=302, headers={"Location": scheme})
                for name, way in WAYS.items():
                    home.pages[f"/{at}/{name}"] = f"<body>{way.format(scheme)}"
            async with open_browser() as browser:
                for at, scheme in enumerate(schemes):
                    async with browser.session(Origins([home.origin])) as session:
                        await click_through(session, f"{home.origin}/{at}", scheme)
        assert not (tmp_path / "started").exists()

    asyncio.run(attempts())


async def click_through(session: Session, pages: str, scheme: str) -> None:
    """Use every way with one scheme; each must leave a record before the next begins."""
    for way in (*WAYS, "redirect"):
        mark = session.mark()
        with contextlib.suppress(BrowserError):
            await session.open_tab(f"{pages}/{way}", way)
        if way != "redirect":
            await session.page().click("#go")
        expected = f"{scheme.partition(':')[0]}:"
        await until(
            lambda mark=mark, expected=expected: any(
                event.kind == "blocked" and event.text.startswith(expected)
                for event in session.events(mark)
            )
        )


@pytest.mark.slow
@pytest.mark.attack(
    "A page asks for a program, and the browser's question about it keeps clicks from the tab",
    must="the tab takes clicks again on the next page that it is sent to",
)
def test_a_tab_that_asked_for_a_program_takes_clicks_again(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """Without a window nobody could see the question, or answer it."""

    async def attempt() -> None:
        button = '<button onclick="document.title = 1">press</button>'
        with site({"/": WAYS["link"].format("custom-app:go"), "/next": button}) as home:
            async with browser.session(Origins([home.origin])) as session:
                await session.navigate(home.origin)
                await session.page().click("#go")
                await until(lambda: "custom-app: (document)" in events_of(session))
                # The browser may put its question a moment late, into the first of the two pages.
                with contextlib.suppress(PlaywrightError):
                    await session.navigate(f"{home.origin}/next")
                    await session.page().click("button", timeout=5_000)
                await session.navigate(f"{home.origin}/next")
                await session.page().click("button")
                await session.page().wait_for_function("document.title === '1'")

    run(attempt())


@pytest.mark.promise("E2")
@pytest.mark.attack(
    "A host is written so that it looks like another: dots at its end, numbers, capitals, mapped IPv6",
    must="nothing is reached; each refusal is recorded with the host",
    tries=24,
)
def test_a_host_in_disguise_is_refused_and_recorded(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """By a part of a page, as a browser reads it, and by an agent that navigates, as it is written."""
    disguises = {
        "localhost.": "localhost.",
        "LOCALHOST.": "localhost.",
        "localhost..": "localhost..",
        "a.localhost": "a.localhost",
        "a.localhost.": "a.localhost.",
        "127.1": "127.0.0.1",
        "2130706433": "127.0.0.1",
        "0x7f000001": "127.0.0.1",
        "0177.0.0.1": "127.0.0.1",
        "127.0.0.1.": "127.0.0.1",
        "[::ffff:127.0.0.1]": "[::ffff:7f00:1]",
        "[::1]": "[::1]",
    }

    async def attempts() -> None:
        with site() as evil, site() as home:
            port = evil.server_port
            home.pages["/"] = "<body>" + "".join(
                f'<img src="http://{host}:{port}/">' for host in disguises
            )
            async with browser.session(Origins([home.origin])) as session:
                await session.navigate(home.origin)
                images = {f"http://{host}:{port} (image)" for host in disguises.values()}
                await until(lambda: images <= events_of(session))
                for host in disguises:
                    with pytest.raises(NotApproved):
                        await session.navigate(f"http://{host}:{port}/private?key=1")
                    mine = f"http://{host}:{port} (navigation)"
                    assert session.events()[-1].text == mine
                assert "private" not in str(session.events())
            assert evil.reached == 0

    run(attempts())


@pytest.mark.promise("G3")
@pytest.mark.attack(
    "A page makes a file of data: or blob: and has it downloaded under the name of a path",
    must="it lands in the session's folder under a harmless name, or nowhere if there is none",
    tries=4,
)
def test_a_file_that_a_page_makes_stays_in_the_folder_of_the_session(
    browser: Browser, run: Callable[[Any], None], tmp_path: Path
) -> None:
    """Whatever name it proposes."""
    page = (
        '<a id="data" download="../../.bashrc" href="data:text/plain,x">.</a>'
        '<a id="blob" download="/etc/cron.d/x">.</a>'
        "<script>blob.href = URL.createObjectURL(new Blob(['x']))</script>"
    )

    async def attempts() -> None:
        with site({"/": page}) as home:
            folder = tmp_path / "inner" / "folder"
            for downloads in (folder, None):
                async with browser.session(Origins([home.origin]), downloads=downloads) as session:
                    await session.navigate(home.origin)
                    for name in ("data", "blob"):
                        async with session.page().expect_download():
                            await session.page().click(f"#{name}")
                    await session.downloads()
                    told = [each.text for each in session.events() if each.kind == "download"]
                    assert len(told) == 2
                    assert downloads or all(text.startswith("refused:") for text in told)

    run(attempts())
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.parent for path in files] == [tmp_path / "inner" / "folder"] * 2
