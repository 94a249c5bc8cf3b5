"""Refs of the newest snapshot: to act on an element at once, and to name it in a node for good.

A node never keeps a ref. One that is given as a selector becomes the bundle of its element, which
is tried on the page before it is kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from director.browser import BrowserError, Session
from director.browser.bundle import LocatorError
from director.browser.descriptions import describe_ref
from director.browser.locators import count_located, is_ref
from director.workflow.paths import is_list
from director.workflow.values import Json, WorkflowError

WAIT = 5_000
_NAMES = ("selector", "to", "container", "element", "count", "next", "total")


def find_snapshot_refs(given: object) -> list[str]:
    """The refs that stand where a selector does, anywhere in what a node is made of."""
    if isinstance(given, Mapping):
        own = [each for name, each in given.items() if name in _NAMES and _is_ref(each)]
        return [*own, *(ref for each in given.values() for ref in find_snapshot_refs(each))]
    return [ref for each in given for ref in find_snapshot_refs(each)] if is_list(given) else []


async def bind_snapshot_refs(session: Session, given: Json) -> Json:
    """The same with the bundle of its element in the place of each ref, tried on the page."""
    made = {ref: await _bundle(session, ref) for ref in dict.fromkeys(find_snapshot_refs(given))}

    def bind(value: Json) -> Json:
        if isinstance(value, Mapping):
            return {
                name: made[str(each)] if name in _NAMES and _is_ref(each) else bind(each)
                for name, each in value.items()
            }
        return [bind(each) for each in value] if is_list(value) else value

    return bind(given)


async def _bundle(session: Session, ref: str) -> Json:
    try:
        return (await describe_ref(session.page(), ref, session.look)).bundle.json()
    except LocatorError as problem:
        raise WorkflowError(f"The ref {ref!r} cannot be a selector. {problem}") from None


def _is_ref(value: object) -> bool:
    return isinstance(value, str) and is_ref(value)


async def act_on_snapshot_ref(session: Session, action: str, ref: str, text: str = "") -> None:
    """Click, type into or wait for the element that has the ref in the active tab now."""
    found = session.page().locator(f"aria-ref={ref}")
    async with session.doing(f"{action} {ref}"):
        if not await count_located(found):
            raise BrowserError(f"There is no element {ref!r} on the page now: look at it again.")
        if action == "click":
            async with session.acting(session.page()):
                await found.click(timeout=WAIT)
        elif action == "type":
            await session.fill(found, text, within=WAIT)
        else:
            await found.wait_for(timeout=WAIT)
