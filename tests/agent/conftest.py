"""One browser for each file of tests, a store and a demo site for each test."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from director.browser import Browser, BrowserError, open_browser
from director.demo.site import Site
from director.store import Store, open_store


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """A loop that lives as long as the browser."""
    with asyncio.Runner() as made:
        yield made


@pytest.fixture(scope="module")
def browser(runner: asyncio.Runner) -> Iterator[Browser]:
    """A running Chromium."""
    stack = AsyncExitStack()
    try:
        opened = runner.run(stack.enter_async_context(open_browser()))
    except BrowserError as reason:
        pytest.skip(str(reason))
    yield opened
    runner.run(stack.aclose())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in a file."""
    with open_store(tmp_path / "director.db") as opened:
        yield opened


@pytest.fixture
def site() -> Iterator[Site]:
    """The demo site."""
    with Site().serve() as served:
        yield served
