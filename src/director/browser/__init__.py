"""A real browser through Playwright: sessions with named tabs, snapshots, locators, a guard."""

from director.browser.approved_origins import Origins
from director.browser.browser_launch import Browser, open_browser
from director.browser.downloads import Downloaded
from director.browser.errors import BrowserError, BrowserGone, NotApproved
from director.browser.field_filling import SecretDoor
from director.browser.logins import Logins
from director.browser.points import RestartPoint
from director.browser.session import Session
from director.browser.session_events import Answered, Event

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
