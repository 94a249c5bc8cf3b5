"""Page snapshots: the accessibility tree of a page with refs, frames and open shadow roots.

No secret leaves this module: the page is masked while it is read, and values of secret fields and
of the net are removed once more before the text is hashed, kept, compared or shown.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

from playwright.async_api import Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from director.browser.cleaning import cleaned, cleaner
from director.browser.errors import BrowserError
from director.browser.fields import Held, held, restore
from director.browser.masks import Masks
from director.browser.page_outline import amend_outline, end_outline, list_frames, tell_listeners

LONGEST = 30.0
# Text of a page beyond this is no use to anybody and would only fill the store.
LARGEST = 20_000_000
_TRIES = 5
_LARGE = 20_000


@dataclass(frozen=True, slots=True)
class Happened:
    """What the browser reported since the last look, one line each."""

    dialogs: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    downloads: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    loading: tuple[str, ...] = ()

    def without_secrets(self, clean: Callable[[str], str]) -> Happened:
        """The same without secrets."""
        return Happened(*(tuple(map(clean, getattr(self, each.name))) for each in fields(self)))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page at one moment, without secrets.

    `text` is the whole tree; `hash` is the SHA-256 of its bytes, under which it is kept; `document`
    stays the same until the page is loaded anew. `signs` are what a tree does not show: what covers
    the page, what of a list is drawn, which regions are frames, why something is disabled.
    """

    text: str
    url: str
    title: str
    document: str
    happened: Happened = Happened()
    signs: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """The SHA-256 of the text in UTF-8."""
        return hashlib.sha256(self.stored).hexdigest()

    @property
    def stored(self) -> bytes:
        """What is kept of it."""
        return self.text.encode("utf-8", "replace")


async def take(
    page: Page,
    masks: Masks | None = None,
    *,
    happened: Happened = Happened(),  # noqa: B008  frozen
    timeout: float = LONGEST,  # noqa: ASYNC109  one limit for several waits
    largest: int = LARGEST,
) -> Snapshot:
    """Take a snapshot of a page within `timeout` seconds and `largest` characters.

    Where the page is gone or crashed the error is Playwright's own.
    """
    masks = masks or Masks()
    try:
        async with asyncio.timeout(timeout):
            raw, found, signs = await masks.look(page, lambda _: _settled(page, timeout))
    except (TimeoutError, PlaywrightTimeout):
        await restore(page)
        raise BrowserError(
            f"The page did not answer within {timeout:g} s, so there is no snapshot of it. It may "
            "be busy, be showing a dialog, or be too large. Wait and take it again, or reload."
        ) from None
    if len(raw) > largest:
        raise BrowserError(
            f"The snapshot has {len(raw):,} characters, more than {largest:,}; it was not kept. "
            "Narrow what the page shows: a filter, a search, a smaller page of results."
        )
    clean = cleaner(found.values, masks.net)
    return Snapshot(
        await _without_secrets(raw, found, clean),
        clean(page.url),
        clean(found.title),
        found.document,
        happened.without_secrets(clean),
        tuple(map(clean, signs)),
    )


async def _without_secrets(raw: str, found: Held, clean: Callable[[str], str]) -> str:
    """The text without secrets; a large one holds up nobody else meanwhile."""
    if len(raw) < _LARGE:
        return cleaned(raw, found.values, clean)
    return await asyncio.to_thread(cleaned, raw, found.values, clean)


async def _settled(page: Page, timeout: float) -> tuple[str, Held, list[str]]:  # noqa: ASYNC109
    """The outline with what the fields held before and after it, and its signs: one document."""
    for _ in range(_TRIES):
        before, raw, signs = await _outline(page, timeout)
        after = await held(page)
        if before.document == after.document:
            return raw, replace(after, values=before.values + after.values), signs
    raise BrowserError(
        f"The page was loaded anew {_TRIES} times while a snapshot of it was taken. Wait until it "
        "rests, then take it again."
    )


async def _outline(page: Page, within: float) -> tuple[Held, str, list[str]]:
    """What the fields hold, Playwright's tree with the model's roles and names, and signs."""
    frames = page.frames
    try:
        before, _ = await asyncio.gather(held(page), asyncio.gather(*map(tell_listeners, frames)))
        raw = await page.aria_snapshot(mode="ai", timeout=within * 1e3)
    finally:
        ends = await asyncio.gather(*map(end_outline, frames))
    said = {ref: each for end in ends for ref, each in end.said.items()}
    signs = [*(sign for end in ends for sign in end.signs), *list_frames(page)]
    return before, amend_outline(raw, said), signs
