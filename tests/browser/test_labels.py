"""A field is found by its label as a person says it, without the signs that a page puts after it."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from browser.bare import on
from director.browser.bundle import Bundle, LocatorError
from director.browser.locators import find_all_located, make_locator_bundle, resolve_locator
from director.browser.masks import MaskedPage

FORM = """<table><tr><th>Username</th></tr></table>
    <label for=user>Username:</label><input id=user>
    <label>Mail * <input id=mail></label><label>Mail (again): <input id=again></label>
    <label>City <input id=city></label><label>City: <input id=other></label>
    <label>Zip: <input id=zip></label><label>Zip * <input id=zap></label>"""


@pytest.mark.parametrize(
    ("selector", "meant"),
    [
        ({"label": "Username"}, "user"),
        ({"role": "textbox", "name": "Username"}, "user"),
        ({"label": "username :"}, "user"),
        ({"label": "Mail"}, "mail"),
        ({"label": "Mail (again)"}, "again"),
        ({"label": "City"}, "city"),
        ({"label": "City:"}, "other"),
    ],
)
def test_a_label_is_found_without_its_signs(selector: dict[str, str], meant: str) -> None:
    """Unless another field has just the words that were written."""

    async def work(page: Page) -> str | None:
        found = await resolve_locator(page, selector)
        assert found.disagreements == ()
        assert len(await find_all_located(MaskedPage(page), selector)) == 1
        return await found.locator.get_attribute("id")

    assert on(work, first=FORM) == meant


def test_of_two_labels_that_only_signs_tell_apart_none_is_chosen() -> None:
    """Neither is what was written."""

    async def work(page: Page) -> None:
        with pytest.raises(LocatorError, match="Zip"):
            await resolve_locator(page, {"role": "textbox", "name": "Zip"})

    on(work, first=FORM)


def test_a_bundle_of_a_page_is_read_as_it_is() -> None:
    """It knows what the page wrote."""

    async def work(page: Page) -> tuple[Bundle, str | None]:
        made = await make_locator_bundle(page, "#city")
        await page.evaluate("city.closest('label').remove()")
        try:
            found = await resolve_locator(page, made)
        except LocatorError:
            return made, None
        return made, await found.locator.get_attribute("id")

    made, found = on(work, first=FORM)
    assert (made.name, found) == ("City", None)
