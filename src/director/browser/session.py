"""A session: one browser context of its own, with named tabs, behind a guard.

Nothing is shared between sessions, and no text leaves one without passing its net. When the
browser or a page ends in the middle, the call ends with `BrowserGone`; what was recorded and
downloaded until then stays readable.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, TypeVar, cast, final

from playwright.async_api import BrowserContext, Dialog, Locator, Page, StorageState
from playwright.async_api import Error as PlaywrightError

from director.browser.approved_origins import Origins, describe_origin_place, get_origin_place
from director.browser.context_listener import Watch
from director.browser.downloads import Downloaded, Downloads
from director.browser.egress_guard import Blocked, Unreached
from director.browser.errors import (
    BrowserError,
    BrowserGone,
    NotApproved,
    SiteAway,
    is_target_closed,
    shorten_error,
    shorten_quoted_elements,
)
from director.browser.field_filling import SecretDoor, SessionDoor, fill_secret, find_references
from director.browser.fields import watch_secret_fields
from director.browser.held_forms import HeldForms
from director.browser.logins import Logins
from director.browser.masks import MaskedPage, Masks
from director.browser.navigation import TIMEOUT, navigate_to
from director.browser.network import VARIABLE
from director.browser.points import RestartPoint, get_restart_address
from director.browser.readiness import wait_until_ready
from director.browser.screens import take_screenshot
from director.browser.session_events import Answered, DialogEvent, Event, Events, OutgoingRequest
from director.browser.session_redaction import SessionNet
from director.browser.snapshots import Happened, Snapshot, take_snapshot
from director.browser.tabs import FIRST, Tabs, normalize_tab_name
from director.workflow.values import Tab

T = TypeVar("T")
_POPUP: Final = 5.0
_LONGEST: Final = 1_000
_GRACE: Final = 2.0
_TRUSTED: Final = (
    f"If a host of your own network leads to a private address, list it in {VARIABLE} and start "
    "again; if a certificate is your own, add its issuer to those that this system trusts."
)


@final
class Session:
    """Tabs, storage and downloads of one run; made by `Browser.session`."""

    def __init__(
        self,
        origins: Origins,
        secrets: SecretDoor | None,
        *,
        downloads: Path | None,
        logins: Logins | None,
    ) -> None:
        self.origins = origins
        self.net = SessionNet(secrets)
        self._masks = Masks(self.net)
        self._secrets = secrets
        self._logins = logins
        self._events = Events(self.net.clean, self.net.replace_values)
        self._tabs = Tabs()
        self._downloads = Downloads(downloads, self._events, clean=self.net.clean)
        self.forms = HeldForms(self._events)
        self._watch = Watch(origins, self._events, tabs=self._tabs, downloads=self._downloads)
        self._last: RestartPoint | None = None
        self._looked = 0
        self.before_acting: Callable[[], None] = lambda: None
        self._context: BrowserContext

    def report_blocked(self, attempt: Blocked) -> None:
        """The guard tells what it refused."""
        self._watch.report_blocked(attempt)

    def report_unreached(self, attempt: Unreached) -> None:
        """The guard tells what did not answer."""
        self._watch.report_unreached(attempt)

    async def begin(self, context: BrowserContext, state: RestartPoint | None) -> None:
        """Take over a new context; open the first tab, or the tabs of a restart point."""
        self._context = context
        self._last = state
        self._watch.attach(context)
        async with self.doing("begin a session"):
            # Before any page: it must know every secret field from the moment it exists.
            await watch_secret_fields(context)
            await context.grant_permissions([])
        for name, url in state.tabs if state else ((FIRST, "about:blank"),):
            await self.open_tab(url, name)
        if state and state.active:
            await self.switch_tab(state.active)

    async def end(self) -> None:
        """Give up what has not finished; the context is closed by who made it."""
        await self._downloads.stop()

    # Tabs

    def page(self, tab: str | None = None) -> Page:
        """The page of a tab, by default of the active one."""
        if self._watch.ended:
            raise self._make_gone("has no pages any more")
        return self._tabs.page(tab)

    async def tabs(self) -> tuple[Tab, ...]:
        """The tabs as people and models see them."""
        return tuple([await self._tab(name) for name in self._tabs.names()])

    async def open_tab(self, url: str, name: str, *, within: float = TIMEOUT) -> str:
        """Open an address in a new tab and make it active; the name it got, if yours was taken."""
        self._check(url)
        async with self.doing(f"open {url!r} in the new tab {name!r}"):
            page = await self._context.new_page()
            given = self._watch.adopt(page, name, active=True)
        if url != "about:blank":
            try:
                await self.navigate(url, given, within=within)
            except BrowserError:
                with contextlib.suppress(PlaywrightError, BrowserGone):
                    async with self._while_it_lives():
                        await page.close()
                raise
        return given

    async def switch_tab(self, name: str) -> None:
        """Make a tab the active one; a popup that is on its way is waited for."""
        wanted = normalize_tab_name(name)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_POPUP):
                while wanted not in self._tabs:
                    self._watch.opened.clear()
                    await self._watch.opened.wait()
        page = self._tabs.activate(name)
        async with self.doing(f"switch to the tab {name!r}"):
            await page.bring_to_front()

    async def close_tab(self, name: str | None = None) -> None:
        """Close a tab, by default the active one; the one that was active before is so again."""
        page = self.page(name)
        async with self.doing(f"close the tab {self._tabs.name_of(page)!r}"):
            await page.close()
        self._tabs.forget(page)

    async def navigate(self, url: str, tab: str | None = None, *, within: float = TIMEOUT) -> None:
        """Go to an address on an approved origin and wait until it has loaded."""
        self._check(url)
        page = self.page(tab)
        self._watch.refused.pop(page, None)
        self._watch.unreached.clear()
        self._watch.forbidden.clear()
        async with self.doing(f"navigate to {url!r}"):
            if left := self._watch.asked_outside.pop(page, 0):
                # Only leaving the site ends the question, which nobody can see or answer. What the
                # page still had under way may overtake this; the next navigation leaves again.
                with contextlib.suppress(PlaywrightError):
                    await page.goto("about:blank")
                if left > 1:
                    self._watch.asked_outside[page] = left - 1
            try:
                await self.forms.wait_for_page(navigate_to(page, url, within=within))
            except PlaywrightError:
                if origin := self._watch.refused.get(page):
                    raise NotApproved(
                        f"{self.net.clean(url)!r} led to {origin!r}, which is not approved, and "
                        "nothing was sent there. If the workflow needs it, approve it: add it to "
                        "the workflow's origins."
                    ) from None
                if why := self._watch.forbidden.get(str(get_origin_place(url))):
                    raise NotApproved(
                        f"{str(get_origin_place(url))!r} was refused although it is approved: {why}"
                        f". {self.net.clean(url)!r} was not opened and nothing was sent. {_TRUSTED}"
                    ) from None
                if why := self._watch.unreached.get(str(get_origin_place(url))):
                    raise SiteAway(
                        f"{str(get_origin_place(url))!r} does not answer ({why}), so "
                        f"{self.net.clean(url)!r} was not opened. Nothing was sent there. See "
                        "whether the site is up and the address is right, then do it again."
                    ) from None
                raise

    # Filling

    async def fill(
        self,
        locator: Locator,
        text: str,
        *,
        within: float = TIMEOUT,
        pause: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Fill a field; each `{{secret:name}}` becomes its value for the field's origin only.

        `within` is in milliseconds. `pause` is awaited between the check of the origin and the
        typing, for tests of that moment.
        """
        async with self.doing("fill a field"), self.acting(locator.page):
            if find_references(text):
                door = SessionDoor(self._secrets, self.net.add)
                await fill_secret(locator, text, door=door, within=within, pause=pause)
            else:
                self.net.add_plain(text)
                await locator.fill(text, timeout=within)

    @asynccontextmanager
    async def acting(self, page: Page) -> AsyncIterator[None]:
        """Let no look mask a page while something is done on it, unless `before_acting` raises."""
        async with self._masks.acting(page):
            self.before_acting()
            yield

    async def look(self, page: Page, look: Callable[[MaskedPage], Awaitable[T]], /) -> T:
        """What a function gives that looks at a page, while every secret in it is masked.

        Every look goes through here; it may be done more than once and must change nothing.
        """
        return await self._masks.look(page, look)

    # What happened

    def mark(self) -> int:
        """Now, for `events` and `responses`."""
        return self._events.mark()

    def events(self, since: int = 0) -> tuple[Event, ...]:
        """Console errors, dialogs, downloads, blocked origins and so on, after a mark."""
        return self._events.since(since)

    def responses(self, since: int = 0) -> tuple[Answered, ...]:
        """The responses to this session's requests after a mark."""
        return self._events.responses(since)

    def sendings(self, since: int = 0) -> tuple[OutgoingRequest, ...]:
        """What this session sent after a mark to change something."""
        return self._events.sendings(since)

    async def downloads(self) -> tuple[Downloaded, ...]:
        """The files downloaded so far, once those on their way have arrived."""
        return await self._downloads.wait_for_files()

    async def list_new_downloads(self, within: float) -> tuple[Downloaded, ...]:
        """The files that this has not given yet; waits so many seconds for those on their way."""
        return await self._downloads.list_new(within)

    def list_arrived_downloads(self, since: int = 0) -> tuple[Downloaded, ...]:
        """The files that are there now, of the downloads that began after a mark."""
        return tuple(each for each in self._downloads.list_arrived() if each.began >= since)

    def answer_dialogs(self, answer: Callable[[Dialog], str | None] | None) -> None:
        """Answer dialogs from now on (None dismisses); without it only alerts are accepted."""
        self._watch.answer = answer

    def take_dialogs(self) -> tuple[DialogEvent, ...]:
        """The dialogs since they were last taken."""
        return self._events.take_dialogs()

    async def snapshot(self, tab: str | None = None) -> Snapshot:
        """The page as an outline with refs, once it rests, and what happened since the last."""
        page = self.page(tab)
        async with self.doing("take a snapshot"):
            rests = await wait_until_ready(page, lambda: self._watch.pending(page))
            return await take_snapshot(page, self._masks, happened=self._collect_happened(rests))

    def pending(self) -> list[str]:
        """What the active page asked for and has not got yet."""
        return self._watch.pending(self.page())

    async def screenshot(
        self, tab: str | None = None, *, full: bool = False, selector: str | None = None
    ) -> bytes:
        """The page, or its first element that a selector finds, with secret fields covered."""
        async with self.doing("take a screenshot"):
            return await take_screenshot(self.page(tab), self._masks, full=full, selector=selector)

    async def point(self) -> RestartPoint:
        """What is needed to go on in another browser: storage, tabs, which one is active."""
        async with self.doing("take a restart point"):
            storage = await self._context.storage_state(indexed_db=True)
        tabs = tuple((name, get_restart_address(self.page(name))) for name in self._tabs.names())
        self._last = RestartPoint(dict(storage), tabs, self._tabs.active if tabs else "")
        return self._last

    async def save_login(self, name: str) -> None:
        """Keep the cookies and the storage of this session under a name, sealed."""
        self._require_logins().save(name, (await self.point()).storage)

    async def load_login(self, name: str) -> None:
        """Put a kept login in place of this session's cookies and storage."""
        storage = cast("StorageState", self._require_logins().load(name))
        async with self.doing(f"load the login {name!r}"):
            await self._context.set_storage_state(storage)

    @asynccontextmanager
    async def doing(self, what: str) -> AsyncIterator[None]:
        """Turn Playwright's errors into ours, cleaned; wrap whatever uses a page in it."""
        try:
            async with self._while_it_lives():
                yield
        except PlaywrightError as error:
            said = shorten_error(error.message)
            # Playwright quotes elements and cuts them anywhere, also in the middle of a secret.
            said = said if self.net.is_empty else shorten_quoted_elements(said)
            told = self.net.clean(f"could not {what}: {said}")[:_LONGEST]
            closed = is_target_closed(error)
        else:
            return
        if closed or "crashed" in told or await self.find_browser_end() is not None:
            raise self._make_gone(told)
        raise BrowserError(f"The browser {told}")

    async def find_browser_end(self) -> BrowserGone | None:
        """What to raise if the browser has ended; nothing while it answers."""
        try:
            async with self._while_it_lives():
                await self._context.cookies("http://127.0.0.1")
        except PlaywrightError:
            return self._make_gone("has no pages any more")
        except BrowserGone as gone:
            return gone
        return None

    @asynccontextmanager
    async def _while_it_lives(self) -> AsyncIterator[None]:
        """End a call soon after the browser has: Playwright leaves some unanswered for ever."""
        loop = asyncio.get_running_loop()
        patience = asyncio.timeout(_GRACE if self._watch.ended else None)

        def end_soon() -> None:
            patience.reschedule(loop.time() + _GRACE)

        self._watch.at_end.append(end_soon)
        try:
            async with patience:
                yield
        except TimeoutError:
            if patience.expired():
                raise self._make_gone("answers no more") from None
            raise
        finally:
            self._watch.at_end.remove(end_soon)

    def _check(self, url: str) -> None:
        try:
            self.origins.check(url)
        except NotApproved:
            self._events.add("blocked", f"{describe_origin_place(url)} (navigation)")
            raise

    def _collect_happened(self, loading: tuple[str, ...]) -> Happened:
        found = self.events(self._looked)
        self._looked = self.mark()

        def of(*kinds: str) -> tuple[str, ...]:
            return tuple(event.text for event in found if event.kind in kinds)

        return Happened(
            loading=loading,
            dialogs=of("dialog"),
            errors=of("console", "error", "unreached", "crash"),
            downloads=of("download"),
            blocked=of("blocked"),
        )

    def _make_gone(self, told: str) -> BrowserGone:
        gone = BrowserGone(
            f"The browser ended: it {told}. What was recorded and downloaded before is kept; "
            "start a new session from the last restart point."
        )
        gone.point = self._last
        return gone

    async def _tab(self, name: str) -> Tab:
        page, active = self.page(name), name == self._tabs.active
        try:
            title = await page.title()
        except PlaywrightError:
            if self._watch.ended:
                raise self._make_gone("has no pages any more") from None
            # It is loading, or has crashed: it has no title now.
            title = ""
        return Tab(name, self.net.clean(page.url), self.net.clean(title), active=active)

    def _require_logins(self) -> Logins:
        if self._logins is None:
            raise BrowserError("This session keeps no logins: open it with `logins=`.")
        return self._logins
