"""Pictures: a secret that was typed is on none, on whichever page and in whichever form."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attacks.echo_site import ECHO, SECRETS, echo_site, session_with
from browser.test_snapshots_screens import read_picture
from director.browser import Browser, BrowserError

# A style sheet that a script makes stands in no document.
HARD = ECHO.replace(
    "</script>",
    'const sheet = new CSSStyleSheet(); sheet.replaceSync(`#calm::after { content: "${said}" }`);'
    "document.adoptedStyleSheets = [sheet];</script>",
)


async def _pictures(browser: Browser, folder: Path, take: Callable[[Any], Any]) -> list[Any]:
    """The same taken in two sessions, whose secrets differ and have one length."""

    async def one(server: Any, number: int) -> Any:
        async with session_with(
            browser, server, folder=folder / str(number), secret=SECRETS[number]
        ) as session:
            return await take(session)

    with echo_site(hard=HARD) as server:
        return list(await asyncio.gather(one(server, 0), one(server, 1)))


@pytest.mark.promise("D1")
@pytest.mark.promise("D6")
@pytest.mark.attack(
    "The next page echoes a secret: as text, in other case, spaced, reversed, in attributes, frames,"
    " shadow roots, options, a canvas",
    must="two secrets of one length give the same picture, pixel by pixel",
    tries=20,
)
def test_a_page_that_echoes_a_secret_gives_one_picture_for_all_secrets(
    browser: Browser, run: Callable[[Any], Any], tmp_path: Path
) -> None:
    """Of the page, of all of it, and of an element; and afterwards the page is as it was."""

    async def take(session: Any) -> tuple[list[bytes], str]:
        page = session.page()
        taken = [
            await session.screenshot(),
            await session.screenshot(full=True),
            await session.screenshot(selector="#text"),
        ]
        return taken, await page.inner_text("#text")

    (first, said), (second, other) = run(_pictures(browser, tmp_path, take))
    assert [read_picture(a) == read_picture(b) for a, b in zip(first, second, strict=True)] == [
        True
    ] * 3
    assert (said, other) == tuple(f"Found: {secret} (3)" for secret in SECRETS)


@pytest.mark.promise("D6")
@pytest.mark.attack(
    "A page draws a secret where no mask reaches it: by a style sheet that a script made",
    must="there is no picture, and the reason is said",
    tries=1,
)
def test_there_is_no_picture_where_a_secret_cannot_be_hidden(
    browser: Browser, run: Callable[[Any], Any], tmp_path: Path
) -> None:
    """What the browser is about to draw is read once more before it is drawn."""

    async def take(session: Any) -> str:
        page = session.page()
        await session.navigate(page.url.replace("/echo?", "/hard?"))
        with pytest.raises(BrowserError) as caught:
            await session.screenshot()
        return str(caught.value)

    first, second = run(_pictures(browser, tmp_path, take))
    assert "There is no picture of this page" in first
    assert first == second
