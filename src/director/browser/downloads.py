"""Downloads: each file goes into the folder of its session, under a name that stays in it.

What the page proposes as a name is a wish, not a path. Without a folder nothing is downloaded.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from playwright.async_api import Download
from playwright.async_api import Error as PlaywrightError

from director.browser.session_events import Events

_UNSAFE: Final = re.compile(r"[^\w.()+@ -]")
_DEVICES: Final = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))]
)
_LONGEST: Final = 120


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A file that was downloaded, how large it is, and the mark of the events when it began."""

    path: Path
    size: int
    began: int = 0


def make_safe_download_name(wish: str) -> str:
    """A name for a file, made of what the page proposes: no folder, no dot first, no device."""
    name = re.split(r"[/\\]", wish)[-1]
    name = _UNSAFE.sub("_", name).strip(" .") or "download"
    stem, dot, ending = name.rpartition(".")
    if dot and len(ending) < 20:
        name = f"{stem[: _LONGEST - 1 - len(ending)].rstrip(' .')}.{ending}"
    if name.split(".")[0].casefold() in _DEVICES:
        name = f"_{name}"
    return name[:_LONGEST].rstrip(" .")


@final
class Downloads:
    """The downloads of one session."""

    def __init__(self, folder: Path | None, events: Events, *, clean: Callable[[str], str]) -> None:
        self._folder = folder
        self._clean = clean
        self._events = events
        self._running: set[asyncio.Task[None]] = set()
        self._taken: set[Path] = set()
        self._done: list[Downloaded] = []
        self._told = 0

    def begin(self, download: Download, tab: str) -> None:
        """Take a download in; it goes on by itself."""
        task = asyncio.create_task(self._keep(download, tab, self._events.mark()))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def list_arrived(self) -> tuple[Downloaded, ...]:
        """The files that are there now."""
        return tuple(self._done)

    async def wait_for_files(self, within: float | None = None) -> tuple[Downloaded, ...]:
        """Every file, once those that are on their way have arrived, or so many seconds passed."""
        if self._running:
            await asyncio.wait(set(self._running), timeout=within)
        return self.list_arrived()

    async def list_new(self, within: float) -> tuple[Downloaded, ...]:
        """The files that this has not given yet."""
        new = (await self.wait_for_files(within))[self._told :]
        self._told += len(new)
        return new

    async def stop(self) -> None:
        """Give up what has not arrived."""
        for task in tuple(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _keep(self, download: Download, tab: str, began: int) -> None:
        wish = make_safe_download_name(self._clean(download.suggested_filename))
        try:
            if self._folder is None:
                await download.cancel()
                self._events.add("download", f"refused: {wish}: no folder for downloads", tab)
                return
            path = self._free(self._folder, wish)
            await download.save_as(path)
        except PlaywrightError as error:
            self._events.add("download", f"failed: {wish}: {error.message}", tab)
            return
        self._done.append(Downloaded(path, path.stat().st_size, began))
        self._events.add("download", f"{path.name} ({path.stat().st_size} bytes)", tab)

    def _free(self, folder: Path, wish: str) -> Path:
        """A path that is not there yet: an earlier file is never written over."""
        folder.mkdir(parents=True, exist_ok=True)
        path, number = folder / wish, 2
        while path in self._taken or path.exists() or path.is_symlink():
            path = folder / f"{Path(wish).stem}_{number}{Path(wish).suffix}"
            number += 1
        self._taken.add(path)
        return path
