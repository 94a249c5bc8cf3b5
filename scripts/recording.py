"""A short recording of the rehearsal in the app, into `docs/pictures/rehearsal.webp`.

.venv/bin/python scripts/recording.py
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pictures import FLAGS, OUT, SIZES, served
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from director.browser.chromium import find_chromium
from director.store import open_store

EACH = 700  # milliseconds between two pictures
SHOWN = 350  # and how long each is shown
LAST = 4_000
WIDTH = 960
MOST = 60  # pictures, however slow the machine was


def main() -> None:
    """Play, look again and again, write."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DIRECTOR_HOME"] = folder
        with (
            open_store(Path(folder) / "director.db") as store,
            served(store) as (url, link),
            sync_playwright() as playing,
        ):
            browser = playing.chromium.launch(executable_path=find_chromium(), args=FLAGS)
            width, height = SIZES["wide"]
            page = browser.new_page(viewport={"width": width, "height": height})
            page.set_default_timeout(600_000)
            page.goto(link)
            page.wait_for_url(f"{url}/")
            taken = thin(list(different(seen(page, url))))
            browser.close()
    file = OUT / "rehearsal.webp"
    times = [SHOWN] * (len(taken) - 1) + [LAST]
    taken[0].save(
        file, save_all=True, append_images=taken[1:], duration=times, loop=0, quality=55, method=4
    )
    print(f"{len(taken)} pictures, {file.stat().st_size:,} bytes: {file}")


def seen(page: Page, url: str) -> Iterator[Image.Image]:
    """The rehearsal from its first click to its end."""
    page.goto(url)
    yield picture(page)
    page.get_by_role("button", name="Play the demo").click()
    page.wait_for_selector("#demo")
    # It plays by itself.
    while page.locator("#demo a.pri").count() == 0:
        yield picture(page)
        page.wait_for_timeout(EACH)
    yield picture(page)


def picture(page: Page) -> Image.Image:
    """The page as it is now, smaller."""
    found = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return found.resize((WIDTH, found.height * WIDTH // found.width), Image.Resampling.LANCZOS)


def thin(pictures: list[Image.Image]) -> list[Image.Image]:
    """At most so many of the pictures, evenly spread, the first and the last among them."""
    step = max(1.0, (len(pictures) - 1) / (MOST - 1))
    return [pictures[round(nth * step)] for nth in range(round((len(pictures) - 1) / step) + 1)]


def different(pictures: Iterator[Image.Image]) -> Iterator[Image.Image]:
    """Each picture that is not the same as the one before it."""
    before = b""
    for one in pictures:
        if (now := one.tobytes()) != before:
            yield one
        before = now


if __name__ == "__main__":
    main()
