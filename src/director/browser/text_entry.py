"""Typing: what an element is to hold then, and the proof that it does.

Fields, rich text and code editors are replaced as a whole and read back. What shows something else
than was typed is an error, never a success. Secrets are typed by `filling` and never read back.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator

from director.browser.elements import (
    TIMEOUT,
    Result,
    find_one_element,
    read_config_number,
    read_element_text,
    read_element_value,
)
from director.browser.errors import BrowserError
from director.browser.field_filling import find_references
from director.browser.field_kinds import HAS_PICKER
from director.browser.focus import take_focus
from director.browser.locators import Found
from director.browser.outside import Outside
from director.browser.session import Session
from director.workflow.values import Config

_EDITORS: Final = ".monaco-editor, .CodeMirror, .cm-editor, .ace_editor"
_SHOWS: Final = 1.0
"""Seconds until a field must show what was typed."""
_LOOK_AGAIN: Final = 0.05
# What takes the text: a field, edited text, an editor, or something else with one field inside.
_KIND: Final = f"""element => {{
    if (element.closest({_EDITORS!r})) return "editor";
    if (element.matches("input, textarea, select")) return "field";
    if (element.isContentEditable) return "editable";
    if (element.control) return "field";
    return element.querySelector({_EDITORS!r}) ? "editor" : "other";
}}"""
_IS_WRONG: Final = """element => {
    if (element.getAttribute("aria-invalid") === "true") return true;
    const MARKS = /(^|[\\s_-])(has-error|is-invalid|is-error|invalid|field-error|error)([\\s_-]|$)/;
    for (let at = element, far = 0; at && far < 3; at = at.parentElement, far += 1) {
        if (at.matches("form, body, main")) return false;
        if (MARKS.test(at.getAttribute("class") ?? "")) return true;
    }
    return false;
}"""
_IS_READ_ONLY: Final = "element => (element.control ?? element).readOnly === true"
_INNER: Final = "input:not([type=hidden]), textarea, [contenteditable=''], [contenteditable=true]"
# The whole text by the editor's own words, else the lines that are drawn.
_EDITOR_TEXT: Final = f"""element => {{
    const at = element.closest({_EDITORS!r}) ?? element.querySelector({_EDITORS!r});
    if (!at || globalThis.__directorMasks?.hidesText(at)) return null;
    const plain = text => text.replace(/\\u00a0/g, " ").replace(/\\u200b/g, "");
    try {{
        if (at.CodeMirror) return at.CodeMirror.getValue();
        if (at.env?.editor) return at.env.editor.getValue();
        const lines = at.querySelector(".cm-content");
        const view = lines?.cmView ?? lines?.cmTile;
        if (view) return (view.view ?? view.root.view).state.doc.toString();
        const open = globalThis.monaco?.editor?.getEditors?.() ?? [];
        const holds = node => at.contains(node) || node.contains(at);
        const own = open.find(each => holds(each.getDomNode()));
        if (own) return own.getValue();
    }} catch {{ }}
    const lines = [...at.querySelectorAll(".view-line, .cm-line, .CodeMirror-line, .ace_line")];
    const top = line => line.getBoundingClientRect().top;
    return plain(lines.sort((a, b) => top(a) - top(b)).map(line => line.textContent).join("\\n"));
}}"""

# Whether what has the focus took the text as pasted; the clipboard has no part in it.
_PASTE: Final = """(element, text) => {
    let active = element.ownerDocument.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const paste = {clipboardData, bubbles: true, cancelable: true, composed: true};
    return !active.dispatchEvent(new ClipboardEvent("paste", paste));
}"""


async def type_text(session: Session, config: Config, _: Outside) -> Result:
    """Replace what is in a field or an editor, and read it back."""
    found = await find_one_element(session, config)
    text = _text(config)
    within = read_config_number(config, "timeout", TIMEOUT)
    target, kind = await _target(found.locator, within)
    told: Result = {"typed": text, "selector": config["selector"], **found.counts()}
    await _need_writable(target, text)
    if find_references(text):
        await session.fill(target, text, within=within)
        return told
    was_wrong = await _is_wrong(target)
    if kind == "field" and await _holds_other(target, text):
        told["replaced"] = True
    if kind == "editor":
        await _replace(session, target, text)
    else:
        await session.fill(target, text, within=within)
    target = _hold(found, target)
    shown = await _read_back(session, target, text, kind=kind)
    if shown is None:
        return {**told, "doubts": ["What was typed could not be read back: the field is gone."]}
    if not _is_same(shown, text) and kind == "editable":
        await _replace(session, target, text)
        shown = await _read_back(session, target, text, kind=kind) or ""
    if kind == "field" and _is_same(shown, text) and await target.evaluate(HAS_PICKER):
        shown = await _leave_picker(session, target, text, within) or ""
    if _is_same(shown, text) and not was_wrong and await _is_wrong(target):
        return {**told, "doubts": ["The page marks the field as wrong since this was typed."]}
    if not _is_same(shown, text):
        raise BrowserError(
            f"The field shows {_cut(session.net.clean(shown))!r} after {_cut(text)!r} was typed. "
            "It was left as it is. If the page writes it in its own way and that is "
            "right, type it that way; else see what the field takes."
        )
    return told


def _hold(found: Found, target: Locator) -> Locator:
    """The very element that was typed into, also if its name has changed by that."""
    if found.sight is None:
        return target
    same = found.sight.locator(exact=False)
    return same if target is found.locator else same.locator(f"css={_INNER}")


async def _need_writable(target: Locator, text: str) -> None:
    """Refuse a field that is read-only; some are until they have the focus."""
    if await accepts_text_entry(target):
        return
    raise BrowserError(
        f"The field is read-only, so {_cut(text)!r} was not typed; it was given the focus. If a "
        "calendar or a list writes it, click the field or the icon beside it and choose there; "
        "else see what the page says, or who else has it open."
    )


async def accepts_text_entry(target: Locator) -> bool:
    """Whether a field takes keys, if need be once it has the focus."""
    if not await target.evaluate(_IS_READ_ONLY):
        return True
    await target.focus()
    until = time.monotonic() + _SHOWS
    while await target.evaluate(_IS_READ_ONLY):
        if time.monotonic() >= until:
            return False
        await asyncio.sleep(_LOOK_AGAIN)
    return True


async def _leave_picker(session: Session, target: Locator, text: str, within: float) -> str | None:
    """What a field with a calendar shows once it is left; a page may listen to keys alone."""
    await leave_text_field(session, target, within)
    shown = await _read_back(session, target, text, kind="field")
    if shown is None or _is_same(shown, text):
        return shown
    await type_text_by_keys(session, target, text)
    await leave_text_field(session, target, within)
    return await _read_back(session, target, text, kind="field")


async def leave_text_field(session: Session, field: Locator, within: float) -> None:
    """Go on from a field by a key, as a person does, so that the page takes over what it holds."""
    async with session.acting(session.page()):
        await field.press("Tab", timeout=within)


async def type_text_by_keys(session: Session, field: Locator, text: str) -> None:
    """Replace what a field holds key by key, for pages that listen to nothing else."""
    session.net.add_plain(text)
    page = session.page()
    async with session.acting(page):
        await take_focus(field)
        await page.keyboard.press("ControlOrMeta+a")
        await page.keyboard.press("Delete")
        await page.keyboard.type(text)


async def _holds_other(target: Locator, text: str) -> bool:
    """Whether a field holds something that is typed over; of one that hides it nothing is said."""
    try:
        return bool(await read_element_value(target)) and text != ""
    except PlaywrightError:
        return False


async def _is_wrong(target: Locator) -> bool:
    """Whether the page shows that it does not take what the field holds."""
    try:
        return bool(await target.evaluate(_IS_WRONG))
    except PlaywrightError:
        return False


async def _target(locator: Locator, within: float) -> tuple[Locator, str]:
    """The element that takes the text: itself, or the one field inside of it."""
    kind = await locator.evaluate(_KIND, timeout=within)
    if kind != "other":
        return locator, str(kind)
    inner = locator.locator(f"css={_INNER}")
    if await inner.count() != 1:
        return locator, "field"
    return inner, str(await inner.evaluate(_KIND, timeout=within))


async def _replace(session: Session, target: Locator, text: str) -> None:
    """Replace all by keys, as a person would; only while the element has the focus."""
    session.net.add_plain(text)
    page = session.page()
    async with session.acting(page):
        await take_focus(target)
        await page.keyboard.press("ControlOrMeta+a")
        # An editor takes what is pasted as it is, and what is typed with brackets of its own.
        if not text or not await target.evaluate(_PASTE, text):
            await page.keyboard.press("Delete")
            await page.keyboard.insert_text(text)


async def _read_back(session: Session, target: Locator, text: str, *, kind: str) -> str | None:
    """What it shows once it shows the text, or after a while; None if it is gone or secret."""
    until = time.monotonic() + _SHOWS

    async def read() -> str | None:
        if not await target.count():
            return None
        if kind == "editor":
            return await target.evaluate(_EDITOR_TEXT)  # type: ignore[no-any-return]
        if kind == "editable":
            return await read_element_text(target)
        value = await read_element_value(target)
        # What nobody may read is as it was typed.
        return text if value is None else value

    while True:
        try:
            shown = await session.look(session.page(), lambda _: read())
        except PlaywrightError:
            return None
        if shown is None or _is_same(shown, text) or time.monotonic() >= until:
            return shown
        await asyncio.sleep(_LOOK_AGAIN)


def _is_same(shown: str, text: str) -> bool:
    """Whether both are one text; how lines end and what stands around them does not count."""
    return _lines(shown) == _lines(text)


def _lines(text: str) -> list[str]:
    plain = text.replace("\r\n", "\n").replace("\u00a0", " ")
    return [line.rstrip() for line in plain.strip().split("\n") if line.strip()]


def _text(config: Config) -> str:
    text = config["text"]
    if not isinstance(text, str):
        raise BrowserError(f"{config['action']}: 'text' must be a text, not {text!r}.")
    return text


def _cut(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"
