"""The proof of a node that must happen once, looked at before it is done for the first time.

If it holds already, the node is not done: what is there would be there twice. A doubt says so, and
a person who dismisses it for good has the node done all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from playwright.async_api import Error as PlaywrightError

from director.browser import BrowserError
from director.browser.bundle import LocatorError
from director.browser.readiness import wait_until_ready
from director.runs.telling import condition_text
from director.runs.values import RunError, Step
from director.workflow.doubt_checks import is_by_model
from director.workflow.templates import defused, resolve
from director.workflow.values import Config, Node

if TYPE_CHECKING:
    from director.runs.engine import Visit

KIND = "already"
_UNSEEN = (BrowserError, LocatorError, PlaywrightError, RunError)


async def skip_if_proven(visit: Visit) -> Step | None:
    """The finished step with a doubt, if its proof holds before it was tried; None to do it."""
    node = visit.node
    if visit.step.acted or not _is_asked_for(node):
        return None
    try:
        url, seen = await _look(visit)
    except _UNSEEN:
        # A page that cannot be looked at says nothing.
        return None
    if not seen or not all(each["holds"] for each in seen):
        return None
    found = "; ".join(condition_text(cast("Config", each["condition"])) for each in seen)
    sentence = (
        f"{node.alias} was not done: its proof held already before it ({found}, on {url}). Either "
        "it was done before, or the proof also fits something else. If it is to be done all the "
        f"same, dismiss this doubt ({KIND}) for good."
    )
    doubt: Config = {"kind": KIND, "sentence": sentence, "evidence": {"url": url, "held": found}}
    return replace(
        visit.step,
        state="finished",
        status="success",
        result={KIND: True},
        evidence=tuple(seen),
        doubts=(cast("Config", defused(doubt)),),
    )


def _is_asked_for(node: Node) -> bool:
    """Whether a node has a proof with an address, and no person said to do it in any case."""
    proof = node.proof or {}
    dismissed = any(
        check.get("kind") == KIND and check.get("dismissed") and not is_by_model(check)
        for check in node.checks
    )
    once = node.type == "browser_action" and node.effect == "once"
    return once and bool(proof.get("url") and proof.get("happened")) and not dismissed


async def _look(visit: Visit) -> tuple[str, list[Config]]:
    engine, proof = visit.engine, visit.node.proof or {}
    scope = engine.ledger.scope(visit.place, engine.means.env)
    url = str(resolve(proof["url"], scope, address=True))
    wanted = cast("Sequence[Config]", proof["happened"])
    async with engine.stage.aside() as session:
        await session.navigate(url)
        await wait_until_ready(session.page(), session.pending)
        now = [{**each, "within": 0} for each in wanted]
        return url, await engine.checked(now, visit.place, mark=0, session=session)
