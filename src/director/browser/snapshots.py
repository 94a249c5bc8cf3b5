"""Page snapshots: the accessibility tree of a page with refs, frames and open shadow roots.

No secret leaves this module: the page is masked while it is read, and values of secret fields and
of the net are removed once more before the text is hashed, kept, compared or shown.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, replace

from playwright.async_api import Frame, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from director.browser.errors import BrowserError
from director.browser.fields import Held, read_secret_fields, restore_secret_fields
from director.browser.masks import Masks
from director.browser.page_outline import (
    Amendment,
    add_listeners_to_page_outline,
    amend_page_outline,
    end_page_outline,
    list_outline_frames,
    read_page_outline_with_listeners,
)
from director.browser.snapshot_redaction import clean_snapshot, make_snapshot_redactor

LONGEST = 30.0
# Text of a page beyond this is no use to anybody and would only fill the store.
LARGEST = 20_000_000
_TRIES = 5
_MOMENT = 2.0
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
        return hashlib.sha256(self.content).hexdigest()

    @property
    def content(self) -> bytes:
        """What is kept of it."""
        return self.text.encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Outline:
    """What a look at a page gives, secrets and all: it stays in this module."""

    text: str
    held: Held
    signs: tuple[str, ...]


async def take_snapshot(
    page: Page,
    masks: Masks | None = None,
    *,
    happened: Happened = Happened(),  # noqa: B008  frozen
    timeout: float = LONGEST,
    largest: int = LARGEST,
) -> Snapshot:
    """Take a snapshot of a page within `timeout` seconds and `largest` characters.

    Where the page is gone or crashed the error is Playwright's own.
    """
    masks = masks or Masks()
    try:
        async with asyncio.timeout(timeout):
            outline = await _look(page, masks, timeout)
    except (TimeoutError, PlaywrightTimeout):
        await restore_secret_fields(page)
        raise BrowserError(
            f"The page did not answer within {timeout:g} s, so there is no snapshot of it. It may "
            "be busy, be showing a dialog, or be too large. Wait and take it again, or reload."
        ) from None
    raw, found = outline.text, outline.held
    if len(raw) > largest:
        raise BrowserError(
            f"The snapshot has {len(raw):,} characters, more than {largest:,}; it was not kept. "
            "Narrow what the page shows: a filter, a search, a smaller page of results."
        )
    clean = make_snapshot_redactor(found.values, masks.net)
    return Snapshot(
        await _without_secrets(raw, found, clean),
        clean(page.url),
        clean(found.title),
        found.document,
        happened.without_secrets(clean),
        tuple(map(clean, outline.signs)),
    )


async def _without_secrets(raw: str, found: Held, clean: Callable[[str], str]) -> str:
    """The text without secrets; a large one holds up nobody else meanwhile."""
    if len(raw) < _LARGE:
        return clean_snapshot(raw, found.values, clean)
    return await asyncio.to_thread(clean_snapshot, raw, found.values, clean)


async def _look(page: Page, masks: Masks, within: float) -> Outline:
    """The outline of a page; of one that may hold a secret, masked."""
    if masks.net.is_empty:
        async with masks.acting(page):
            seen = await _read_settled(page, within)
        masks.net.add_seen(seen.held.values)
        if masks.net.is_empty:
            return seen
    return await masks.look(page, lambda _: _read_settled(page, within))


async def _read_settled(page: Page, within: float) -> Outline:
    """The outline, its signs and what the fields hold: all of one document."""
    for _ in range(_TRIES):
        frames = page.frames
        raw, ends = await _outline(page, within)
        found = [end for end in ends.values() if end]
        if any(end.held is None for end in found):
            # Nobody has asked this document yet: now it has our scripts.
            await read_secret_fields(page)
            continue
        own = ends[page.main_frame]
        if own and own.held and own.is_same and all(ends.get(frame) for frame in frames):
            said = {ref: each for end in found for ref, each in end.said.items()}
            signs = (*(sign for end in found for sign in end.signs), *list_outline_frames(page))
            values = tuple(value for end in found if end.held for value in end.held.values)
            return Outline(amend_page_outline(raw, said), replace(own.held, values=values), signs)
    raise BrowserError(
        f"The page was loaded anew {_TRIES} times while a snapshot of it was taken. Wait until it "
        "rests, then take it again."
    )


async def _outline(page: Page, within: float) -> tuple[str, dict[Frame, Amendment | None]]:
    """Playwright's tree, and what the model of each frame adds to it."""
    try:
        await asyncio.gather(*map(add_listeners_to_page_outline, page.frames[1:]))
        raw = await read_page_outline_with_listeners(page).aria_snapshot(
            mode="ai", timeout=within * 1e3
        )
    except BaseException:
        # A page that hangs must not hold up who gave it up.
        with suppress(TimeoutError):
            async with asyncio.timeout(_MOMENT):
                await asyncio.gather(*map(end_page_outline, page.frames))
        raise
    frames = page.frames
    return raw, dict(zip(frames, await asyncio.gather(*map(end_page_outline, frames)), strict=True))
