"""What names an element: its role, label, test id, id and name, so that no selector is guessed.

What is told can be copied into a node as it stands. Nothing that somebody typed is part of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator

from director.browser import BrowserError, Session
from director.browser.bundle import Bundle, LocatorError
from director.browser.locators import make_locator_bundle
from director.browser.masks import MaskedPage
from director.sections.value_text import write_compact_value
from director.workflow.values import Json

if TYPE_CHECKING:
    from director.agent.agent_session import AgentSession

MOST = 6
_WAIT = 2_000
# Read through the prototypes: a form may hold a field that is called "id" or "classList".
_CHAIN = """element => {
  const get = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
  const classes = get(Element, "classList"), parent = get(Node, "parentElement");
  const read = Element.prototype.getAttribute;
  const plain = /^[A-Za-z][A-Za-z_-]{1,30}$/, found = [];
  for (let one = element; one && found.length < 4; one = parent.call(one)) {
    const tag = get(Element, "localName").call(one);
    if (tag === "main" || tag === "body") break;
    const test = read.call(one, "data-testid");
    const own = [...classes.call(one)].filter(name => plain.test(name)).slice(0, 2);
    const css = test && plain.test(test) ? `[data-testid=${test}]` : [tag, ...own].join(".");
    found.unshift(css);
  }
  return found;
}"""
_REF = re.compile(r"^\s*-\s+(\w+).*\[ref=(\w+)\]", re.MULTILINE)
_ACTS = frozenset(
    "button link textbox searchbox checkbox radio combobox listbox option menuitem tab switch "
    "slider spinbutton".split()
)
_WORDS = ("role", "name", "label", "test_id")
_OTHERWISE = ("css", "text", "path")
_ATTRIBUTES = ("id", "name", "placeholder", "href", "type")


async def name_elements(desk: AgentSession, shown: str, tab: str = "") -> str:
    """What names the elements of some lines of an outline, a line each; empty if there are none."""
    found = _REF.findall(shown)
    refs = [ref for role, ref in found if role in _ACTS][:MOST] or [ref for _, ref in found][-1:]
    session = await desk.bench.session()
    named = {ref: await find_element_name(session, tab, ref) for ref in dict.fromkeys(refs)}
    lines = [f"\n{ref}: {write_compact_value(bundle)}" for ref, bundle in named.items() if bundle]
    if not lines:
        return ""
    chain = await _describe_chain(session, tab, refs[-1])
    return f"\nAs selectors of nodes:{''.join(lines)}{chain}"


async def _describe_chain(session: Session, tab: str, ref: str) -> str:
    """What an element stands in, as CSS with how many there are: what an extraction is made of."""
    page = session.page(tab or None)

    async def look(seen: MaskedPage) -> str:
        handle = await page.locator(f"aria-ref={ref}").element_handle(timeout=_WAIT)
        found: list[str] = await handle.evaluate(_CHAIN)
        frame = await handle.owner_frame() or page.main_frame
        await handle.dispose()
        # Counted as a node counts them, also in shadow roots.
        many = [await frame.locator(f"css={css}").count() for css in found]
        counted = zip(found, many, strict=True)
        return seen.clean(" > ".join(f"{css} ({count} of it)" for css, count in counted))

    try:
        async with session.doing("see what an element stands in"):
            found = " ".join((await session.look(page, look)).split())
    except (BrowserError, LocatorError, PlaywrightError):
        return ""
    return f"\n{ref} stands in, as CSS: {found}" if found else ""


async def find_element_name(session: Session, tab: str, element: str | Locator) -> Json:
    """What names one element, as a selector; None if it cannot be told."""
    page = session.page(tab or None)

    async def look(seen: MaskedPage) -> Bundle:
        return await make_locator_bundle(page, element, clean=seen.clean)

    try:
        async with session.doing("see what names an element"):
            return _names(await session.look(page, look))
    except (BrowserError, LocatorError, PlaywrightError):
        return None


def _names(bundle: Bundle) -> dict[str, Json]:
    """The keys that a person would choose; the way by CSS only where nothing else is there."""
    told: dict[str, Json] = {key: getattr(bundle, key) for key in _WORDS if getattr(bundle, key)}
    own: dict[str, Json] = {k: bundle.attributes[k] for k in _ATTRIBUTES if k in bundle.attributes}
    if own:
        told["attributes"] = own
    if not {"name", "label", "test_id"} & told.keys():
        ways = {key: getattr(bundle, key) for key in _OTHERWISE if getattr(bundle, key)}
        told |= dict([*ways.items()][:1])
    return told
