"""Looking at pages: snapshots that are kept by hash, so that what was seen can be seen again."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from director.browser import BrowserError
from director.browser.snapshot_text import render_snapshot_text
from director.browser.snapshots import Snapshot
from director.store import VersionConflict

if TYPE_CHECKING:
    from director.agent.agent_session import AgentSession

_EVENTS = {"Dialog": "dialogs", "Download": "downloads", "Blocked": "blocked"}


@dataclass(frozen=True, slots=True)
class TabLook:
    """A tab at one moment, and as it was `ago` seconds before, if it was looked at.

    `outline` is the page whose outline a conversation was last shown, and which conversation.
    """

    tab: str
    page: Snapshot
    at: float
    before: Snapshot | None = None
    ago: float = 0.0
    outline: tuple[str, Snapshot] | None = None

    def text(self) -> str:
        """Which look it is, how old, and whether the page has changed since the one before."""
        when = datetime.fromtimestamp(self.at, UTC).strftime("%H:%M:%S UTC")
        return f"{_identify(self)} taken now, {when}{self._since()}{self._list_events()}"

    def _since(self) -> str:
        if self.before is None:
            return ""
        if self.before.document != self.page.document:
            return f"; another page than at the look {self.ago:.0f} s before: its refs are gone"
        same = self.before.text == self.page.text
        changed = "the same as" if same else "changed since"
        return f"; {changed} the look {self.ago:.0f} s before"

    def _list_events(self) -> str:
        told = [
            f"\n{word}: {' '.join(each.split())}"
            for word, name in _EVENTS.items()
            for each in getattr(self.page.happened, name)
        ]
        return "".join(told)


async def look_at_page(desk: AgentSession, tab: str = "") -> tuple[Snapshot, Snapshot | None]:
    """A tab as it is now, and as it was when it was last looked at."""
    found = await look_at_page_now(desk, tab)
    return found.page, found.before


async def look_at_page_now(desk: AgentSession, tab: str = "") -> TabLook:
    """A tab as it is now: every look is a new one, and says how it compares with the one before."""
    session = await desk.bench.session()
    name = tab or await find_active_tab(desk)
    known = desk.looked.get(name)
    page = await session.snapshot(name)
    _keep(desk, page)
    now = time.time()
    found = TabLook(name, page, now)
    if known:
        found = replace(found, before=known.page, ago=now - known.at, outline=known.outline)
    desk.looked[name] = found
    return found


def write_page_outline_text(desk: AgentSession, found: TabLook) -> str:
    """The outline of a page, or what changed since the one this conversation was last shown."""
    thread, page = found.outline or ("", None)
    desk.looked[found.tab] = replace(found, outline=(desk.thread, found.page))
    return render_snapshot_text(found.page, page if thread == desk.thread else None)


async def look_at_page_or_remember(desk: AgentSession, tab: str = "") -> tuple[Snapshot, str]:
    """A tab as it is now, and a line about its age; an older look only if there can be no new."""
    name = tab or await find_active_tab(desk)
    known = desk.looked.get(name)
    try:
        found = await look_at_page_now(desk, name)
    except BrowserError as problem:
        if known is None:
            raise
        age = time.time() - known.at
        why = " ".join(str(problem).split())
        return known.page, f"{_identify(known)} taken {age:.0f} s ago; it may have changed: {why}"
    return found.page, found.text()


def _identify(found: TabLook) -> str:
    return f"snapshot {found.page.hash[:12]} of {found.page.url}"


async def find_active_tab(desk: AgentSession) -> str:
    """The name of the tab that is active, in a browser that is opened where it was left."""
    await desk.bench.session()
    found = [tab.name for tab in await desk.bench.tabs() if tab.active]
    if not found:
        raise BrowserError("No tab is open. Open one with debug_open_tab.")
    return found[0]


def _keep(desk: AgentSession, snapshot: Snapshot) -> None:
    kept = desk.store.keep(snapshot.content)
    body = {
        "workflow": desk.workflow,
        "url": snapshot.url,
        "title": snapshot.title,
        "document": snapshot.document,
        "text": {"$kept": kept},
    }
    try:
        desk.store.put("snapshot", f"{desk.workflow}/{kept}", body, expect=0)
    except VersionConflict:
        # The same page was seen before.
        return
