"""Elements for the verbs: from the selector in a config to what Playwright can act on.

Acting needs one element, found through the locators. Looking takes all that match.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from playwright.async_api import Locator

from director.browser.element_portraits import (
    Sight,
    evaluate_element_portraits,
    evaluate_portraits_by_frame,
)
from director.browser.locators import Found, find_all_located, resolve_locator
from director.browser.masks import MaskedPage
from director.browser.session import Session
from director.secrets.clear import MARK
from director.workflow.values import Config, Json

Result: TypeAlias = dict[str, Json]
TIMEOUT = 10_000
_HIDES_TEXT = "node => Boolean(globalThis.__directorMasks?.hidesText(node))"
# A drawing has no words of its own but those written into it.
_SHOWN_TEXT = "node => node instanceof HTMLElement ? node.innerText : node.textContent"
_HIDES_VALUE = "node => Boolean(globalThis.__directorMasks?.hidesValue(node))"


async def find_one_element(session: Session, config: Config, field: str = "selector") -> Found:
    """The one element that a config means, once it is there."""
    nth = config.get("nth") if field == "selector" else None
    return await resolve_locator(
        session.page(),
        config[field],
        nth=nth if isinstance(nth, int | str) else None,
        first=config.get("first") is True,
        visible_only=config.get("visibleOnly") is not False,
        in_viewport_only=config.get("inViewportOnly") is True,
        timeout=read_config_number(config, "timeout", TIMEOUT),
        looks=session.look,
    )


@dataclass(frozen=True, slots=True)
class Matches:
    """All elements that a selector fits, to be used within the same look only."""

    sights: tuple[Sight, ...]

    def __len__(self) -> int:
        return len(self.sights)

    def visible(self) -> Matches:
        """Those that can be seen."""
        return Matches(tuple(sight for sight in self.sights if sight.portrait.visible))

    def locator(self, index: int = 0) -> Locator:
        """One of them."""
        return self.sights[index].locator(exact=False)

    async def evaluate_by_frame(self, function: str, given: Json = None) -> list[Json]:
        """What a function gives for the elements of each frame."""
        return await evaluate_portraits_by_frame(self.sights, function, given)

    async def evaluate_all(self, function: str, given: Json = None) -> list[Json]:
        """What a function gives that takes the elements of one frame, for all frames in turn."""
        return await evaluate_element_portraits(self.sights, function, given)


async def find_matching_elements(seen: MaskedPage, selector: Json) -> Matches:
    """Every element that fits a selector now, as CSS or as a bundle."""
    return Matches(tuple(await find_all_located(seen, selector)))


async def read_element_text(locator: Locator, *, timeout: float = TIMEOUT) -> str:
    """What an element shows; nothing if that cannot be masked."""
    if await locator.evaluate(_HIDES_TEXT, timeout=timeout):
        return MARK
    return str(await locator.evaluate(_SHOWN_TEXT, timeout=timeout))


async def read_element_value(locator: Locator, *, timeout: float = TIMEOUT) -> str | None:
    """What is in a field; None if it is a secret, whichever."""
    if await locator.evaluate(_HIDES_VALUE, timeout=timeout):
        return None
    return await locator.input_value(timeout=timeout)


def read_config_number(config: Config, name: str, otherwise: int) -> int:
    """A whole number of a config."""
    value = config.get(name)
    return value if isinstance(value, int) else otherwise
