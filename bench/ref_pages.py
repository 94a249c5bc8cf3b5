"""The pages on which refs are measured, in groups that are served one after the other."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from applications import GALLERIES, HELD_OUT, PROGRAMS, Program, serve_galleries, serve_program
from playwright.async_api import Page, async_playwright
from redesign import PATHS
from shared_looks import register_shared
from shelf import Shelf
from strangers import STRANGERS

from director.browser.fields import watch_secret_fields
from director.demo.site import Site


@dataclass(frozen=True)
class Stop:
    """A page to measure on, and how it is opened; what is held out was never mended for."""

    name: str
    kind: str
    address: str = ""
    shelf: Shelf | None = None

    @property
    def held_out(self) -> bool:
        """Whether nothing was mended by looking at it."""
        return self.name.partition(" /")[0] in HELD_OUT

    @property
    def key(self) -> str:
        """A name for a file."""
        return re.sub(r"\W+", "-", f"{self.kind} {self.name}").strip("-").lower()

    async def open(self, page: Page) -> None:
        """Show it in the state that it always starts in."""
        if self.shelf:
            await self.shelf.open(page, self.address)
        else:
            # An address with a fragment alone would not be loaded anew.
            await page.goto("about:blank")
            await page.goto(self.address, wait_until="load")
        await settle(page)


@dataclass(frozen=True)
class Group:
    """Pages that are served together: their names first, their addresses once they are served."""

    stops: Sequence[Stop]
    serve: Callable[[], AbstractContextManager[Sequence[Stop]]]


async def settle(page: Page) -> None:
    """Wait until something is shown and nothing has changed for a while, at most some seconds."""
    last, same = "", 0
    for _ in range(80):
        now = await page.evaluate(
            "document.body.innerText.trim() && document.documentElement.outerHTML.length + location.href"
        )
        same = same + 1 if now and now == last else 0
        if same == 3:
            return
        last = now
        await page.wait_for_timeout(250)


def list_groups(site: Site, shelf: Shelf, folder: Path | None) -> Iterator[Group]:
    """All pages: galleries, each application, the demo site, the test-beds."""
    if folder:
        yield _galleries(folder)
        yield from (_program(folder, one) for one in (*PROGRAMS, *STRANGERS))
    sku = next(iter(site.state.products))
    yield _ready([Stop(path, "demo site", site.url + path.format(sku=sku)) for path in PATHS])
    yield _ready([Stop(a.rpartition("//")[2], "test-beds", a, shelf) for a in shelf.addresses()])


def _ready(stops: Sequence[Stop]) -> Group:
    @contextmanager
    def serve() -> Iterator[Sequence[Stop]]:
        yield stops

    return Group(stops, serve)


def _galleries(folder: Path) -> Group:
    @contextmanager
    def serve() -> Iterator[Sequence[Stop]]:
        with serve_galleries(folder) as addresses:
            yield [Stop(name, "galleries", url) for name, url in addresses.items()]

    return Group([Stop(name, "galleries") for name in GALLERIES], serve)


def _program(folder: Path, program: Program) -> Group:
    @contextmanager
    def serve() -> Iterator[Sequence[Stop]]:
        with serve_program(folder, program) as origin:
            yield [
                Stop(f"{program.name} {path}", "applications", origin + path)
                for path in (program.paths if origin else ())
            ]

    return Group([Stop(f"{program.name} {path}", "applications") for path in program.paths], serve)


@asynccontextmanager
async def opened(shelf: Shelf) -> AsyncIterator[Page]:
    """A page that may reach loopback and what is on the shelf."""
    async with async_playwright() as playwright:
        await register_shared(playwright)
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        context = await browser.new_context(viewport={"width": 1280, "height": 900})
        await watch_secret_fields(context)
        await context.route("**/*", lambda route: shelf.answer(route))  # noqa: PLW0108  it sets attributes
        yield await context.new_page()
        await browser.close()
