"""What has no box of its own, such as a row of some grids, is seen by what stands in it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page

from browser.bare import on
from director.browser.bundle import LocatorError
from director.browser.locators import find_all_located, resolve_locator
from director.browser.masks import MaskedPage

GRID = """<style>.grid { display: grid; grid-template-columns: 8em 8em } .row { display: contents }</style>
    <div class=grid role=grid>
      <div class=row role=row><div role=gridcell>Ada</div><div role=gridcell>3</div></div>
      <div class=row role=row><div role=gridcell>Ben</div><div role=gridcell>4</div></div>
      <div class=row role=row hidden><div role=gridcell>Cy</div></div>
    </div>
    <p style="display: none"><span id=in style="display: contents">text</span></p>
    <p><span id=bare style="display: contents">text</span></p>
    <p><span id=none style="display: contents"><b style="visibility: hidden">text</b></span></p>"""


def test_rows_without_a_box_are_seen() -> None:
    """By their cells; a row that is hidden is not."""

    async def work(page: Page) -> list[Any]:
        rows = await find_all_located(MaskedPage(page), ".row")
        return [(each.portrait.visible, each.portrait.in_view) for each in rows]

    seen = on(work, first=GRID.replace("row hidden", "row style='display: none'"))
    assert seen == [(True, True), (True, True), (False, False)]


@pytest.mark.parametrize(("css", "found"), [("#bare", 1), ("#in", 0), ("#none", 0)])
def test_a_text_without_a_box_is_seen_where_it_is_drawn(css: str, found: int) -> None:
    """Not in what is hidden."""

    async def work(page: Page) -> int:
        try:
            return (await resolve_locator(page, css)).actionable
        except LocatorError:
            return 0

    assert on(work, first=GRID) == found
