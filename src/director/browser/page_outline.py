"""The outline of a page: what Playwright prints, said with the roles and names of our model.

What an outline calls an element is what a locator finds it by. While it is taken, elements that
only listen say what they are; afterwards every attribute is as it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Locator, Page

from director.browser.element_portraits import ask_portraits_script, locate_portrait
from director.browser.fields import Held, read_held_secret_fields

Said: TypeAlias = tuple[str, str]
"""The role and the name of an element."""

_FRAMES: Final = 5
_REF: Final = re.compile(r"\[ref=(\w+)\]")
_KEY: Final = re.compile(r"^( *- )'((?:[^']|'')*)'(?=:|$)")
_LINE: Final = re.compile(r'^( *- )([a-z]+)( "(?:[^"\\]|\\.)*")?(.*)$')


@dataclass(frozen=True, slots=True)
class Amendment:
    """What the model of a frame adds to the outline: other roles and names, by ref, and signs.

    Signs are what an outline does not show by itself; only the page itself has them, no frame.
    `held` is what the secret fields of the frame hold, None if our scripts are not in it yet, and
    `is_same` whether it is the document that was told of before the outline.
    """

    said: Mapping[str, Said] = field(default_factory=dict)
    signs: tuple[str, ...] = ()
    held: Held | None = None
    is_same: bool = True


async def add_listeners_to_page_outline(frame: Frame) -> None:
    """Let what only listens say that it acts, until `end_outline`."""
    try:
        await ask_portraits_script(frame, "tell")
    except PlaywrightError:
        # A frame may go at any moment; of the page itself the snapshot is then taken again.
        return


def read_page_outline_with_listeners(page: Page) -> Locator:
    """All of a page, in which what only listens says that it acts from when it is looked for."""
    return locate_portrait(page.main_frame, "tell_all")


async def end_page_outline(frame: Frame) -> Amendment | None:
    """What the model adds to the outline of a frame; attributes are put back. None if it went."""
    try:
        told = await ask_portraits_script(frame, "amend")
    except PlaywrightError:
        return None
    said = {ref: (role, name) for ref, role, name in told["amended"]}
    held = read_held_secret_fields([told["held"]]) if "held" in told else None
    return Amendment(said, tuple(map(str, told["signs"])), held, told["same"])


def list_outline_frames(page: Page) -> list[str]:
    """The frames of a page, a line each, by their address."""
    inner = [frame for frame in page.frames if frame.parent_frame and frame.url]
    return [f"frame {frame.name or ''} {frame.url}".replace("  ", " ") for frame in inner[:_FRAMES]]


def amend_page_outline(outline: str, said: Mapping[str, Said]) -> str:
    """The outline with the roles and names that the model has for some of its refs."""
    if not said:
        return outline
    return "\n".join(_amend_line(line, said) for line in outline.split("\n"))


def _amend_line(line: str, said: Mapping[str, Said]) -> str:
    found = _REF.search(line)
    if found is None or found[1] not in said:
        return line
    plain = _KEY.sub(lambda key: key[1] + key[2].replace("''", "'"), line)
    role, name = said[found[1]]
    called = f" {json.dumps(name, ensure_ascii=False)}" if name else ""
    return _LINE.sub(lambda got: f"{got[1]}{role}{called}{got[4]}", plain)
