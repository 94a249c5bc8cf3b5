"""Looking at pages: snapshots that are kept by hash, so that what was seen can be seen again."""

from __future__ import annotations

from typing import cast

from director.agent.desk import Desk
from director.browser import BrowserError
from director.browser.snapshots import Snapshot
from director.store import Moved


async def look(desk: Desk, tab: str = "") -> tuple[Snapshot, Snapshot | None]:
    """A tab as it is now, and as it was when it was last looked at."""
    session = await desk.bench.session()
    name = tab or await active_tab(desk)
    found = await session.snapshot(name)
    _keep(desk, found)
    before = desk.looked.get(name)
    desk.looked[name] = found
    return found, before


async def seen(desk: Desk, tab: str = "") -> Snapshot:
    """The newest snapshot of a tab; taken now if there is none."""
    await desk.bench.session()
    name = tab or await active_tab(desk)
    return desk.looked.get(name) or (await look(desk, name))[0]


async def active_tab(desk: Desk) -> str:
    """The name of the tab that is active."""
    found = [tab.name for tab in await desk.bench.tabs() if tab.active]
    if not found:
        raise BrowserError("No tab is open. Open one with debug_open_tab.")
    return found[0]


def kept_snapshot(desk: Desk, hash_: str) -> Snapshot | None:
    """A snapshot that was taken of a page of this workflow, by its hash."""
    found = desk.store.get("snapshot", f"{desk.workflow}/{hash_}")
    if found is None:
        return None
    body = cast("dict[str, str]", found.body)
    text = desk.store.kept(hash_).decode()
    return Snapshot(text, body["url"], body["title"], body["document"])


def _keep(desk: Desk, snapshot: Snapshot) -> None:
    kept = desk.store.keep(snapshot.stored)
    body = {
        "workflow": desk.workflow,
        "url": snapshot.url,
        "title": snapshot.title,
        "document": snapshot.document,
        "text": {"$kept": kept},
    }
    try:
        desk.store.put("snapshot", f"{desk.workflow}/{kept}", body, expect=0)
    except Moved:
        # The same page was seen before.
        return
