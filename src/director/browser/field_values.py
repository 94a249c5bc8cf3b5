"""Setting a field to a value, whatever it is made of: a list, a date, a slider, a switch.

One action that ends only when the page shows the value, or with what it shows instead.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from datetime import date
from typing import Final, TypeAlias

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator

from director.browser.calendars import (
    is_same_calendar_date,
    parse_calendar_date,
    pick_calendar_date,
)
from director.browser.elements import TIMEOUT, Result, find_one_element, read_config_number
from director.browser.errors import BrowserError
from director.browser.field_kinds import KIND, RANGE_FOCUS, RANGE_NOW, SHOWN
from director.browser.focus import take_focus
from director.browser.locators import Found
from director.browser.moving_text import OPTIONS
from director.browser.option_lists import open_list
from director.browser.outside import Outside
from director.browser.session import Session
from director.browser.text_entry import accepts_text_entry, leave_text_field, type_text_by_keys
from director.workflow.values import Config, Json

_LOOK_AGAIN: Final = 0.05
_OPENS: Final = 3.0
_SOON: Final = 1.0
"""Seconds until a field of text shows its value, before it is typed by keys."""
_STEPS: Final = 1_000
_TRIES: Final = 3
_NAMED: Final = 20
_STEP: Final = 0.3
"""Seconds in which a key must have moved a slider."""


async def set_value(session: Session, config: Config, _: Outside) -> Result:
    """Set a field to a value, and prove that it shows it."""
    found = await find_one_element(session, config)
    within = read_config_number(config, "timeout", TIMEOUT)
    kind = str(await found.locator.evaluate(KIND, timeout=within))
    shown = await _SETTERS[kind](session, found, config["value"], within)
    return {"set": shown, "selector": config["selector"], **found.counts()}


async def _set_switch(session: Session, found: Found, value: Json, within: float) -> Json:
    wanted = value if isinstance(value, bool) else str(value).lower() in ("true", "on", "yes", "1")
    async with session.acting(session.page()):
        await found.locator.set_checked(wanted, timeout=within)
    return wanted


async def _set_select(session: Session, found: Found, value: Json, within: float) -> Json:
    """By what is seen of its options: the label or the value of one."""
    text, page = str(value), session.page()
    options = await session.look(page, lambda _: found.locator.evaluate(OPTIONS, timeout=within))
    places = [at for at, option in enumerate(options) if text in option]
    if not places:
        shown = ", ".join(repr(label) for _, label in options[:_NAMED])
        raise BrowserError(f"There is no option {text!r}. Nothing was chosen. Shown: {shown}.")
    async with session.acting(page):
        await found.locator.select_option(index=places[0], timeout=within)
    return await _prove(session, found.locator, str(options[places[0]][1]))


async def _set_typed(session: Session, found: Found, value: Json, within: float) -> Json:
    text = str(value)
    await session.fill(found.locator, text, within=within)
    return await _prove(session, found.locator, text)


async def _set_slider(session: Session, found: Found, value: Json, within: float) -> Json:
    """By the keys that a slider takes."""
    async with session.acting(session.page()):
        await take_focus(found.locator, within)
        return await _step(session, found.locator, value)


async def _set_range(session: Session, found: Found, value: Json, _: float) -> Json:
    """By the keys that the line of a slider takes, which writes its value into a hidden field."""
    async with session.acting(session.page()):
        if not await found.locator.evaluate(RANGE_FOCUS):
            raise BrowserError(
                f"The slider of this field takes no keys, so it was not set to {value!r}. Nothing "
                "was done. Drag its handle (action drag with by)."
            )
        return await _step(session, found.locator, value)


async def _step(session: Session, field: Locator, value: Json) -> Json:
    """Press arrow keys until a slider has the value; one that goes past it is led back."""
    wanted, page = _need_number(value), session.page()
    met: Counter[float] = Counter()
    now = float(await field.evaluate(RANGE_NOW))
    for _ in range(_STEPS):
        met[now] += 1
        if now == wanted or math.isnan(now) or met[now] > _TRIES:
            break
        await page.keyboard.press("ArrowRight" if now < wanted else "ArrowLeft")
        now = await _wait_for_step(field, now)
    if now != wanted:
        raise _differs(value, session.net.clean(f"{now:g}"))
    return value


async def _wait_for_step(field: Locator, before: float) -> float:
    """Where a slider is after a key; some draw and write their value a moment later."""
    until = time.monotonic() + _STEP
    while True:
        now = float(await field.evaluate(RANGE_NOW))
        if now != before or time.monotonic() >= until:
            return now
        await asyncio.sleep(_LOOK_AGAIN / 5)


def _need_number(value: Json) -> float:
    try:
        return float(str(value))
    except ValueError:
        raise BrowserError(
            f"A slider is set to a number, not to {value!r}. Nothing was done."
        ) from None


async def _set_combobox(session: Session, found: Found, value: Json, within: float) -> Json:
    """Open the list, narrow it by typing where that can be, and click the option."""
    text = str(value)
    field = _hold(found)
    options = await open_list(session, found.locator, within)
    if await field.evaluate("element => element.localName === 'input' && !element.readOnly"):
        await session.fill(field, text, within=within)

    async def is_chosen() -> bool:
        return _is_value(await _look_at(session, field, text), text)

    trouble = await options.choose(text, within, is_chosen)
    try:
        # A button that opens a list mostly has what was chosen as its name then.
        return await _prove(session, field, text)
    except BrowserError as problem:
        raise BrowserError(f"{problem} {trouble}".strip()) from None


async def _set_text(session: Session, found: Found, value: Json, within: float) -> Json:
    """A field with a picker of its own: typed, and left, so that the page takes it over."""
    text, field = str(value), _hold(found)
    before = await _look_at(session, field, text)
    await session.fill(found.locator, text, within=within)
    await leave_text_field(session, field, within)
    try:
        return await _prove(session, field, text, seconds=_SOON)
    except BrowserError:
        if await _look_at(session, field, text) != before:
            return await _prove(session, field, text)
    # The page took it back: it listens to keys alone.
    await type_text_by_keys(session, field, text)
    await leave_text_field(session, field, within)
    return await _prove(session, field, text)


def _hold(found: Found) -> Locator:
    """The very element that was found, whatever its name is by now."""
    return found.sight.locator(exact=False) if found.sight else found.locator


async def _set_closed(session: Session, found: Found, value: Json, within: float) -> Json:
    """A field that opens for keys when it has the focus; else only what it opens may write it."""
    if await accepts_text_entry(found.locator):
        return await _set_text(session, found, value, within)
    field, wanted = _hold(found), parse_calendar_date(str(value))
    if wanted and await pick_calendar_date(session, found, wanted, within):
        return await _prove_date(session, field, wanted)
    called = found.sight.portrait.like.name if found.sight else ""
    raise BrowserError(
        f"The field {called!r} is read-only: it is written by what it opens, a calendar or a list, "
        f"so it was not set to {value!r}; it was clicked. Click the field, or the icon "
        "beside it, look at what opens and click there: year, month and day of a calendar, each a "
        "node; then ensure the field's value."
    )


async def _refuse(_: Session, found: Found, value: Json, __: float) -> Json:
    """What holds no value of its own."""
    role = found.sight.portrait.like.role if found.sight else ""
    raise BrowserError(
        f"The element ({role or 'without a role'}) holds no value, so it was not set to {value!r}. "
        "Nothing was done. Name the field inside of it, each of its parts if it has several, or "
        "click it and then what it opens."
    )


async def _prove_date(session: Session, field: Locator, wanted: date) -> Json:
    """What a field shows, once that is a date; each page writes one in its own way."""
    until = time.monotonic() + _OPENS
    while not is_same_calendar_date(shown := await _look_at(session, field, ""), wanted):
        if time.monotonic() >= until:
            raise _differs(wanted.isoformat(), session.net.clean(shown))
        await asyncio.sleep(_LOOK_AGAIN)
    return shown


async def _look_at(session: Session, field: Locator, text: str) -> str:
    """What a field shows; of a secret one the text, and nothing of one that is gone."""
    try:
        told = await session.look(session.page(), lambda _: field.evaluate(SHOWN))
    except PlaywrightError:
        return ""
    return text if told is None else " ".join(str(told).split())


def _is_value(shown: str, text: str) -> bool:
    return shown == text or (text != "" and text in shown.split(", "))


async def _prove(session: Session, field: Locator, text: str, *, seconds: float = _OPENS) -> Json:
    """What it shows, once that is the value."""
    until = time.monotonic() + seconds
    while True:
        shown = await _look_at(session, field, text)
        if _is_value(shown, text):
            return shown
        if time.monotonic() >= until:
            raise _differs(text, session.net.clean(shown))
        await asyncio.sleep(_LOOK_AGAIN)


def _differs(value: Json, shown: str) -> BrowserError:
    return BrowserError(
        f"The field was set to {value!r} and shows {shown!r}. It was left so. Give a value that it "
        "takes, as it would show it."
    )


_Setter: TypeAlias = Callable[[Session, Found, Json, float], Awaitable[Json]]
_SETTERS: Mapping[str, _Setter] = {
    "select": _set_select,
    "switch": _set_switch,
    "typed": _set_typed,
    "slider": _set_slider,
    "range": _set_range,
    "closed": _set_closed,
    "combobox": _set_combobox,
    "text": _set_text,
    "none": _refuse,
}
