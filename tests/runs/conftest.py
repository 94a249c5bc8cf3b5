"""One Chromium for all tests of runs, in a loop of its own; a store and a site for each test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from director.browser import Browser, open_browser
from director.runs import RunDependencies
from director.secrets import Seal
from director.store import Store, open_store
from runs import scenario
from store.engines import prepared_file

T = TypeVar("T")
SEAL = Seal(b"a key of thirty-two bytes, or so!"[:32])


class Live:
    """A running browser, and a way to run coroutines beside it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, browser: Browser) -> None:
        self._loop = loop
        self.browser = browser

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something to its end in the browser's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=600)

    def means(self, **more: Any) -> RunDependencies:
        """What runs of these tests work with."""
        return RunDependencies(
            **{"browser": self.browser, "seal": SEAL, "pictures": "none", **more}
        )


@pytest.fixture(scope="session")
def live() -> Iterator[Live]:
    """The browser of all tests."""
    ready: list[Live] = []
    started, done = threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with open_browser() as browser:
            ready.append(Live(asyncio.get_running_loop(), browser))
            started.set()
            await done.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    started.wait(600)
    yield ready[0]
    ready[0]._loop.call_soon_threadsafe(done.set)
    thread.join()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in a file."""
    with open_store(prepared_file(tmp_path / "runs.db")) as opened:
        yield opened


@pytest.fixture
def site() -> Iterator[scenario.Site]:
    """The shop."""
    with scenario.served() as served:
        yield served
