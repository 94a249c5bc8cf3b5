"""Elements for the verbs: from the selector in a config to what Playwright can act on.

Acting needs one element, found through the locators. Looking takes all that match.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from playwright.async_api import Locator, Page

from director.browser.bundle import LocatorError, selector_of
from director.browser.locators import Found, resolve
from director.browser.masks import REFUSED, MaskedPage
from director.browser.session import Session
from director.secrets.clear import MARK
from director.workflow.values import Config, Json

T = TypeVar("T")
TIMEOUT = 10_000
_HIDES_TEXT = "node => Boolean(globalThis.__directorMasks?.hidesText(node))"
_HIDES_VALUE = "node => Boolean(globalThis.__directorMasks?.hidesValue(node))"


async def one(session: Session, config: Config, field: str = "selector") -> Found:
    """The one element that a config means, once it is there."""
    nth = config.get("nth") if field == "selector" else None
    return await resolve(
        session.page(),
        config[field],
        nth=nth if isinstance(nth, int | str) else None,
        visible_only=config.get("visibleOnly") is not False,
        in_viewport_only=config.get("inViewportOnly") is True,
        timeout=number(config, "timeout", TIMEOUT),
        looks=session.look,
    )


async def matching(seen: MaskedPage, selector: Json) -> Locator:
    """Every element that a selector matches now; a bundle matches one or none.

    It is to be used within the same look only: afterwards it could mean something else.
    """
    wanted = selector_of(selector)
    if isinstance(wanted, str):
        seen.check_selector(wanted)
        return seen.page.locator(f"css={wanted}")

    async def again(_: Page, look: Callable[[MaskedPage], Awaitable[T]], /) -> T:
        return await look(seen)

    try:
        return (await resolve(seen.page, wanted, visible_only=False, looks=again)).locator
    except LocatorError as problem:
        if REFUSED in str(problem):
            raise
        return seen.page.locator("css=:not(*)")


async def text_of(locator: Locator, *, timeout: float = TIMEOUT) -> str:  # noqa: ASYNC109
    """What an element shows; nothing if that cannot be masked."""
    if await locator.evaluate(_HIDES_TEXT, timeout=timeout):
        return MARK
    return await locator.inner_text(timeout=timeout)


async def value_of(locator: Locator, *, timeout: float = TIMEOUT) -> str | None:  # noqa: ASYNC109
    """What is in a field; None if it is a secret, whichever."""
    if await locator.evaluate(_HIDES_VALUE, timeout=timeout):
        return None
    return await locator.input_value(timeout=timeout)


def number(config: Config, name: str, otherwise: int) -> int:
    """A whole number of a config."""
    value = config.get(name)
    return value if isinstance(value, int) else otherwise
