"""What a node promises and what held before it acted as well: that shows nothing of what it did."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from playwright.async_api import Error as PlaywrightError

from director.browser import BrowserError, BrowserGone, Session
from director.browser.masks import MaskedPage
from director.browser.shown_fields import find_kept_fields
from director.runs.doubts.effects_done import list_typed
from director.runs.stage import Stage
from director.runs.values import Step
from director.workflow.values import Config, Node

# These ask for what came since the node began: they never held before.
OF_THE_NODE = ("status", "download")
# A number for what a page shows and what its fields hold, in every open shadow root.
DIGEST = """() => {
  let sum = 5381;
  const add = text => {
    for (let at = 0; at < text.length; at++) sum = (sum * 33 + text.charCodeAt(at)) % 9007199254740;
  };
  const states = ['aria-pressed', 'aria-checked', 'aria-expanded', 'aria-selected', 'disabled'];
  const walk = root => {
    add(root.body ? root.body.innerText : root.textContent || '');
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) walk(element.shadowRoot);
      if ('value' in element) add(`${element.value}${element.checked}`);
      for (const name of states) add(element.getAttribute(name) || '');
    }
  };
  walk(document);
  return sum;
}"""


@dataclass(frozen=True, slots=True)
class HeldBefore:
    """The promises of a node that held before it acted, and what its page showed then.

    `is_all` if there is no other promise: then what the page shows is compared afterwards. `fields`
    are those of its form that hold something that the run did not fill in.
    """

    conditions: tuple[Config, ...] = ()
    is_all: bool = False
    shown: tuple[str, ...] = ()
    fields: tuple[Config, ...] = ()

    def mark(self, evidence: Sequence[Config]) -> list[Config]:
        """The evidence, with `before` where it held before as well."""
        held = [_strip(each) for each in self.conditions]
        return [
            {**each, "before": True} if _strip(each["condition"]) in held else each
            for each in evidence
        ]


async def find_conditions_held_before(
    node: Node,
    look: Callable[[Sequence[Config]], Awaitable[list[Config]]],
    session: Callable[[], Awaitable[Session]],
) -> HeldBefore:
    """Which promises of a node that must happen once hold already, in one look."""
    if node.effect != "once" or node.type != "browser_action" or not node.ensures:
        return HeldBefore()
    held: list[Config] = []
    for condition in node.ensures:
        if not any(kind in condition for kind in OF_THE_NODE):
            (evidence,) = await look([{**condition, "within": 0}])
            held += [cast("Config", evidence["condition"])] if evidence["holds"] else []
    found = HeldBefore(tuple(held), is_all=len(held) == len(node.ensures))
    if not found.is_all:
        return found
    return replace(found, shown=await digest_page(await session()))


async def read_kept_fields(node: Node, done: Sequence[Step], stage: Stage) -> tuple[Config, ...]:
    """What else the form holds that an action sends: what the page filled in by itself.

    Of an action that must happen once, after texts and no secrets were typed on its page.
    """
    config = node.config
    if node.effect != "once" or config.get("action") not in ("click", "keypress"):
        return ()
    document = (await stage.page() or {}).get("document")
    here = [each.config for each in done if (each.page or {}).get("document") == document]
    typed = list_typed(here)
    if not typed or any("{{secret:" in str(each.get("text")) for each in here):
        return ()
    try:
        return tuple(await find_kept_fields(await stage.session(), typed))
    except BrowserGone:
        raise
    except (BrowserError, PlaywrightError):
        # A page that cannot be looked at holds nothing.
        return ()


async def digest_page(session: Session) -> tuple[str, ...]:
    """The address of the active tab and a number for all that its frames show."""
    page = session.page()

    async def look(_: MaskedPage) -> tuple[str, ...]:
        sums = [str(await frame.evaluate(DIGEST)) for frame in page.frames]
        return (page.url, *sums)

    try:
        return await session.look(page, look)
    except PlaywrightError:
        # It is going elsewhere.
        return ()


def _strip(condition: object) -> Config:
    """A condition without how long it is waited for."""
    named = condition if isinstance(condition, dict) else {}
    return {name: value for name, value in named.items() if name != "within"}
