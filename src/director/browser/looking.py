"""One look at a page: the portraits of the elements that a bundle may mean, frame by frame.

Role and name are asked of Playwright's own engine, everything else of `portrait.js`, both in the
same round trip. Nothing on the page is changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from playwright.async_api import Frame, Locator, Page

from director.browser.bundle import Bundle, Holder
from director.browser.voting import Portrait


@dataclass(frozen=True, slots=True)
class Sight:
    """An element that was seen: its portrait and the frame it is in."""

    frame: Frame
    portrait: Portrait


@cache
def script() -> str:
    """The function that draws portraits inside a page."""
    return (files("director.browser") / "portrait.js").read_text(encoding="utf-8")


async def look(frame: Frame, bundle: Bundle, *, names: bool = True) -> list[Sight]:
    """All elements of a frame that could be meant, in the order of the page.

    Without `names` Playwright is not asked for any: it reads the values of fields into them.
    """
    start = frame.locator("css=:not(*)")
    if names and bundle.role and bundle.name:
        start = frame.get_by_role(bundle.role, name=bundle.name, exact=True)  # type: ignore[arg-type]
    drawn = await start.evaluate_all(script(), {"bundle": bundle.json()})
    return [Sight(frame, _portrait(each)) for each in json.loads(drawn)]


def frames_of(page: Page, bundle: Bundle, clean: Callable[[str], str] = str) -> Sequence[Frame]:
    """The frames to look into: the page itself, or those that the bundle names.

    A frame that has lost its name and address may be any of the page's inner ones. Names and
    addresses are compared without the secrets in them.
    """
    if bundle.frame is None:
        return [page.main_frame]
    inner = [frame for frame in page.frames if frame.parent_frame]
    name, url = bundle.frame.name, bundle.frame.url
    known = [frame for frame in inner if name and clean(frame.name) == name]
    known = known or [frame for frame in inner if url and clean(frame.url).startswith(url)]
    return known or inner


def locator_of(sight: Sight, bundle: Bundle, seen: Sequence[Sight]) -> Locator:
    """A locator for exactly this element: by role and name or CSS if they single it out.

    Otherwise by where it stands and what it says, so that it rather finds nothing than another
    element if the page changes before it is used.
    """
    one = sight.portrait
    listed = sum(each.portrait.listed for each in seen)
    matched = sum(each.portrait.by_css for each in seen)
    if one.listed and listed == 1:
        return sight.frame.get_by_role(bundle.role, name=bundle.name, exact=True)  # type: ignore[arg-type]
    if one.by_css and matched == 1:
        return sight.frame.locator(f"css={bundle.css}")
    return sight.frame.locator(f"css={one.pin}")


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
        drawn["pin"],
        listed=drawn["listed"],
        by_css=drawn["by_css"],
        visible=drawn["visible"],
        in_view=drawn["in_view"],
    )
