"""What may move a text from one place of a browser to another, and must not move a secret.

The clipboard is closed: an agent reads a text with a query and types it. A selection, a link or a
field that holds a secret is not dragged. An option is chosen by what is seen of it.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Literal

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator

from director.browser.errors import BrowserError
from director.browser.masks import MaskedPage
from director.browser.session import Session

_LOOK_AGAIN: Final = 0.1
_COMMANDS: Final = frozenset(("control", "controlleft", "controlright", "controlormeta"))
_METAS: Final = frozenset(("meta", "metaleft", "metaright"))
_SHIFTS: Final = frozenset(("shift", "shiftleft", "shiftright"))
_MOVES: Final = frozenset(("c", "x", "v", "insert", "numpad0"))
_BY_SHIFT: Final = frozenset(("insert", "delete", "numpad0", "numpaddecimal"))
_NAMED: Final = frozenset(("copy", "cut", "paste"))
OPTIONS: Final = """node => [...((node.control ?? node).options ?? [])]
    .map(option => [option.value, (option.label || option.text).replace(/\\s+/g, " ").trim()])"""
_UNSELECT: Final = """() => {
    const field = document.activeElement;
    const end = field?.value?.length;
    if (typeof field?.selectionStart === "number") field.setSelectionRange(end, end);
    getSelection()?.removeAllRanges();
}"""


def check_keys(keys: str) -> None:
    """Refuse keys that copy, cut or paste."""
    parts = [re.sub(r"^(?:key|digit)(?=.$)", "", each.strip().lower()) for each in keys.split("+")]
    held, last = set(parts[:-1]), parts[-1]
    by_command = bool(held & (_COMMANDS | _METAS)) and last in _MOVES
    by_shift = bool(held & _SHIFTS) and last in _BY_SHIFT
    if by_command or by_shift or last in _NAMED:
        raise BrowserError(
            f"The keys {keys!r} were not pressed: the clipboard is closed here, because it would "
            "carry a secret from one site to another. Read the text with a query and type it."
        )


async def check_drag(session: Session, source: Locator, said: str) -> None:
    """Refuse to drag what holds a secret, and let nothing that is selected go along."""
    if session.net.is_empty:
        return
    page = session.page()

    async def look(_: MaskedPage) -> bool:
        return bool(await source.evaluate("node => globalThis.__directorMasks.holds(node)"))

    if await session.look(page, look):
        raise BrowserError(
            f"{said!r} was not dragged: it holds a secret, which would be dropped elsewhere."
        )
    for frame in page.frames:
        with suppress(PlaywrightError):
            await frame.evaluate(_UNSELECT)


def _describe_options(
    wanted: Sequence[str], by: Literal["value", "label"], options: Sequence[Sequence[str]]
) -> str:
    """Why nothing was chosen, and what to write; options are values with their labels."""
    other = "label" if by == "value" else "value"
    others = [option[other == "label"] for option in options]
    told = f"There is no option {', '.join(map(repr, wanted))} by its {by}. Nothing was chosen."
    if all(each in others for each in wanted):
        return f"{told} There is one by its {other}: write {other!r} in place of {by!r}."
    words = [f"{value!r} ({label})" if by == "value" else repr(label) for value, label in options]
    return f"{told} There are: {', '.join(words[:20]) or 'none'}."


async def choose_options(
    session: Session,
    locator: Locator,
    wanted: Sequence[str],
    *,
    by: Literal["value", "label"],
    within: float,
) -> Sequence[str]:
    """Choose options of a list by their values or their labels; the values that were chosen."""
    page = session.page()
    if session.net.is_empty:
        async with session.acting(page):
            try:
                if by == "value":
                    return await locator.select_option(value=list(wanted), timeout=within)
                return await locator.select_option(label=list(wanted), timeout=within)
            except PlaywrightError as problem:
                if "did not find some options" not in problem.message:
                    raise
                options = await locator.evaluate(OPTIONS, timeout=within)
                raise BrowserError(_describe_options(wanted, by, options)) from None
    until = time.monotonic() + within / 1000
    while True:
        options = await session.look(page, lambda _: locator.evaluate(OPTIONS, timeout=within))
        # As the browser's own choosing does, a value may also be what is shown.
        ways = [[option[0] for option in options], [option[1] for option in options]]
        places = [_find_option(each, ways if by == "value" else ways[1:]) for each in wanted]
        if None not in places:
            break
        if time.monotonic() >= until:
            raise BrowserError(_describe_options(wanted, by, options))
        await asyncio.sleep(_LOOK_AGAIN)
    chosen = [at for at in places if at is not None]
    async with session.acting(page):
        await locator.select_option(index=chosen, timeout=within)
    return [options[at][0] for at in chosen]


def _find_option(wanted: str, ways: Sequence[Sequence[str]]) -> int | None:
    return next((shown.index(wanted) for shown in ways if wanted in shown), None)
