"""What is alike is not the same: a bundle whose element has gone or moved on means no other."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from browser.bare import on
from director.browser.bundle import LocatorError
from director.browser.locators import make_locator_bundle, resolve_locator

_ICON = "<button type='button' class='ButtonBase-root {0}'><svg viewBox='0 0 9 9' width='9' height='9'></svg></button>"
STYLED = (
    f"<header><b>Host</b> {_ICON.format('IconButton-root')} <b>Status</b></header>"
    "<main><h1>New test</h1><form><label>Users <input></label><h3 id='h'>More</h3></form></main>"
    "<script>document.querySelector('button').addEventListener('click', () => {})</script>"
)
_STYLED_AGAIN = """() => {
  const old = document.querySelector('header button'), other = old.cloneNode(true);
  old.remove();
  other.setAttribute('class', 'ButtonBase-root Summary-root');
  document.querySelector('#h').append(other);
  other.addEventListener('click', () => {});
}"""
NUMBERED = "<main><h1>History</h1><ul>" + "".join(
    f"<li><a href='/c{n}'><span class='line'>Add file {n}</span></a> <i>Ada</i> <i>{n} minutes ago</i></li>"
    for n in range(1, 9)
)
_RENUMBERED = """() => document.querySelectorAll('.line').forEach((each, at) => {
  each.textContent = 'Add file ' + ((at + 3) % 8 + 1);
})"""
VERSIONS = "<main><h1>Plugins</h1>" + "".join(
    f"<section><h2>{name}</h2><div><div class='v'>STABLE5</div></div><p>{name} for all</p></section>"
    for name in ("Core", "Comments", "Ribbon", "Help")
)
_ONE_LESS = """() => {
  document.querySelectorAll('section')[1].remove();
  document.querySelectorAll('.v').forEach((each) => { each.className = 'w'; });
}"""


@pytest.mark.parametrize(
    ("page", "css", "change"),
    [
        (STYLED, "header button", _STYLED_AGAIN),
        (NUMBERED, "li:nth-child(4) span", _RENUMBERED),
        (VERSIONS, "section:nth-of-type(2) .v", _ONE_LESS),
    ],
    ids=["named by its classes", "told by a number", "a text that others say"],
)
def test_what_is_alike_is_not_taken_for_what_has_gone(page: str, css: str, change: str) -> None:
    """It is found in the same document, and afterwards only where it is that very element."""

    async def go(shown: Page) -> int | None:
        meant = shown.locator(css)
        await meant.evaluate("element => { element.__truth = 1 }")
        bundle = await make_locator_bundle(shown, meant)
        assert await (await resolve_locator(shown, bundle)).locator.evaluate(
            "element => element.__truth"
        )
        await shown.evaluate(change)
        try:
            found = (await resolve_locator(shown, bundle)).locator
        except LocatorError:
            return None
        return int(await found.evaluate("element => element.__truth ?? -1"))

    assert on(go, page=page) in (None, 1)
