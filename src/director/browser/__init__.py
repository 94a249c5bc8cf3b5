"""A real browser through Playwright: sessions with named tabs, snapshots, locators, a guard."""

from director.browser.downloads import Downloaded
from director.browser.errors import BrowserError, BrowserGone, NotApproved
from director.browser.events import Answered, Event
from director.browser.filling import SecretDoor
from director.browser.logins import Logins
from director.browser.opening import Browser, open_browser
from director.browser.origins import Origins
from director.browser.points import RestartPoint
from director.browser.session import Session

__all__ = [
    "Answered",
    "Browser",
    "BrowserError",
    "BrowserGone",
    "Downloaded",
    "Event",
    "Logins",
    "NotApproved",
    "Origins",
    "RestartPoint",
    "SecretDoor",
    "Session",
    "open_browser",
]
