"""Setting a field to a value, whatever it is made of: a list, a date, a slider, a switch.

One action that ends only when the page shows the value, or with what it shows instead.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator

from director.browser.elements import TIMEOUT, Result, number, one
from director.browser.errors import BrowserError
from director.browser.focus import take_focus
from director.browser.locators import Found
from director.browser.moving_text import OPTIONS
from director.browser.option_lists import open_list
from director.browser.outside import Outside
from director.browser.session import Session
from director.workflow.values import Config, Json

_LOOK_AGAIN: Final = 0.05
_OPENS: Final = 3.0
_STEPS: Final = 1_000
_NAMED: Final = 20
_TYPED: Final = ("date", "time", "month", "week", "datetime-local", "color", "number", "range")
_KIND: Final = """element => {
    const field = element.control ?? element;
    const role = field.getAttribute("role") || "";
    if (field.localName === "select") return "select";
    if (["checkbox", "radio"].includes(field.type)) return "switch";
    if (["checkbox", "radio", "switch", "menuitemcheckbox"].includes(role)) return "switch";
    if (["slider", "spinbutton"].includes(role))
        return field.localName === "input" ? "typed" : "slider";
    if (field.localName === "input" && TYPED.includes(field.type)) return "typed";
    if (field.hasAttribute("list")) return "text";
    const opens = field.getAttribute("aria-haspopup") === "listbox";
    if (role === "combobox" || opens) return "combobox";
    if (field.matches("input, textarea") || field.isContentEditable) return "text";
    return field.matches("[aria-haspopup], [aria-expanded]") ? "combobox" : "none";
}""".replace("TYPED", str(list(_TYPED)))
_SHOWN: Final = """element => {
    const field = element.control ?? element;
    if (globalThis.__directorMasks?.hidesValue(field)) return null;
    if (field.localName === "select")
        return [...field.selectedOptions].map(option => option.label || option.text).join(", ");
    if (typeof field.value === "string" && field.value) return field.value;
    const own = field.getAttribute("aria-valuetext") || field.getAttribute("aria-valuenow")
        || (field.innerText ?? "").trim();
    // A list of a script may take keys in an empty input, and show what was chosen around it.
    let at = own ? null : field.parentElement;
    for (let up = 0; at && up < 4; at = at.parentElement, up += 1) {
        const others = [...at.querySelectorAll("input:not([type=hidden]),textarea")];
        if (others.some(e => e !== field && e.checkVisibility?.())) break;
        const said = globalThis.__directorMasks?.hidesText(at) ? "" : (at.innerText ?? "").trim();
        if (said) return said.slice(0, 200);
    }
    return own;
}"""
_NOW: Final = "element => Number(element.getAttribute('aria-valuenow'))"


async def set_value(session: Session, config: Config, _: Outside) -> Result:
    """Set a field to a value, and prove that it shows it."""
    found = await one(session, config)
    within = number(config, "timeout", TIMEOUT)
    kind = str(await found.locator.evaluate(_KIND, timeout=within))
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
    """By the keys that a slider takes, each proven to move it towards the value."""
    wanted, page = float(str(value)), session.page()
    async with session.acting(page):
        await take_focus(found.locator, within)
        now = float(await found.locator.evaluate(_NOW))
        for _ in range(_STEPS):
            if now == wanted:
                break
            await page.keyboard.press("ArrowRight" if now < wanted else "ArrowLeft")
            after = float(await found.locator.evaluate(_NOW))
            if after == now or (now < wanted < after) or (after < wanted < now):
                now = after
                break
            now = after
    if now != wanted:
        raise _differs(value, session.net.clean(f"{now:g}"))
    return value


async def _set_combobox(session: Session, found: Found, value: Json, within: float) -> Json:
    """Open the list, narrow it by typing where that can be, and click the option."""
    text = str(value)
    options = await open_list(session, found.locator, within)
    if await found.locator.evaluate(
        "element => element.localName === 'input' && !element.readOnly"
    ):
        await session.fill(found.locator, text, within=within)
    await options.choose(text, within)
    # A button that opens a list mostly has what was chosen as its name then.
    same = found.sight.locator(exact=False) if found.sight else found.locator
    return await _prove(session, same if await same.count() else found.locator, text)


async def _set_text(session: Session, found: Found, value: Json, within: float) -> Json:
    """A field with a picker of its own: typed, and left, so that the page takes it over."""
    text = str(value)
    await session.fill(found.locator, text, within=within)
    async with session.acting(session.page()):
        await found.locator.press("Tab", timeout=within)
    return await _prove(session, found.locator, text)


async def _refuse(_: Session, found: Found, value: Json, __: float) -> Json:
    """What holds no value of its own."""
    role = found.sight.portrait.like.role if found.sight else ""
    raise BrowserError(
        f"The element ({role or 'without a role'}) holds no value, so it was not set to {value!r}. "
        "Nothing was done. Name the field inside of it, each of its parts if it has several, or "
        "click it and then what it opens."
    )


async def _prove(session: Session, locator: Locator, text: str) -> Json:
    """What it shows, once that is the value."""
    until, shown = time.monotonic() + _OPENS, ""
    while True:
        try:
            told = await session.look(session.page(), lambda _: locator.evaluate(_SHOWN))
            shown = text if told is None else " ".join(str(told).split())
        except PlaywrightError:
            shown = ""
        if shown == text or (text and text in shown.split(", ")):
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
    "combobox": _set_combobox,
    "text": _set_text,
    "none": _refuse,
}
