"""The browser of a run: opened when a node first needs it, brought back to where the run was.

After a restart the tabs are opened from the last restart point. What was filled into the page
since then is in no restart point, so the idempotent actions on that very page are done again; an
action that must happen once is never done here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from playwright.async_api import Error as PlaywrightError

from director.browser import BrowserError, BrowserGone, Origins, RestartPoint, Session
from director.browser.actions import run_action
from director.browser.errors import SiteAway
from director.browser.outside import Outside
from director.runs.run_journal import RunJournal
from director.runs.values import RunDependencies, RunError, Step
from director.workflow.values import Json, Workflow

_REDONE = frozenset(
    "type select check uncheck upload hover click keypress scrollIntoView scrollToRow".split()
)
_ERROR_PAGE = "chrome-error:"
_DOCUMENT = "() => String(performance.timeOrigin)"


class Stage:
    """The session of one run, and its restart points."""

    def __init__(self, ledger: RunJournal, workflow: Workflow, means: RunDependencies) -> None:
        self._ledger = ledger
        self._means = means
        self._origins = Origins(workflow.origins)
        self._open = AsyncExitStack()
        self._session: Session | None = means.session
        self._point: tuple[RestartPoint, Mapping[str, str]] | None = None
        self.outside = Outside(keep=ledger.store.keep, file=means.file)
        # Pages that were loaded again, by which loading of them the journal knows.
        self._same_page: dict[str, Json] = {}
        # Up to where in the session's count pages were looked at for errors.
        self.looked = means.session.mark() if means.session else 0

    @property
    def is_open(self) -> bool:
        """Whether a node has needed the browser yet."""
        return self._session is not None

    @property
    def can_reopen(self) -> bool:
        """Whether the session is the run's own, and can be brought back elsewhere."""
        return self._means.session is None and self._means.seal is not None

    @property
    def shows_error(self) -> bool:
        """Whether the page is the browser's own, which says that a site was not reached."""
        if self._session is None:
            return False
        try:
            return self._session.page().url.startswith(_ERROR_PAGE)
        except BrowserError:
            return False

    def check_reached(self) -> None:
        """Refuse what ended on an error page: the site was away and may have received nothing."""
        if self.shows_error:
            raise SiteAway(
                "The site did not answer or broke off, so the browser shows an error page. Whether "
                "the site received anything is not known. See whether it is up, then go on."
            )

    async def session(self) -> Session:
        """The session, opened where the run left off."""
        if self._session is None:
            self._session = await self._open.enter_async_context(self._restore())
            if self._means.opened is not None:
                self._means.opened(self._session)
            # A worker that was stopped for a while may have lost the run since it began the step.
            self._session.before_acting = self._ledger.check_held
            for step in self._to_redo():
                await run_action(self._session, step.config, self.outside)
            await self._know_again(self._session)
        return self._session

    async def _know_again(self, session: Session) -> None:
        """Take the page that was brought back for the one on which the last steps were done."""
        shown = self._last_shown()
        now = await _identify_page(session)
        if shown is not None and shown.page and now["document"] and shown.page["url"] == now["url"]:
            self._same_page[str(now["document"])] = shown.page["document"]

    @asynccontextmanager
    async def aside(self) -> AsyncIterator[Session]:
        """Another session as the run left off, to look at something and close it again."""
        async with self._restore() as session:
            yield session

    async def page(self) -> dict[str, Json] | None:
        """Which page is shown: its address, and which loading of it.

        One that was brought back counts as the same: what was filled in was filled in again.
        """
        if self._session is None:
            return None
        found = await _identify_page(self._session)
        return {**found, "document": self._same_page.get(str(found["document"]), found["document"])}

    async def find_browser_end(self) -> BrowserGone | None:
        """What to raise if the browser has ended."""
        return None if self._session is None else await self._session.find_browser_end()

    async def keep_point(self) -> Mapping[str, str] | None:
        """Keep a restart point, sealed, and say under which name."""
        if self._session is None or self._means.seal is None:
            return None
        point = await self._session.point()
        if self._point is None or self._point[0] != point:
            sealed = point.encrypt(self._means.seal).encode()
            self._point = point, {"$kept": self._ledger.store.keep(sealed)}
        return self._point[1]

    async def close(self) -> None:
        """Close the session, unless it belongs to somebody else."""
        await self._open.aclose()
        self._session = self._means.session

    @asynccontextmanager
    async def _restore(self) -> AsyncIterator[Session]:
        if self._means.browser is None:
            raise RunError(
                "This node needs a browser and the run was given none: hand one in as `browser`."
            )
        async with self._means.browser.session(
            self._origins,
            self._means.secrets,
            downloads=self._means.downloads,
            state=self._last_point(),
            logins=self._means.logins,
        ) as session:
            yield session

    def _last_point(self) -> RestartPoint | None:
        shown, step = self._last_shown(), self._last(lambda each: each.point)
        if step is None or step.point is None:
            if shown is not None:
                raise RunError(
                    "This run kept no restart points, because it had no seal, so its browser "
                    "cannot be brought back. Start it again; hand in `seal` next time."
                )
            return None
        if self._means.seal is None:
            raise RunError("The restart points of this run are sealed: hand in its `seal`.")
        text = self._ledger.store.read_kept(step.point["$kept"]).decode()
        point = RestartPoint.decrypt(text, self._means.seal)
        if shown is None or shown.page is None or shown.position <= step.position:
            return point
        # Its browser ended after something that must not be done again: only the address is known.
        return point.showing(str(shown.page["url"]))

    def _to_redo(self) -> list[Step]:
        """What was done on the page that is restored, since it was loaded."""
        shown = self._last_shown()
        return [
            step
            for step in self._list_finished()
            if step.type == "browser_action"
            and step.status == "success"
            and step.effect == "idempotent"
            and step.config.get("action") in _REDONE
            and shown is not None
            and step.before == step.page == shown.page
        ]

    def _last_shown(self) -> Step | None:
        return self._last(lambda step: step.page)

    def _last(self, has: Callable[[Step], object]) -> Step | None:
        return next((step for step in reversed(self._list_finished()) if has(step)), None)

    def _list_finished(self) -> list[Step]:
        return [step for step in self._ledger.steps() if step.state == "finished"]


async def _identify_page(session: Session) -> dict[str, Json]:
    page = session.page()
    try:
        document = await page.evaluate(_DOCUMENT)
    except PlaywrightError:
        # It is just going elsewhere.
        document = ""
    return {"url": session.net.clean(page.url), "document": document}
