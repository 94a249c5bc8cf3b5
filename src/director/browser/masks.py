"""Masks: a page is looked at only while a mark stands in the place of every secret in it.

Whatever looks (selectors, conditions, extraction, snapshots, pictures) sees the masked page, so
that no answer can depend on a secret, and two secrets of one length give the same answers. The
page is scanned, its texts are judged here by the session's net, and only marks are sent back: no
secret is ever sent to a page to be looked for. After the look everything is put back; a look in
which the page showed a secret anew does not count and is done again.
"""

from __future__ import annotations

import asyncio
import re
from bisect import bisect_right
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, Final, Protocol, TypeAlias, TypeVar, final
from weakref import WeakKeyDictionary

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page

from director.browser.bundle import LocatorError, read_css
from director.browser.errors import BrowserError
from director.browser.fields import evaluate_field_script
from director.browser.session_redaction import SessionNet
from director.secrets import Clear
from director.secrets.clear import MARK
from director.workflow.selectors import unescape_selector

T = TypeVar("T")
Span: TypeAlias = tuple[int, int]
_TRIES: Final = 5
_MOMENT: Final = 2.0
_BETWEEN: Final = "\x01\x02\x01"
_ATTRIBUTE: Final = re.compile(r"\[\s*(?:[\w*-]*\|)?([\w:-]+)\s*[~|^$*]?=")
_JUDGES_VALUES: Final = re.compile(
    r":(?:-webkit-)?(?:user-)?(?:in)?valid|:(?:in|out-of)-range|:dir\b", re.IGNORECASE
)
_JUDGES_TEXT: Final = re.compile(
    r":(?:has-text|text|near|above|below|left-of|right-of)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class MaskedPage:
    """A page while it is masked.

    `holds` says whether anything is hidden; `left` names attributes whose values could not be
    hidden because a change would load something; `fields` and `editable` whether it has fields
    with secrets in them. `clean` removes secrets from texts that are not of the page itself.
    """

    page: Page
    clean: Callable[[str], str] = str
    holds: bool = False
    left: frozenset[str] = frozenset()
    fields: bool = False
    editable: bool = False

    def check_selector(self, css: str) -> None:
        """Refuse what is no CSS, and CSS that asks about what could not be hidden."""
        plain = unescape_selector(read_css(css))
        # "*|href" also means "xlink:href".
        named = {name.lower() for name in self.left}
        left = named | {name.rpartition(":")[2] for name in named}
        asked = {name.lower() for name in _ATTRIBUTE.findall(plain)} & left
        if asked:
            why = f"the value of {', '.join(sorted(asked))}"
        elif self.fields and _JUDGES_VALUES.search(plain):
            why = "whether a field's value is valid"
        elif self.editable and _JUDGES_TEXT.search(plain):
            why = "the text of an element or the room it takes"
        else:
            return
        raise LocatorError(
            f"{css!r} {REFUSED}: it asks about {why}, and this page holds a secret there. Nothing "
            "was done. Name the element in another way: by its id, its label, or its place."
        )


REFUSED: Final = "is refused"


class Looks(Protocol):
    """Calls a function on a page while it is masked."""

    async def __call__(self, page: Page, look: Callable[[MaskedPage], Awaitable[T]], /) -> T:
        """What the function gave."""


async def read_unmasked_page(page: Page, look: Callable[[MaskedPage], Awaitable[T]], /) -> T:
    """Look at a page of which it is known that it holds no secret, or that is masked already."""
    return await look(MaskedPage(page))


@dataclass(slots=True)
class _Masked:
    """What is known of the frames of a page while they are masked."""

    documents: dict[Frame, str] = field(default_factory=dict)
    count: int = 0
    left: set[str] = field(default_factory=set)
    fields: bool = False
    editable: bool = False


@final
class Masks:
    """Masks the pages of one session: one look at a page at a time, none while it is acted on."""

    def __init__(self, net: SessionNet | None = None) -> None:
        self.net = net or SessionNet()
        self._locks: WeakKeyDictionary[Page, asyncio.Lock] = WeakKeyDictionary()

    @asynccontextmanager
    async def acting(self, page: Page) -> AsyncIterator[None]:
        """Keep a page as it is while something is done on it: nobody masks it meanwhile."""
        async with self._locks.setdefault(page, asyncio.Lock()):
            yield

    async def look(self, page: Page, look: Callable[[MaskedPage], Awaitable[T]], /) -> T:
        """What a look at the masked page gave; done again if the page changed meanwhile."""
        async with self.acting(page):
            for _ in range(_TRIES):
                masked = await self._mask(page)
                if masked is None:
                    continue
                try:
                    given = await look(self._describe(page, masked))
                except (LocatorError, BrowserError, PlaywrightError):
                    if await self._lift(page, masked):
                        raise
                except BaseException:
                    # A page that hangs must not hold up who gave it up.
                    with suppress(TimeoutError):
                        async with asyncio.timeout(_MOMENT):
                            await self._lift(page, masked)
                    raise
                else:
                    if await self._lift(page, masked):
                        return given
        raise BrowserError(
            f"The page changed {_TRIES} times while it was looked at, and what it shows is to be "
            "hidden. Nothing was done. Wait until it rests, then look again."
        )

    def _describe(self, page: Page, masked: _Masked) -> MaskedPage:
        return MaskedPage(
            page,
            self.net.clean,
            bool(masked.count or masked.left or masked.fields),
            frozenset(masked.left),
            masked.fields,
            masked.editable,
        )

    async def _mask(self, page: Page) -> _Masked | None:
        """Mask every frame; None if one changed in the middle, and then none is masked."""
        masked = _Masked()
        if self.net.is_empty and not await self._has_secret_values(page):
            return masked
        frames = page.frames
        scans = dict(zip(frames, await _of_all(frames, _SCAN), strict=True))
        masked.documents = {frame: scan["document"] for frame, scan in scans.items() if scan}
        for scan in filter(None, scans.values()):
            self.net.add_seen(map(Clear, scan["values"]))
        for frame, scan in scans.items():
            if scan is None:
                continue
            told = await evaluate_field_script(frame, _APPLY, self._find_masks(frame, scan))
            if told is None:
                await self._lift(page, masked)
                return None
            masked.count += told["masked"]
            masked.left.update(told["left"])
            masked.fields |= told["fields"]
            masked.editable |= told["editable"]
        return masked

    async def _has_secret_values(self, page: Page) -> bool:
        """Whether a field of the page holds a secret that nobody has heard of."""
        found = await _of_all(page.frames, _VALUES)
        self.net.add_seen(Clear(value) for values in found if values for value in values)
        return not self.net.is_empty

    def _find_masks(self, frame: Frame, scan: Mapping[str, Any]) -> dict[str, Any]:
        """What of a scan is to be masked, and with what."""
        fields: Sequence[str] = scan["fields"]
        return {
            "texts": self._changes(scan["texts"], "\n"),
            "attributes": self._changes(scan["attributes"], _BETWEEN),
            "fields": [at for at, text in enumerate(fields) if text and self.net.spans(text)],
            "address": bool(self.net.spans(frame.url)),
        }

    def _changes(self, texts: Sequence[str], between: str) -> list[tuple[int, str]]:
        """The texts that change and what they become; a secret may begin in one, end in another."""
        starts = list(accumulate((len(text) + len(between) for text in texts), initial=0))
        cuts: dict[int, list[tuple[int, int, str]]] = {}
        for start, end in self.net.spans(between.join(texts)):
            mark = MARK
            for at in range(bisect_right(starts, start) - 1, len(texts)):
                if starts[at] >= end:
                    break
                cuts.setdefault(at, []).append((start - starts[at], end - starts[at], mark))
                mark = ""
        return [(at, _cut(texts[at], parts)) for at, parts in cuts.items()]

    async def _holds(self, frame: Frame) -> bool:
        """Whether a frame that came while the page was looked at holds anything to be masked."""
        scan = await evaluate_field_script(frame, _SCAN)
        if scan is None:
            return False
        await evaluate_field_script(frame, _LIFT)
        return any(self._find_masks(frame, scan).values())

    async def _lift(self, page: Page, masked: _Masked) -> bool:
        """Put everything back; whether what was seen meanwhile held no secret."""
        if not masked.documents:
            return True
        known = masked.documents
        frames = page.frames
        try:
            told = await _of_all(frames, _LIFT)
        except PlaywrightError:
            # It went away, and what was seen of it may be of another page.
            return False
        for frame, each in zip(frames, told, strict=True):
            if each is None:
                continue
            if known.get(frame) != each["document"] and (
                frame.parent_frame is None or await self._holds(frame)
            ):
                return False
            if any(self.net.spans(text) for text in each["seen"]):
                return False
        return True


_VALUES: Final = "globalThis.__director.values()"
_SCAN: Final = "globalThis.__directorMasks.scan()"
_APPLY: Final = "globalThis.__directorMasks.apply(given)"
_LIFT: Final = "globalThis.__directorMasks.lift()"


async def _of_all(frames: Iterable[Frame], expression: str) -> list[Any]:
    return await asyncio.gather(*(evaluate_field_script(frame, expression) for frame in frames))


def _cut(text: str, parts: Sequence[tuple[int, int, str]]) -> str:
    edges = [(max(0, start), min(len(text), end), mark) for start, end, mark in parts]
    kept = [0, *(edge for start, end, _ in edges for edge in (start, end)), len(text)]
    pieces = [text[a:b] for a, b in pairwise(kept)][::2]
    marks = [*(mark for *_, mark in edges), ""]
    return "".join(piece + mark for piece, mark in zip(pieces, marks, strict=True))
