"""Filling a field, with secrets where the text refers to them.

A reference becomes its value at the last moment, for the origin of the document that holds the
field, and in one step inside that very document: if the page has gone elsewhere in between, there
is no field to fill and nothing is typed. A secret goes into a field that the page declares to be
for one (a password, a one-time code, a card), or that the user allowed for it, and into no other.
The value is in no message, log or call of Playwright that would print it, and the field is marked
before it receives it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol

from playwright.async_api import ElementHandle, Locator
from playwright.async_api import Error as PlaywrightError

from director.browser.errors import BrowserError
from director.browser.fields import load_field_scripts
from director.secrets import Clear, FieldNotAllowed, Origin, Redactor, Reference, SecretRefused

_REFERENCE: Final = re.compile(r"\{\{\s*secret:\s*([\w.-]+)\s*\}\}", re.ASCII)
_FIELD: Final = """field => {
    SCRIPT
    const place = field.ownerDocument.defaultView;
    const known = globalThis.__director;
    return [place?.location.origin ?? "", known.describe(field), known.isDeclared(field)];
}"""
# Typed as by a person where the browser can, so that the page's own listeners hear of it.
_TYPE: Final = """(field, [origin, text, name, declared]) => {
    const place = field.ownerDocument.defaultView;
    if (!place || place.location.origin !== origin || !field.isConnected) return "moved";
    const known = place.__director;
    if (known.describe(field) !== name || (declared && !known.isDeclared(field))) return "moved";
    known.mark(field);
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
    known.mark(field);
    return "";
}"""


class SecretDoor(Protocol):
    """Where secrets come from; the vault is one."""

    def reveal(self, reference: Reference, origin: Origin | str, /) -> Clear:
        """The value, for use on this origin only."""

    def allows_field(self, reference: Reference, origin: Origin | str, field: str, /) -> bool:
        """Whether the user let the secret be typed into this field, which is no password field."""

    def net(self) -> Redactor:
        """A net for every value behind the door."""


@dataclass(frozen=True, slots=True)
class SecretField:
    """Where a secret would be typed; `declared` if the page itself says it is for secrets."""

    origin: str
    field: str
    declared: bool


def find_references(text: str) -> tuple[Reference, ...]:
    """The secrets that a text refers to."""
    return tuple(Reference(name) for name in _REFERENCE.findall(text))


async def fill_secret(
    locator: Locator,
    text: str,
    *,
    door: SecretDoor,
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
        known = SecretField(*await field.evaluate(_FIELD.replace("SCRIPT", load_field_scripts())))
        for each in find_references(text):
            if not known.declared and not door.allows_field(each, known.origin, known.field):
                raise FieldNotAllowed(each.name, known.origin, known.field)
        values = {each.name: door.reveal(each, known.origin) for each in find_references(text)}
        if pause is not None:
            await pause()
        outcome = await _type_secret(field, known, _fill_references(text, values))
    finally:
        await field.dispose()
    if outcome:
        raise SecretRefused(
            f"{', '.join(map(str, find_references(text)))} was not typed on "
            f"{known.origin!r}: {outcome}."
        )


def _fill_references(text: str, values: dict[str, Clear]) -> Clear:
    return Clear(_REFERENCE.sub(lambda found: values[found[1]].use(), text))


async def _type_secret(field: ElementHandle, known: SecretField, text: Clear) -> str:
    """Type, or say why not. Playwright's own words are dropped: they may quote what was typed."""
    try:
        answer = await field.evaluate(
            _TYPE, [known.origin, text.use(), known.field, known.declared]
        )
    except PlaywrightError:
        return "the page went elsewhere or the field is gone; look at the page and try again"
    return {
        "": "",
        "moved": "the field is no longer on that page; look at the page and try again",
        "no field": "the element is no field that takes text",
    }.get(str(answer), "the page refused it")


@dataclass(frozen=True, slots=True)
class SessionDoor:
    """The door of a session, which may have none; a value that is handed out is told first."""

    door: SecretDoor | None
    tell: Callable[[Clear], None]

    def reveal(self, reference: Reference, origin: Origin | str, /) -> Clear:
        """The value, for use on this origin only."""
        value = self._need_door(reference).reveal(reference, origin)
        self.tell(value)
        return value

    def allows_field(self, reference: Reference, origin: Origin | str, field: str, /) -> bool:
        """Whether the user let the secret be typed into this field."""
        return self._need_door(reference).allows_field(reference, origin, field)

    def net(self) -> Redactor:
        """A net for every value behind the door."""
        return self.door.net() if self.door else Redactor(())

    def _need_door(self, reference: Reference) -> SecretDoor:
        if self.door is None:
            raise BrowserError(f"{reference} has no value here: open the session with a vault.")
        return self.door
