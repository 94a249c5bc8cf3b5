"""Elements for the verbs: from the selector in a config to what Playwright can act on.

Acting needs one element, found through the locators. Looking takes all that match.
"""

from __future__ import annotations

from playwright.async_api import Locator, Page

from director.browser.bundle import LocatorError, selector_of
from director.browser.locators import Found, resolve
from director.browser.session import Session
from director.workflow.values import Config, Json

TIMEOUT = 10_000


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
    )


async def matching(page: Page, selector: Json) -> Locator:
    """Every element that a selector matches now; a bundle matches one or none."""
    wanted = selector_of(selector)
    if isinstance(wanted, str):
        return page.locator(f"css={wanted}")
    try:
        return (await resolve(page, wanted, visible_only=False)).locator
    except LocatorError:
        return page.locator("css=:not(*)")


def number(config: Config, name: str, otherwise: int) -> int:
    """A whole number of a config."""
    value = config.get(name)
    return value if isinstance(value, int) else otherwise
