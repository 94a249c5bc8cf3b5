"""The browser workspace: the live session of a workflow, opened when first needed and then kept.

It reaches the approved origins of the workflow and nothing else. What it needs to go on in another
browser is kept sealed in the store; without a seal nothing of it is written down.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from typing import TypeAlias, cast

from director.browser import (
    Browser,
    BrowserError,
    BrowserGone,
    Origins,
    RestartPoint,
    Session,
    open_browser,
)
from director.runs import RunDependencies
from director.store import Store
from director.workflow.document import read_workflow_document
from director.workflow.values import Json, Tab, Workflow

OpensBrowser: TypeAlias = Callable[[], Awaitable[Browser]]
_BROWSING = ("browser_action", "browser_query", "agent")


class BrowserWorkspace:
    """The browser in which Director looks, tries and tests."""

    def __init__(
        self,
        store: Store,
        workflow: str,
        means: RunDependencies,
        *,
        browser: OpensBrowser | None = None,
    ) -> None:
        self._store = store
        self._id = workflow
        self._means = means
        self._browser = browser
        self._running = means.browser
        self._open = AsyncExitStack()
        self._session: Session | None = None
        self._point: RestartPoint | None = None

    @property
    def live(self) -> Session | None:
        """The session, if one is open."""
        return self._session

    async def session(self) -> Session:
        """The session, opened where it was left; it reaches what the workflow may reach now."""
        approved = self._list_approved_origins()
        if self._session is not None and set(self._session.origins) - set(Origins(approved)):
            # An approval was removed: what is open could still reach it.
            await self.close()
        if self._session is None:
            self._session = await self._open_session(approved)
        for origin in approved:
            self._session.origins.approve(origin)
        return self._session

    async def tabs(self) -> tuple[Tab, ...]:
        """The tabs that are open; none if no browser is."""
        if self._session is None:
            return ()
        try:
            return await self._session.tabs()
        except BrowserError:
            # It ended by itself; the next use opens it again where it was.
            await self.drop()
            return ()

    async def means(self, workflow: Workflow) -> RunDependencies:
        """What runs in this workspace work with: its session, if any node needs a browser.

        A run that asks something is put aside at once: a turn never waits for a person.
        """
        needed = any(node.type in _BROWSING for node in workflow.nodes)
        session = await self.session() if needed else None
        # Proofs are looked at in a session of their own, as in a real run.
        browser = self._running if session is not None else None
        patience = self._means.patience or 0.0
        return replace(self._means, session=session, browser=browser, patience=patience)

    async def keep(self) -> None:
        """Remember where the browser is, sealed in the store if there is a seal."""
        if self._session is None:
            return
        try:
            point = await self._session.point()
        except BrowserGone:
            await self.drop()
            return
        if point == self._point:
            return
        self._point = point
        if self._means.seal is not None:
            kept = self._store.keep(point.encrypt(self._means.seal).encode())
            self._store.put("bench", self._id, {"point": {"$kept": kept}}, "left")

    async def drop(self) -> None:
        """Let go of a browser that has ended; the next one goes on from the last point."""
        self._session = None
        with suppress(BrowserError):
            await self._open.aclose()
        self._open = AsyncExitStack()

    async def reset(self) -> None:
        """Forget tabs, cookies and storage: the next session begins as a run's does."""
        await self.drop()
        self._point = None
        if self._store.get("bench", self._id) is not None:
            self._store.put("bench", self._id, {"point": None}, "reset")

    async def close(self) -> None:
        """Remember where the browser is, and close it."""
        await self.keep()
        await self.drop()

    async def _open_session(self, approved: tuple[str, ...]) -> Session:
        browser = self._means.browser
        if browser is None and self._browser is not None:
            browser = await self._browser()
        if browser is None:
            browser = await self._open.enter_async_context(open_browser())
        self._running = browser
        made = browser.session(
            Origins(approved),
            self._means.secrets,
            downloads=self._means.downloads,
            state=self._last(approved),
            logins=self._means.logins,
        )
        return await self._open.enter_async_context(made)

    def _last(self, approved: tuple[str, ...]) -> RestartPoint | None:
        point = self._point or self._read_restart_point()
        if point is None:
            return None
        reached = Origins(approved)
        tabs = tuple((name, url) for name, url in point.tabs if _reaches(reached, url))
        names = [name for name, _ in tabs]
        active = point.active if point.active in names else "".join(names[:1])
        return RestartPoint(point.storage, tabs, active) if tabs else None

    def _read_restart_point(self) -> RestartPoint | None:
        found = self._store.get("bench", self._id)
        if found is None or found.body["point"] is None or self._means.seal is None:
            return None
        named = cast("dict[str, str]", found.body["point"])
        return RestartPoint.decrypt(
            self._store.read_kept(named["$kept"]).decode(), self._means.seal
        )

    def _list_approved_origins(self) -> tuple[str, ...]:
        found = self._store.get("workflow", self._id)
        return read_workflow_document(cast("Json", found.body)).origins if found else ()


def _reaches(origins: Origins, url: str) -> bool:
    try:
        origins.check(url)
    except BrowserError:
        return False
    return True
