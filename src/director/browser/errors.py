"""What can go wrong with a browser. A message never holds a secret's value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

_PINNED = re.compile(r"locator\([^)]*data-director-pin[^)]*\)")
_ELEMENT = re.compile(r"<([\w-]+)[\s>].*>")

_CLOSED = (
    "Target page, context or browser has been closed",
    "Target closed",
    "Connection closed",
    "Browser has been closed",
    "Browser closed",
)

if TYPE_CHECKING:
    from director.browser.points import RestartPoint


def plainly(message: str) -> str:
    """What Playwright said, without the pages of log that it adds when a browser ends."""
    return message.partition("\nBrowser logs:")[0].strip()


def without_elements(message: str) -> str:
    """A message of Playwright with each element that it quotes reduced to its tag."""
    message = _PINNED.sub("the element", message)
    return "\n".join(_ELEMENT.sub(r"<\1>", line) for line in message.split("\n"))


def is_target_closed(problem: BaseException) -> bool:
    """Whether Playwright says that a page, a context or the whole browser is not there any more."""
    message = str(getattr(problem, "message", ""))
    return isinstance(problem, PlaywrightError) and any(each in message for each in _CLOSED)


class BrowserError(Exception):
    """The browser could not do what was asked; the message says why and what to do."""


class NotApproved(BrowserError):
    """The address is not on an approved origin, so nothing was sent to it."""


class BrowserGone(BrowserError):
    """The browser or the page ended in the middle; `point` is the last restart point, if any."""

    point: RestartPoint | None = None
