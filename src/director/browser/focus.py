"""The focus: keys go to an element that is proven to have it, or to the page by name."""

from __future__ import annotations

from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator, Page

from director.browser.element_portraits import ask_about_portraits
from director.browser.elements import TIMEOUT, Result, find_one_element, read_config_number
from director.browser.errors import BrowserError
from director.browser.moving_text import check_keys
from director.browser.outside import Outside
from director.browser.session import Session
from director.workflow.values import Config, Json

_HAS_FOCUS: Final = """element => {
    if (!element.ownerDocument.hasFocus()) return false;
    let active = element.ownerDocument.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    for (let at = active; at; at = at.parentNode ?? at.host) if (at === element) return true;
    const editor = element.closest(".monaco-editor, .CodeMirror, .cm-editor, .ace_editor");
    return Boolean(editor?.contains(active));
}"""
_IS_CLOSED: Final = """element =>
    element.matches(":disabled, [aria-disabled=true], [aria-readonly=true]") ||
    element.readOnly === true || Boolean(element.closest("[contenteditable=false]"))"""
_OUT_OF_FRAMES: Final = """() => {
    const active = document.activeElement;
    if (active?.matches("iframe, frame")) active.blur();
    globalThis.focus();
}"""


async def press_keys(session: Session, config: Config, _: Outside) -> Result:
    """Press keys on an element that has the focus then, or on the page."""
    modifiers = config.get("modifiers")
    held = [str(each) for each in modifiers] if isinstance(modifiers, list | tuple) else []
    keys = "+".join([*held, str(config["key"])])
    check_keys(keys)
    page = session.page()
    if config.get("selector") is None:
        await page.main_frame.evaluate(_OUT_OF_FRAMES)
        said = await session.look(page, lambda _: _describe_focus(page))
        async with session.acting(page):
            await page.keyboard.press(keys)
        return {"pressed": keys, "focused": said}
    found = await find_one_element(session, config)
    async with session.acting(page):
        await take_focus(found.locator, read_config_number(config, "timeout", TIMEOUT))
        await page.keyboard.press(keys)
    return {"pressed": keys, "selector": config["selector"], **found.counts()}


async def take_focus(locator: Locator, within: float = TIMEOUT) -> None:
    """Give an element the focus, by a click if need be; an error if it does not take it."""
    await locator.focus(timeout=within)
    if await locator.evaluate(_HAS_FOCUS):
        return
    await locator.click(timeout=within)
    if not await locator.evaluate(_HAS_FOCUS):
        if await locator.evaluate(_IS_CLOSED):
            raise BrowserError(
                "The field cannot be written into now: the page has it disabled or read-only. "
                "Nothing was typed. See what the page says, or who else has it open."
            )
        raise BrowserError(
            "The element did not take the focus, so no key was pressed. Name the field itself, or "
            "press the key on the page with page: true."
        )


async def _describe_focus(page: Page) -> Json:
    """The role and the name of what has the focus in the page itself."""
    try:
        active = page.locator("css=:focus")
        if await active.count() != 1:
            return None
        said = await ask_about_portraits(active, "said")
    except PlaywrightError:
        return None
    return {"role": said["role"], "name": said["name"]}
