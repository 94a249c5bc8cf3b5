"""A picture of a page shows no secret: its field is one colour."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from playwright.async_api import Page

from browser.bare import on
from director.browser.errors import BrowserError
from director.browser.fields import mark_secret_field
from director.browser.screens import COLOUR, take_screenshot

_STYLE = (
    "<style>body{margin:0;background:#fff} input,p,iframe{position:absolute;left:20px;width:200px;"
)
_STYLE += (
    "height:30px;margin:0;border:0;padding:0;box-sizing:border-box;font:16px monospace}</style>"
)
PAGE = f"""{_STYLE}
<input style="top:0" type=password value="secret-value-one">
<input style="top:40px" id=shown type=password value="secret-value-two">
<input style="top:80px" autocomplete=one-time-code value="246810">
<input style="top:120px" id=plain value="marked-value">
<p style="top:160px" id=echo></p>
<iframe style="top:200px" srcdoc="<style>*{{margin:0;border:0}}</style><input type=password
  style='width:200px;height:30px' value=in-the-frame>"></iframe>
<input style="top:240px" id=open value="nothing to hide">
<script>shown.type = "text"; echo.textContent = "again: " + shown.value</script>"""
TOPS = (0, 40, 80, 120, 200)


def read_picture(png: bytes) -> tuple[int, bytes]:
    """The bytes of a row of a picture, and of all rows; each pixel is red, green and blue."""
    with Image.open(io.BytesIO(png)) as picture:
        return 3 * picture.width, picture.convert("RGB").tobytes()


def pixels(png: bytes) -> list[list[bytes]]:
    """The rows of a small picture, pixel by pixel."""
    width, raw = read_picture(png)
    rows = (raw[at : at + width] for at in range(0, len(raw), width))
    return [[row[x : x + 3] for x in range(0, width, 3)] for row in rows]


def colours(rows: list[list[bytes]], top: int) -> set[bytes]:
    """The colours inside the field at a height."""
    return {pixel for row in rows[top + 3 : top + 27] for pixel in row[24:216]}


@pytest.mark.promise("D6")
def test_every_secret_field_is_one_colour_in_a_picture() -> None:
    """Passwords, changed types, codes, marked fields, fields in frames; an echo is a mark."""

    async def work(page: Page) -> tuple[bytes, bytes, int]:
        await page.frame_locator("iframe").locator("input").wait_for()
        await page.set_viewport_size({"width": 240, "height": 280})
        await mark_secret_field(page.locator("#plain"))
        masked = await take_screenshot(page)
        left = await page.locator("[data-director-hidden]").count()
        return masked, await page.screenshot(), left

    masked, bare, left = on(work, first=PAGE)
    assert left == 0
    hidden, seen = pixels(masked), pixels(bare)
    wanted = bytes.fromhex(COLOUR[1:])
    assert [colours(hidden, top) for top in TOPS] == [{wanted}] * len(TOPS)
    assert all(len(colours(seen, top)) > 1 for top in TOPS)
    other, _, _ = on(work, first=PAGE.replace("secret-value-two", "another-value-2!"))
    assert read_picture(other) == read_picture(masked)
    assert colours(hidden, 160) != colours(seen, 160)
    assert colours(hidden, 240) == colours(seen, 240)
    assert len(colours(seen, 240)) > 1


def test_a_full_page_and_an_element_are_masked_too() -> None:
    """A field below the fold, and one inside the element that was asked for."""
    page = f"""{_STYLE}<div style="height:700px"></div>
      <div id=box style="position:absolute;top:500px;left:0;width:230px;height:60px">
      <input style="top:0" type=password value="secret-value-one"></div>"""

    async def work(page: Page) -> tuple[bytes, bytes]:
        await page.set_viewport_size({"width": 240, "height": 280})
        return await take_screenshot(page, full=True), await take_screenshot(page, selector="#box")

    full, part = map(pixels, on(work, first=page))
    wanted = {bytes.fromhex(COLOUR[1:])}
    assert len(full) >= 700
    assert colours(full, 500) == wanted
    assert colours(part, 0) == wanted
    assert len(part) == 60


def test_an_element_that_is_not_there_is_an_error_that_names_it() -> None:
    """And the page is left without marks."""
    with pytest.raises(BrowserError, match="'#nothing'"):
        on(lambda page: take_screenshot(page, selector="#nothing", timeout=1), first="<p>x</p>")
