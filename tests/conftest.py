"""What holds for every test: no network, a limit of time that a busy machine meets, no slow disk."""

from __future__ import annotations

import asyncio
import functools
import gc
import os
import sys
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from playwright import async_api, sync_api
from typer import testing as cli_testing

from certificates import trust_nobody
from chromiums import full_chromium, prefer_shell
from director.browser import Browser, BrowserError, open_browser
from moved import UNKNOWN, mark_moved

gc.disable()  # while modules are loaded there is nothing to find

T = TypeVar("T")
SLOW_LIMIT = 1800  # seconds for a slow test; pyproject.toml has the limit of all others

_LOCAL = ("127.0.0.1", "::1", "localhost")


def _refuse_the_network(event: str, arguments: tuple[object, ...]) -> None:
    if event != "socket.connect":
        return
    address = arguments[1]
    if isinstance(address, tuple) and address[0] not in _LOCAL:
        raise PermissionError(f"tests must not use the network: {address!r}")


sys.addaudithook(_refuse_the_network)

# A property that does not say otherwise is tried on so many examples, the same ones each time.
_EXAMPLES = int(os.environ.get("DIRECTOR_EXAMPLES", "20"))
_ROOM = 4 << 30


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what was moved behind `--all`; give slow tests more time, unless they say how much."""
    config.stash[UNKNOWN] = mark_moved(items)
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_LIMIT))


settings.register_profile(
    "director",
    max_examples=_EXAMPLES,
    deadline=None,
    derandomize=True,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("director")


def _keep_files_in_memory() -> None:
    """A store waits for the disk at each commit, and so would most tests of one."""
    memory = Path("/dev/shm")  # noqa: S108  each test makes a folder of its own there
    if "TMPDIR" in os.environ or not os.access(memory, os.W_OK):
        return
    room = os.statvfs(memory)
    if room.f_flag & os.ST_NOEXEC or room.f_bavail * room.f_frsize < _ROOM:
        return
    os.environ["TMPDIR"] = str(memory)
    tempfile.tempdir = None


_keep_files_in_memory()


prefer_shell()
trust_nobody()

# The tree of commands is the same for every test; building it takes 60 ms.
cli_testing._get_command = functools.cache(cli_testing._get_command)

for api in (async_api, sync_api):
    api.expect.set_options(timeout=60_000)


def pytest_collection_finish() -> None:
    """What is loaded by now stays to the end: nobody needs to look through it for garbage."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def runner() -> Iterator[asyncio.Runner]:
    """A loop that lives as long as the browser."""
    with asyncio.Runner() as made:
        yield made


@pytest.fixture(scope="session")
def run(runner: asyncio.Runner) -> Callable[[Coroutine[Any, Any, T]], T]:
    """Run a coroutine to its end, in the loop of the browser."""
    return runner.run


@pytest.fixture(scope="session")
def browser(runner: asyncio.Runner) -> Iterator[Browser]:
    """One Chromium for all tests of a process; each opens sessions of its own."""
    yield from _open(runner)


@pytest.fixture(scope="session")
def full_browser(runner: asyncio.Runner) -> Iterator[Browser]:
    """The same with the Chromium that users have, where the other is the shell of it."""
    opened = _open(runner)
    with full_chromium():
        made = next(opened)
    yield made
    next(opened, None)


def _open(runner: asyncio.Runner) -> Iterator[Browser]:
    stack = AsyncExitStack()
    try:
        opened = runner.run(stack.enter_async_context(open_browser()))
    except BrowserError as reason:
        pytest.skip(str(reason))
    yield opened
    runner.run(stack.aclose())
