"""The model of a page, asked from here: portraits of the elements that a bundle may mean.

`model.js` computes role, name and state of each element, once for the outline and for locators. It
runs as an engine of selectors in a world of its own, which no script of the page can reach. Nothing
on the page is changed.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from secrets import token_hex
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Locator, Page, Playwright

from director.browser.bundle import Bundle, Holder, Selector
from director.browser.bundle_vote import Portrait
from director.browser.errors import BrowserError
from director.browser.fields import evaluate_field_script

Answer: TypeAlias = Any
"""What the model of a page tells: JSON of a form that the request decides."""
ENGINE: Final = "director"
_WITHIN: Final = 30_000
_OF_ONE: Final = 10_000
_KEYS = itertools.count(1)
# Words of selectors that Playwright knows and a browser does not.
_PLAYWRIGHT: Final = re.compile(
    r":(?:has-text|text|text-is|visible|near|above|below|left-of|right-of)\b", re.IGNORECASE
)
_HANDED_OVER: Final = """
    (elements => ({count: elements.length, given: (FUNCTION)(elements, given[1])}))
    (globalThis.__directorClicks.handedOver(given[0]))"""
_REPORT: Final = "globalThis.__directorClicks.report()"


class PageChanged(BrowserError):
    """Elements went away in the middle of a look."""


@dataclass(frozen=True, slots=True)
class Sight:
    """An element that was seen: its portrait and the frame it is in."""

    frame: Frame
    portrait: Portrait

    def locator(self, *, exact: bool = True) -> Locator:
        """A locator of this very element; of none once it is gone or, if `exact`, renamed."""
        one, like = self.portrait, self.portrait.like
        same = {"role": like.role, "name": like.name, "pin": one.pin} if exact else {}
        return self.frame.locator(_selector({"do": "node", "id": one.node, **same}))


@cache
def load_portraits_script() -> str:
    """The engine that is the model of a page."""
    folder = files("director.browser")
    names = ("model.js", "portrait.js", "signs.js", "engine.js")
    parts = (folder.joinpath(name).read_text(encoding="utf-8") for name in names)
    return "(() => {\n" + "\n".join(parts) + "\n})()"


async def register_portraits_script(playwright: Playwright) -> None:
    """Let pages be asked for their model; call it before any of them is opened."""
    await playwright.selectors.register(ENGINE, load_portraits_script(), content_script=True)


def locate_portrait(frame: Frame, do: str, **given: object) -> Locator:
    """What stands for the answer of a frame's model to a request, once it is looked for."""
    return frame.locator(_selector({"do": do, **given}))


async def ask_portraits_script(frame: Frame, do: str, **given: object) -> Answer:
    """The answer of a frame's model to a request."""
    found = locate_portrait(frame, do, **given)
    return json.loads(await found.text_content(timeout=_WITHIN) or "null")


async def ask_about_portraits(element: Locator, do: str) -> Answer:
    """The answer to a request about one element; its model must know what listens by then."""
    found = element.locator(_selector({"do": do}))
    return json.loads(await found.text_content(timeout=_OF_ONE) or "null")


async def report_portrait_listeners(frame: Frame) -> None:
    """Let the world of the page tell its model which elements only listen."""
    try:
        if await evaluate_field_script(frame, _REPORT) == -1:
            # Nobody heard, because the model was never asked in this document.
            await ask_portraits_script(frame, "untell")
            await evaluate_field_script(frame, _REPORT)
    except PlaywrightError:
        # A frame on its way elsewhere has nothing to tell.
        return


async def read_element_portraits(frame: Frame, bundle: Bundle) -> list[Sight]:
    """All elements of a frame that could be meant, in the order of the page."""
    await report_portrait_listeners(frame)
    given: dict[str, object] = {"bundle": bundle.json()}
    if _PLAYWRIGHT.search(bundle.css):
        given["gathered"] = key = next(_KEYS)
        every = frame.locator(f"css={bundle.css}")
        await every.locator(_selector({"do": "gather", "key": key})).count()
    drawn = await ask_portraits_script(frame, "portraits", **given)
    return [Sight(frame, _portrait(each)) for each in drawn]


async def read_css_portraits(frame: Frame, css: str) -> list[Sight]:
    """All elements of a frame that CSS matches, also in open shadow roots."""
    await report_portrait_listeners(frame)
    key = next(_KEYS)
    every = frame.locator(f"css={css}")
    if not await every.locator(_selector({"do": "gather", "key": key})).count():
        return []
    drawn = await ask_portraits_script(frame, "sketches", gathered=key)
    return [Sight(frame, _sketch(each)) for each in drawn]


async def evaluate_element_portraits(
    sights: Sequence[Sight], function: str, given: object = None
) -> list[Any]:
    """What a function of the page's world gives for each element; it takes those of a frame."""
    parts = await evaluate_portraits_by_frame(sights, function, given)
    return [each for part in parts for each in part]


async def evaluate_portraits_by_frame(
    sights: Sequence[Sight], function: str, given: object = None
) -> list[Any]:
    """What a function of the page's world gives for the elements of each frame."""
    found = []
    for frame in dict.fromkeys(sight.frame for sight in sights):
        ids = [sight.portrait.node for sight in sights if sight.frame is frame]
        # Nobody else can hand over elements under a name that is made here and used once.
        name = f"director-{token_hex(8)}"
        await evaluate_field_script(frame, "globalThis.__directorClicks.wait(given)", name)
        await ask_portraits_script(frame, "hand_over", ids=ids, type=name)
        told = await evaluate_field_script(
            frame, _HANDED_OVER.replace("FUNCTION", function), [name, given]
        )
        if told is None or told["count"] != len(ids):
            raise PageChanged("The page changed while it was read; nothing was kept. Read again.")
        found.append(told["given"])
    return found


async def read_portraits_in_all_frames(
    page: Page, wanted: Selector, clean: Callable[[str], str] = str
) -> list[Sight]:
    """All elements that CSS matches or a bundle could mean, in every frame it may mean."""
    frames = page.frames if isinstance(wanted, str) else list_portrait_frames(page, wanted, clean)
    looks = await asyncio.gather(*(_look_if_there(frame, wanted) for frame in frames))
    return [sight for sights in looks for sight in sights]


async def _look_if_there(frame: Frame, wanted: Selector) -> list[Sight]:
    try:
        if isinstance(wanted, str):
            return await read_css_portraits(frame, wanted)
        return await read_element_portraits(frame, wanted)
    except PlaywrightError:
        if frame.parent_frame is not None and frame.is_detached():
            return []
        raise


def list_portrait_frames(
    page: Page, bundle: Bundle, clean: Callable[[str], str] = str
) -> Sequence[Frame]:
    """The frames to look into: those that the bundle names, or all if it names none.

    A bundle that was made on a page of its own knows that its element is in no frame. A frame that
    has lost its name and address may be any of the page's inner ones. Names and addresses are
    compared without the secrets in them.
    """
    if bundle.frame is None:
        return [page.main_frame] if bundle.nth else page.frames
    inner = [frame for frame in page.frames if frame.parent_frame]
    name, url = bundle.frame.name, bundle.frame.url
    known = [frame for frame in inner if name and clean(frame.name) == name]
    known = known or [frame for frame in inner if url and clean(frame.url).startswith(url)]
    return known or inner


def _selector(request: Mapping[str, object]) -> str:
    """A request as a selector; nothing in it can be read as more than its text."""
    return f"{ENGINE}={quote(json.dumps(request), safe='')}"


def _portrait(drawn: Mapping[str, Any]) -> Portrait:
    like = Bundle(
        role=drawn["role"],
        name=drawn["name"],
        label=drawn["label"],
        test_id=drawn["test_id"],
        text=drawn["text"],
        path=drawn["path"],
        attributes=drawn["attributes"],
        classes=tuple(drawn["classes"]),
        within=tuple(Holder(each["role"], each.get("name", "")) for each in drawn["within"]),
        near=tuple(drawn["near"]),
        nth=tuple(drawn["nth"]),
    )
    return Portrait(
        like,
        drawn["node"],
        drawn["pin"],
        by_css=drawn["by_css"],
        visible=drawn["visible"],
        in_view=drawn["in_view"],
    )


def _sketch(drawn: Mapping[str, Any]) -> Portrait:
    like = Bundle(role=drawn["role"], name=drawn["name"], text=drawn["text"], path=drawn["path"])
    return Portrait(
        like,
        drawn["node"],
        drawn["pin"],
        by_css=True,
        visible=drawn["visible"],
        in_view=drawn["in_view"],
    )
