"""Acting on an element by its ref in the newest snapshot: for trying things, never for nodes."""

from __future__ import annotations

from director.browser import BrowserError, Session

WAIT = 5_000


def is_ref(text: str) -> bool:
    """Whether a text is a ref such as "e12" or "f1e3"."""
    return text.startswith(("e", "f")) and text.replace("f", "").replace("e", "").isdigit()


async def act_on_ref(session: Session, action: str, ref: str, text: str = "") -> None:
    """Click, type into or wait for the element that has the ref in the active tab now."""
    found = session.page().locator(f"aria-ref={ref}")
    async with session.doing(f"{action} {ref}"):
        if not await found.count():
            raise BrowserError(f"There is no element {ref!r} on the page now: look at it again.")
        if action == "click":
            async with session.acting(session.page()):
                await found.click(timeout=WAIT)
        elif action == "type":
            await session.fill(found, text, within=WAIT)
        else:
            await found.wait_for(timeout=WAIT)
