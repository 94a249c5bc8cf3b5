"""Pictures of every page of the app, at two widths, light and dark, into `docs/pictures`.

It plays the rehearsal in a folder of its own, serves the app, and looks at it with a real browser:

    .venv/bin/python scripts/pictures.py [--only NAME]
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from director.agent import ensure_current_thread, start_current_thread
from director.browser.chromium import find_chromium
from director.runs import save_run_workflow
from director.store import Store, open_store
from director.web.app_server import bind_server_socket, make_app_server, open_served_app
from director.workflow.document import read_workflow_document

OUT = Path(__file__).parent.parent / "docs" / "pictures"
FLAGS = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"]
SIZES = {"wide": (1440, 900), "phone": (390, 844)}
EXAMPLE = Path(__file__).parent.parent / "examples" / "order-with-code.json"
Steps = Callable[[Page], object]


def main() -> None:
    """Play, serve, look."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--only", default="", help="the name of one page")
    only = asked.parse_args().only
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DIRECTOR_HOME"] = folder
        with (
            open_store(Path(folder) / "director.db") as store,
            served(store) as (url, link),
            sync_playwright() as playing,
        ):
            browser = playing.chromium.launch(executable_path=find_chromium(), args=FLAGS)
            page = browser.new_context().new_page()
            page.set_default_timeout(600_000)
            page.goto(link)
            page.wait_for_url(f"{url}/")
            taken = looked_at(page, url, store, only)
            browser.close()
    print(f"{len(taken)} pictures are in {OUT}")


def looked_at(page: Page, url: str, store: Store, only: str) -> list[Path]:
    """All pictures: of a first visit, of the rehearsal, and of every page after it."""
    taken = [*shots(page, url, {"first-visit": ("/", nothing)}, only)]

    def compress(workflow: str) -> None:
        taken.extend(shots(page, url, {"compress": (f"/w/{workflow}", compressing)}, only))

    workflow = rehearsed(page, url, compress)
    save_run_workflow(store, read_workflow_document(json.loads(EXAMPLE.read_text())))
    return [*taken, *shots(page, url, pages(store, workflow), only)]


@contextmanager
def served(store: Store) -> Iterator[tuple[str, str]]:
    """The app, and the link that lets one browser in."""
    listening = bind_server_socket("127.0.0.1", 0)
    studio = open_served_app(store, listening)
    server = make_app_server(studio)
    running = threading.Thread(target=lambda: asyncio.run(server.serve([listening])), daemon=True)
    running.start()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        yield url, f"{url}/launch#{studio.sessions.link()}"
    finally:
        server.should_exit = True
        running.join()


def rehearsed(page: Page, url: str, compress: Callable[[str], None]) -> str:
    """Step through the demo to its end; its workflow. `compress` looks at the dialog."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(url)
    page.get_by_role("button", name="Play the demo").click()
    page.wait_for_selector("#demo")
    page.get_by_role("button", name="Pause").click()
    while page.locator("#demo a.pri").count() == 0:
        page.wait_for_timeout(500)
        if page.locator("#composer[data-busy='0']").count() == 0:
            continue
        if (
            page.locator("#composer[data-demo='compress']").count()
            and page.locator("#compress").count()
        ):
            compress(page.url.rpartition("/")[2])
            page.set_viewport_size({"width": 1440, "height": 900})
            compressing(page)
            page.click("#apply")
            page.wait_for_selector(".message.summary")
        else:
            page.locator("[data-demo-do=step]").click()
            page.wait_for_timeout(1_500)
    page.wait_for_selector("#composer[data-busy='0']")
    return page.url.rpartition("/")[2]


def pages(store: Store, workflow: str) -> dict[str, tuple[str, Steps]]:
    """Every page by its name: where it is, and what is done on it first."""
    newest = store.get("request", ensure_current_thread(store, workflow))
    number = newest.version if newest else 1
    runs = [one.id for one in store.newest("run") if one.body.get("workflow") == workflow]
    run = next(one for one in reversed(runs) if not one.startswith("workbench:"))
    at = f"/w/{workflow}"
    return {
        "workflows": ("/", nothing),
        "work": (at, worked),
        "work-archived": (at, archived),
        "node": (at, opened),
        "compressions": (at, listing),
        "requests": (f"{at}/requests", nothing),
        "request": (f"{at}/requests/{number}?other={number - 1}", nothing),
        "runs": ("/w/order-with-code/runs", nothing),
        "run": (f"{at}/runs/{run}", nothing),
        "settings": ("/settings", settled),
        "help": ("/help", nothing),
        **conversations(store, workflow),
    }


def conversations(store: Store, workflow: str) -> dict[str, tuple[str, Steps]]:
    """The list of conversations and the earlier one, looked at last: a new one is begun for it."""

    def begun(page: Page) -> None:
        if ensure_current_thread(store, workflow) == thread:
            start_current_thread(store, workflow)
            page.reload()

    thread, at = ensure_current_thread(store, workflow), f"/w/{workflow}"
    return {
        "conversations": (f"{at}/conversations", begun),
        "conversation": (f"{at}/conversation?thread={thread}", begun),
    }


def until(page: Page, is_so: str) -> None:
    """Wait until an expression holds; pages refuse to evaluate one themselves."""
    while not page.evaluate(is_so):
        page.wait_for_timeout(200)


def nothing(_: Page) -> None:
    """The page as it comes."""


def worked(page: Page) -> None:
    """The end of the conversation, measured, with its live picture."""
    page.wait_for_selector("#meter rect", state="attached")
    until(page, "!document.getElementById('picture') || picture.naturalWidth > 0")


def archived(page: Page) -> None:
    """The beginning, with a call that is open."""
    worked(page)
    page.evaluate("document.getElementById('talk').scrollTop = 0")
    page.wait_for_selector("#t1")
    page.locator("details.grp").first.locator("summary").first.click()


def opened(page: Page) -> None:
    """A node in full."""
    worked(page)
    if page.viewport_size and page.viewport_size["width"] < 1_000:
        page.get_by_role("button", name="Workflow", exact=True).click()
    page.locator(".loop [data-node]").nth(2).click()
    page.wait_for_selector("#drawer section")


def compressing(page: Page) -> None:
    """The dialog of a compression with a preview."""
    if page.locator("dialog[open]").count() == 0:
        worked(page)
        page.click("#compress")
        page.click("#write")
    page.wait_for_selector("#apply:not([disabled])")


def listing(page: Page) -> None:
    """What was compressed."""
    worked(page)
    page.locator("header [data-menu] summary").click()
    page.get_by_role("button", name="Compressions").click()
    page.wait_for_selector("dialog[open] table")


def settled(page: Page) -> None:
    """What was found on this machine is told."""
    page.wait_for_selector("[data-servers]")
    until(page, "!document.querySelector('[data-servers]').textContent.includes('…')")


def shots(page: Page, url: str, wanted: dict[str, tuple[str, Steps]], only: str) -> Iterator[Path]:
    """A picture of each at each size and in each scheme."""
    OUT.mkdir(parents=True, exist_ok=True)
    for name, (path, steps) in wanted.items():
        if only and name != only:
            continue
        for size, (width, height) in SIZES.items():
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                page.set_viewport_size({"width": width, "height": height})
                page.goto(f"{url}{path}")
                steps(page)
                file = OUT / f"{name}-{size}-{scheme}.png"
                shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                # 255 colours are enough for a page, and take a third of the room.
                shot.quantize(255, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
                    file, optimize=True
                )
                yield file


if __name__ == "__main__":
    main()
