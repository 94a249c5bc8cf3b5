"""What can go wrong with a browser. A message never holds a secret's value."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from director.browser.points import RestartPoint


def plainly(message: str) -> str:
    """What Playwright said, without the pages of log that it adds when a browser ends."""
    return message.partition("\nBrowser logs:")[0].strip()


class BrowserError(Exception):
    """The browser could not do what was asked; the message says why and what to do."""


class NotApproved(BrowserError):  # noqa: N818  it says what happened
    """The address is not on an approved origin, so nothing was sent to it."""


class BrowserGone(BrowserError):  # noqa: N818  it says what happened
    """The browser or the page ended in the middle; `point` is the last restart point, if any."""

    point: RestartPoint | None = None
