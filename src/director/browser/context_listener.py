"""Listens to a context and writes down what happens: for the events, the tabs and the downloads.

A dialog is answered at once, so that no page can hold a session up.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Final, final

from playwright.async_api import (
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Download,
    Page,
    Request,
    Response,
    WebError,
)
from playwright.async_api import Error as PlaywrightError

from director.browser.approved_origins import Origins, describe_origin_place, get_origin_place
from director.browser.downloads import Downloads
from director.browser.egress_guard import Blocked, Unreached
from director.browser.session_events import DialogEvent, Events
from director.browser.tabs import Tabs
from director.secrets import OriginError

_CHANGING: Final = ("POST", "PUT", "PATCH", "DELETE")
# Addresses that lead nowhere outside the browser.
_INSIDE: Final = frozenset({"about", "blob", "chrome-error", "data"})
_LOADS: Final = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})
_PATIENCE: Final = 2.0
_ASKS: Final = ("GET", "HEAD")
_CERTIFICATE: Final = ("net::ERR_CERT_", "net::ERR_SSL_", "net::ERR_BAD_SSL_")


@final
class Watch:
    """The listeners of one session."""

    def __init__(
        self, origins: Origins, events: Events, *, tabs: Tabs, downloads: Downloads
    ) -> None:
        self._origins = origins
        self._events = events
        self._tabs = tabs
        self._downloads = downloads
        self.opened = asyncio.Event()
        self.ended = False
        self.at_end: list[Callable[[], None]] = []
        # Where a page's last navigation wanted to go, if it was refused.
        self.refused: dict[Page, str] = {}
        # Pages that asked for a program: Chromium's question about it keeps clicks from them. It
        # comes without an event and perhaps late, so the next two navigations leave the site first.
        self.asked_outside: dict[Page, int] = {}
        # Why an origin did not answer when it was last tried.
        self.unreached: dict[str, str] = {}
        # Why an origin that is approved was refused all the same.
        self.forbidden: dict[str, str] = {}
        # Requests that make a page what it is, and when they began.
        self._asked: dict[Request, float] = {}
        self.answer: Callable[[Dialog], str | None] | None = None

    def attach(self, context: BrowserContext) -> None:
        """Listen to a context."""
        context.on("console", self._console)
        context.on("weberror", self._error)
        context.on("dialog", self._dialog)
        context.on("request", self._request)
        context.on("response", self._response)
        context.on("requestfailed", self._record_failure)
        context.on("requestfinished", self._forget_request)
        context.on("download", self._download)
        context.on("close", self._end)

    def adopt(self, page: Page, name: str, *, active: bool) -> str:
        """Take a page in as a tab, and what it opens in turn."""
        given = self._tabs.add(page, name, active=active)
        page.on("popup", lambda popup: self._popup(popup, given))
        page.on("close", self._tabs.forget)
        page.on("crash", self._crash)
        self.opened.set()
        return given

    def report_blocked(self, attempt: Blocked) -> None:
        """The guard refused a connection."""
        if attempt.why:
            self._forbid(attempt.origin, attempt.why)
        else:
            self._events.add("blocked", f"{attempt.origin} ({attempt.kind})")

    def report_unreached(self, attempt: Unreached) -> None:
        """The guard could not reach an origin that is approved."""
        self.unreached[attempt.origin] = attempt.why
        self._events.add("unreached", f"{attempt.origin} ({attempt.why})")

    def _end(self, _: BrowserContext) -> None:
        self.ended = True
        for told in tuple(self.at_end):
            told()

    def _popup(self, page: Page, opener: str) -> None:
        name = self.adopt(page, opener, active=False)
        self._events.add("popup", f"opened by {opener!r}", name)

    def _crash(self, page: Page) -> None:
        self._events.add("crash", "the page crashed", self._tabs.name_of(page))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._events.add("console", message.text, self._tabs.name_of(message.page))

    def _error(self, error: WebError) -> None:
        self._events.add("error", error.error.message, self._tabs.name_of(error.page))

    async def _dialog(self, dialog: Dialog) -> None:
        tab = self._tabs.name_of(dialog.page)
        told = dialog.type in ("beforeunload", "alert")
        text = "" if told else self.answer(dialog) if self.answer else None
        done = "dismissed" if text is None else "accepted"
        known = told or self.answer is not None
        self._events.add_dialog(DialogEvent(dialog.type, dialog.message, done, known), tab)
        try:
            await (dialog.dismiss() if text is None else dialog.accept(text))
        except PlaywrightError:
            # The page went away with its dialog.
            return

    def _download(self, download: Download) -> None:
        self._downloads.begin(download, self._tabs.name_of(download.page))

    def pending(self, page: Page) -> list[str]:
        """What a page asked for and has not got; what takes long is no part of loading it."""
        now = time.monotonic()
        self._asked = {each: at for each, at in self._asked.items() if now - at < _PATIENCE}
        return [describe_origin_place(each.url) for each in self._asked if _page_of(each) is page]

    def _request(self, request: Request) -> None:
        if request.resource_type in _LOADS:
            self._asked[request] = time.monotonic()
        if request.url.partition(":")[0] in _INSIDE:
            return
        try:
            origin = get_origin_place(request.url)
        except OriginError:
            place = describe_origin_place(request.url)
            if not place.startswith("http") and (page := _page_of(request)):
                self.asked_outside[page] = 2
        else:
            if self._origins.allows(origin):
                self._keep_sending(request)
                self._note_form(request, str(origin))
                return
            place = str(origin)
        self._events.add("blocked", f"{place} ({request.resource_type})")
        if request.is_navigation_request() and (page := _moving(request)):
            self.refused[page] = place

    def _keep_sending(self, request: Request) -> None:
        """Keep what is sent to change something; a page that goes away may take it with it."""
        if request.method not in _CHANGING:
            return
        with contextlib.suppress(PlaywrightError):
            body = request.post_data_buffer or b""
            is_page = request.is_navigation_request()
            self._events.add_sending(request.method, request.url, body, is_page=is_page)

    def _note_form(self, request: Request, origin: str) -> None:
        if request.is_navigation_request() and request.method not in _ASKS:
            self._events.add("form", f"{request.method} to {origin}")

    def _response(self, response: Response) -> None:
        request = response.request
        is_page = request.is_navigation_request() and _moving(request) is not None
        self._events.add_response(
            request.method, response.url, status=response.status, is_page=is_page
        )

    def _forget_request(self, request: Request) -> None:
        self._asked.pop(request, None)

    def _record_failure(self, request: Request) -> None:
        self._asked.pop(request, None)
        # A request that became a download, or was overtaken by another page, did not fail.
        if request.failure == "net::ERR_ABORTED":
            return
        self._events.add_response(request.method, request.url, status=0)
        if request.failure and request.failure.startswith(_CERTIFICATE):
            name = request.failure.removeprefix("net::")
            self._forbid(
                str(get_origin_place(request.url)), f"its certificate is not valid ({name})"
            )

    def _forbid(self, origin: str, why: str) -> None:
        self.forbidden[origin] = why
        self._events.add("blocked", f"{origin} ({why})")


def _moving(request: Request) -> Page | None:
    """The page that a navigation would take elsewhere; none for a frame, or a page too new."""
    page = _page_of(request)
    return None if page is None or request.frame.parent_frame else page


def _page_of(request: Request) -> Page | None:
    try:
        return request.frame.page
    except PlaywrightError:
        return None
