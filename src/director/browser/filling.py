"""Filling a field, with secrets where the text refers to them.

A reference becomes its value at the last moment, for the origin of the document that holds the
field, and in one step inside that very document: if the page has gone elsewhere in between, there
is no field to fill and nothing is typed. The value is in no message, log or call of Playwright
that would print it, and the field is marked before it receives it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from playwright.async_api import ElementHandle, Locator
from playwright.async_api import Error as PlaywrightError

from director.secrets import Clear, Net, Origin, Reference, SecretRefused

_REFERENCE: Final = re.compile(r"\{\{\s*secret:\s*([\w.-]+)\s*\}\}", re.ASCII)
_ORIGIN: Final = "field => field.ownerDocument.defaultView?.location.origin ?? ''"
# Typed as by a person where the browser can, so that the page's own listeners hear of it.
_TYPE: Final = """(field, [origin, text]) => {
    const place = field.ownerDocument.defaultView;
    if (!place || place.location.origin !== origin || !field.isConnected) return "moved";
    const known = place.__director;
    known?.mark(field);
    const editable = field.isContentEditable;
    field.focus();
    if (editable) place.getSelection().selectAllChildren(field);
    else if (field.select) field.select();
    else return "no field";
    const shown = () => (editable ? field.textContent : field.value);
    const typed = text === ""
        ? field.ownerDocument.execCommand("delete")
        : field.ownerDocument.execCommand("insertText", false, text);
    if (!editable && (!typed || shown() === "") && shown() !== text) {
        const kind = field.localName === "textarea" ? "HTMLTextAreaElement" : "HTMLInputElement";
        Object.getOwnPropertyDescriptor(place[kind].prototype, "value").set.call(field, text);
        field.dispatchEvent(new place.InputEvent("input", {bubbles: true, composed: true}));
    }
    field.dispatchEvent(new place.Event("change", {bubbles: true}));
    known?.mark(field);
    return "";
}"""


class SecretDoor(Protocol):
    """Where secrets come from; the vault is one."""

    def reveal(self, reference: Reference, origin: Origin | str, /) -> Clear:
        """The value, for use on this origin only."""

    def net(self) -> Net:
        """A net for every value behind the door."""


def references(text: str) -> tuple[Reference, ...]:
    """The secrets that a text refers to."""
    return tuple(Reference(name) for name in _REFERENCE.findall(text))


async def fill_secret(
    locator: Locator,
    text: str,
    *,
    reveal: Callable[[Reference, str], Clear],
    within: float,
    pause: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Fill a field with a text that refers to secrets.

    `pause` is awaited between the check of the origin and the typing, for tests of that moment.
    """
    if "pw:" in os.environ.get("DEBUG", ""):
        raise SecretRefused(
            "No secret is typed while DEBUG asks Playwright to print what it does: unset DEBUG."
        )
    field = await locator.element_handle(timeout=within)
    try:
        await field.wait_for_element_state("editable", timeout=within)
        origin = str(await field.evaluate(_ORIGIN))
        values = {each.name: reveal(each, origin) for each in references(text)}
        if pause is not None:
            await pause()
        outcome = await _typed(field, origin, _filled(text, values))
    finally:
        await field.dispose()
    if outcome:
        raise SecretRefused(
            f"{', '.join(map(str, references(text)))} was not typed on {origin!r}: {outcome}."
        )


def _filled(text: str, values: dict[str, Clear]) -> Clear:
    return Clear(_REFERENCE.sub(lambda found: values[found[1]].use(), text))


async def _typed(field: ElementHandle, origin: str, text: Clear) -> str:
    """Type, or say why not. Playwright's own words are dropped: they may quote what was typed."""
    try:
        answer = await field.evaluate(_TYPE, [origin, text.use()])
    except PlaywrightError:
        return "the page went elsewhere or the field is gone; look at the page and try again"
    return {
        "": "",
        "moved": "the field is no longer on that page; look at the page and try again",
        "no field": "the element is no field that takes text",
    }.get(str(answer), "the page refused it")
