"""What can go wrong with a browser. A message never holds a secret's value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from director.errors import DirectorError

_NUMBERED = re.compile(r"(?:\S*\.)?locator\(\"director=[^\"]*\"\)")
_COVERS = re.compile(r"- (<.*>) intercepts pointer events")
_ELEMENT = re.compile(r"<([\w-]+)[\s>].*>")

_AWAY = re.compile(
    r"net::ERR_(CONNECTION_|EMPTY_RESPONSE|TIMED_OUT|TUNNEL_CONNECTION_FAILED|NETWORK_"
    r"|PROXY_CONNECTION_FAILED|ADDRESS_UNREACHABLE|INTERNET_DISCONNECTED|INCOMPLETE_CHUNKED"
    r"|CONTENT_LENGTH_MISMATCH|SOCKET_NOT_CONNECTED)"
)
_CLOSED = (
    "Target page, context or browser has been closed",
    "Target closed",
    "Connection closed",
    "Browser has been closed",
    "Browser closed",
)

if TYPE_CHECKING:
    from director.browser.points import RestartPoint


def shorten_error(message: str) -> str:
    """What Playwright said, without the pages of log that it adds when a browser ends.

    What covers an element stands at the end of that log, and is said first.
    """
    said = _NUMBERED.sub("the element", message.partition("\nBrowser logs:")[0]).strip()
    covers = _COVERS.findall(said)
    first, line, rest = said.partition("\n")
    return f"{first} It is covered by {covers[-1][:200]}.{line}{rest}" if covers else said


def shorten_quoted_elements(message: str) -> str:
    """A message of Playwright with each element that it quotes reduced to its tag."""
    return "\n".join(_ELEMENT.sub(r"<\1>", line) for line in message.split("\n"))


def is_target_closed(problem: BaseException) -> bool:
    """Whether Playwright says that a page, a context or the whole browser is not there any more."""
    message = str(getattr(problem, "message", ""))
    return isinstance(problem, PlaywrightError) and any(each in message for each in _CLOSED)


def is_site_away(problem: BaseException) -> bool:
    """Whether a problem is that a site could not be reached or broke off, and not what it said."""
    return isinstance(problem, SiteAway) or (
        isinstance(problem, BrowserError) and _AWAY.search(str(problem)) is not None
    )


class BrowserError(DirectorError):
    """The browser could not do what was asked; the message says why and what to do."""

    kept = "Everything that was stored is kept."
    next_step = "Try again."


class NotApproved(BrowserError):
    """The address is not on an approved origin, so nothing was sent to it."""


class SiteAway(BrowserError):
    """A site did not answer, or broke off; whether it received anything is not known."""


class BrowserGone(BrowserError):
    """The browser or the page ended in the middle; `point` is the last restart point, if any."""

    point: RestartPoint | None = None
