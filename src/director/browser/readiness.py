"""Whether a page rests: nothing under way in its network, its content, or by its own word.

The wait is bounded. What is still going on then is told, so that no half of a page is taken for
the whole.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from director.browser.element_portraits import ask_portraits_script

LONGEST: Final = 3.0
"""Seconds that a page has to come to rest."""
_QUIET: Final = 300
_LATELY: Final = 1_500
"""Milliseconds after a change in which a page that is quiet may still go on."""
_TIMER: Final = "() => new Promise(done => setTimeout(done, 30))"
_RUNS: Final = 1.0
_LOOK_AGAIN: Final = 0.05
_NAMED: Final = 3
_NO_MODEL: Final = "Unknown engine"


async def wait_until_ready(
    page: Page, pending: Callable[[], Sequence[str]], within: float = LONGEST
) -> tuple[str, ...]:
    """Wait until a page rests, at most `within` seconds; what was still under way at the end."""
    until, has_run = time.monotonic() + within, False
    while True:
        asked = list(pending())
        busy, since = await _stir(page)
        still = [*_count(asked, "request"), *busy]
        if not still and since < _QUIET:
            still = ["its content is changing"]
        if still:
            has_run = False
        elif since < _LATELY and not has_run:
            has_run = True
            await _let_timers_run(page)
            continue
        if not still or time.monotonic() >= until:
            return tuple(still)
        await asyncio.sleep(_LOOK_AGAIN)


async def _let_timers_run(page: Page) -> None:
    """Let a page do what is due: on a busy machine it may be quiet for want of time alone."""
    with contextlib.suppress(PlaywrightError, TimeoutError):
        async with asyncio.timeout(_RUNS):
            await page.evaluate(_TIMER)


async def _stir(page: Page) -> tuple[list[str], float]:
    """What the page calls busy, and for how many ms nothing in it has changed."""
    try:
        told = await ask_portraits_script(page.main_frame, "stir")
    except PlaywrightError as problem:
        if _NO_MODEL in problem.message:
            # It would never rest, and for another reason than it says.
            raise
        return ["the page is being loaded"], 0
    busy = [] if told["ready"] else ["the document is being loaded"]
    return [*busy, *(f"busy: {name}" for name in told["busy"][:_NAMED])], float(told["since"])


def _count(asked: Sequence[str], word: str) -> list[str]:
    if not asked:
        return []
    named = ", ".join(asked[:_NAMED]) + (", …" if len(asked) > _NAMED else "")
    return [f"{len(asked)} {word}{'' if len(asked) == 1 else 's'} under way: {named}"]
