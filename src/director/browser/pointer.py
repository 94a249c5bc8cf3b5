"""The mouse: clicks, hovering, dragging; on one element, at a place in it, or by a distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playwright.async_api import Position

from director.browser.elements import TIMEOUT, Result, find_one_element, read_config_number
from director.browser.errors import BrowserError
from director.browser.locators import Found
from director.browser.moving_text import check_drag
from director.browser.outside import Outside
from director.browser.session import Session
from director.workflow.values import Config, Json

_STEPS = 12


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
    async with session.acting(session.page()):
        await found.locator.click(click_count=read_config_number(config, "clicks", 1), **how)
    return {"clicked": config["selector"], **found.counts()}


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
