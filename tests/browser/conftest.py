"""One browser for each file of tests, driven in one loop, and sites for it to visit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from typing import Any, TypeAlias, TypeVar

import pytest

from director.browser import Browser, BrowserError, open_browser

T = TypeVar("T")
Run: TypeAlias = "Callable[[Coroutine[Any, Any, T]], T]"


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """A loop that lives as long as the browser."""
    with asyncio.Runner() as made:
        yield made


@pytest.fixture(scope="module")
def run(runner: asyncio.Runner) -> Callable[[Coroutine[Any, Any, T]], T]:
    """Run a coroutine to its end, in the loop of the browser."""
    return runner.run


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
