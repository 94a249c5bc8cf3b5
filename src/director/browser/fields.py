"""What scripts of ours know inside a page: its secret fields, and what acts though it says nothing.

`fields.js` finds passwords, one-time codes, cards and whatever was marked, and keeps knowing a
field when the page changes its type. Their values come out of the page for one purpose, to be
removed from a text; they are never shown or sent back. `clicks.js` knows what only listens, and
`masks.js` puts marks in the place of secrets while a page is looked at.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from playwright.async_api import BrowserContext, Frame, Locator, Page
from playwright.async_api import Error as PlaywrightError

from director.secrets import Clear

HIDDEN = "[data-director-hidden]"
_TRIES = 5
_MOMENT = 2.0


@dataclass(frozen=True, slots=True)
class Held:
    """What the secret fields of a page hold or held, and which document it was."""

    values: tuple[Clear, ...]
    document: str
    title: str


@cache
def load_field_scripts() -> str:
    """The scripts; harmless when they run twice."""
    folder = files("director.browser")
    names = ("fields.js", "clicks.js", "masks.js")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


async def watch_secret_fields(context: BrowserContext) -> None:
    """Know every secret field of a context from the moment it exists; call it before any page."""
    await context.add_init_script(load_field_scripts())


async def mark_secret_field(locator: Locator) -> None:
    """From now on this field holds a secret; call it before the secret is typed."""
    await locator.evaluate(f"node => {{ {load_field_scripts()} globalThis.__director.mark(node) }}")


async def read_secret_fields(page: Page) -> Held:
    """What the secret fields hold, in every frame and open shadow root."""
    return read_held_secret_fields(
        await asyncio.gather(*(evaluate_field_script(frame, _HELD) for frame in page.frames))
    )


def read_held_secret_fields(told: Sequence[Mapping[str, Any] | None]) -> Held:
    """The same from what frames told, the page itself first; None of one that went away."""
    values = tuple(Clear(value) for answer in told if answer for value in answer["values"])
    own = told[0] or {}
    return Held(values, own.get("document", ""), own.get("title", ""))


async def hide_secret_fields(page: Page) -> None:
    """Give secret fields, and what may have drawn one, the attribute `HIDDEN` until `restore`."""
    await asyncio.gather(*(evaluate_field_script(frame, _HIDE) for frame in page.frames))


async def restore_secret_fields(page: Page) -> None:
    """Take away what `hide` left; a page that is gone or hangs has no use for it."""
    try:
        async with asyncio.timeout(_MOMENT):
            await asyncio.gather(*(evaluate_field_script(frame, _RESTORE) for frame in page.frames))
    except (TimeoutError, PlaywrightError):
        return


_HIDE = "globalThis.__directorMasks.hide()"
_RESTORE = "globalThis.__director.reveal()"
_HELD = """{
    values: globalThis.__director.values(),
    document: globalThis.__director.document,
    title: document.title,
}"""


async def evaluate_field_script(frame: Frame, expression: str, given: object = None) -> Any:  # noqa: ANN401
    """Evaluate in a frame that may go on or away at any moment; None if it did."""
    # The scripts are sent only where they are not yet, to save their way on every look.
    short = f"(given) => globalThis.__directorMasks ? [{expression}] : []"
    whole = f"(given) => {{ {load_field_scripts()} return [{expression}] }}"
    for tries in range(_TRIES):
        try:
            found = await frame.evaluate(short, given) or await frame.evaluate(whole, given)
        except PlaywrightError as problem:
            if frame.is_detached() and frame.parent_frame is not None:
                return None
            if tries == _TRIES - 1 or "context was destroyed" not in problem.message:
                raise
        else:
            return found[0]
    return None
