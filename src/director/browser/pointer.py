"""The mouse: clicks, hovering, dragging; on one element, at a place in it, or by a distance."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from playwright.async_api import Frame, Position
from playwright.async_api import TimeoutError as PlaywrightTimeout

from director.browser.elements import TIMEOUT, Result, find_one_element, read_config_number
from director.browser.errors import BrowserError
from director.browser.locators import Found
from director.browser.moving_text import check_drag
from director.browser.outside import Outside
from director.browser.session import Session
from director.workflow.values import Config, Json

_STEPS = 12
_LATE = 30.0  # seconds for the page that a click led to, when it has not come in its own time
_CLICKED = "click action done"  # in Playwright's log: what is waited for then is the next page


async def click_element(session: Session, config: Config, _: Outside) -> Result:
    """Click an element, once or more, with any button."""
    found = await find_one_element(session, config)
    how: dict[str, Any] = {"timeout": read_config_number(config, "timeout", TIMEOUT)}
    if at := _point(config.get("position")):
        how["position"] = at
    if config.get("button"):
        how["button"] = config["button"]
    if held := config.get("modifiers"):
        how["modifiers"] = list(held) if isinstance(held, list | tuple) else [held]
    how["click_count"] = read_config_number(config, "clicks", 1)
    told: Result = {"clicked": config["selector"], **found.counts()}
    page, moved = session.page(), asyncio.Event()

    def see(frame: Frame) -> None:
        if frame == page.main_frame:
            moved.set()

    page.on("framenavigated", see)
    try:
        async with session.acting(page):
            await found.locator.click(**how)
    except PlaywrightTimeout as late:
        if _CLICKED not in late.message:
            raise
        await _tell_late(told, moved)
    finally:
        page.remove_listener("framenavigated", see)
    return told


async def _tell_late(told: Result, moved: asyncio.Event) -> None:
    """Wait on for the page that a click led to: the click was made, whatever becomes of it."""
    try:
        async with asyncio.timeout(_LATE):
            await moved.wait()
        told["notes"] = ["It was clicked, and the page that it led to came late."]
    except TimeoutError:
        said = (
            f"It was clicked, and the site had not answered {_LATE:g} s later: what became of it "
            "is not known."
        )
        told["doubts"] = [{"kind": "unproven", "sentence": said, "evidence": {}}]


async def hover_over_element(session: Session, config: Config, _: Outside) -> Result:
    """Hold the pointer over an element."""
    found = await find_one_element(session, config)
    within, at = read_config_number(config, "timeout", TIMEOUT), _point(config.get("position"))
    async with session.acting(session.page()):
        await found.locator.hover(timeout=within, position=at)
    return {"hovered": config["selector"], **found.counts()}


async def drag_element(session: Session, config: Config, _: Outside) -> Result:
    """Drag an element onto another one, or by a distance."""
    source = await find_one_element(session, config)
    await check_drag(session, source.locator, str(config["selector"]))
    if config.get("to") is None:
        return await _drag_by(session, config, source)
    target = await find_one_element(session, config, "to")
    async with session.acting(session.page()):
        await source.locator.drag_to(
            target.locator,
            timeout=read_config_number(config, "timeout", TIMEOUT),
            source_position=_point(config.get("position")),
            target_position=_point(config.get("toPosition")),
        )
    more = max(source, target, key=lambda each: each.actionable)
    return {"dragged": config["selector"], "to": config["to"], **more.counts()}


async def _drag_by(session: Session, config: Config, source: Found) -> Result:
    by, mouse = _point(config["by"]), session.page().mouse
    async with session.acting(session.page()):
        await source.locator.scroll_into_view_if_needed(
            timeout=read_config_number(config, "timeout", TIMEOUT)
        )
        box = await source.locator.bounding_box()
        if box is None or by is None:
            raise BrowserError(f"{config['selector']!r} has no place on the page: nothing moved.")
        at = _point(config.get("position")) or {"x": box["width"] / 2, "y": box["height"] / 2}
        x, y = box["x"] + at["x"], box["y"] + at["y"]
        await mouse.move(x, y)
        await mouse.down()
        # In steps, since a page that follows the pointer asks for more than its end.
        for step in range(1, _STEPS + 1):
            await mouse.move(x + by["x"] * step / _STEPS, y + by["y"] * step / _STEPS)
        await mouse.up()
    return {"dragged": config["selector"], "by": config["by"], **source.counts()}


def _point(given: Json) -> Position | None:
    if not isinstance(given, Mapping):
        return None
    return {"x": float(str(given["x"])), "y": float(str(given["y"]))}
