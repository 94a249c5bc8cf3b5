"""Whether a node that must happen once has happened: after a crash, or before it was ever tried.

Its proof is looked at in a session beside the run's own. Without proof either way a person is
asked. A node that must happen once is never repeated on a guess. One whose proof holds before it
was tried is skipped: what is there would be there twice. A doubt says so; a person who dismisses
it for good says that skipping is right.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, cast

from playwright.async_api import Error as PlaywrightError

from director.browser import BrowserError
from director.browser.bundle import LocatorError
from director.browser.readiness import wait_until_ready
from director.runs.held_before import OF_THE_NODE
from director.runs.nodes import CONTROL
from director.runs.own_conditions import is_own_condition
from director.runs.questions import ensure_question
from director.runs.run_text import write_condition_text
from director.runs.values import RunError, Step
from director.workflow.templates import defuse_templates, resolve_templates
from director.workflow.values import Config, Node

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit

_OPENS = ("navigate", "openNewTab", "switchTab", "loadProfile")
_SHOWS = 2_000  # milliseconds for a page to show what a node promised
_ALREADY = "already"
_UNSEEN = (BrowserError, LocatorError, PlaywrightError, RunError)
YES, NO, STOP = "it happened", "it did not happen", "stop"


async def find_earlier_effect(visit: NodeVisit) -> Step | None:
    """The finished step, if this node has had its effect already; None to do it now."""
    known = visit.step
    if known.effect != "once" or visit.node.type in CONTROL:
        return None
    if not (known.version > 0 and known.acted):
        return await _skip_if_proven(visit)
    verdict, evidence = await _check_proof(visit)
    if verdict == "unknown":
        verdict, evidence = await _ask_person(visit, evidence)
    if verdict == "not_happened":
        return None
    return replace(
        known,
        state="finished",
        status="success",
        error="",
        error_kind="",
        result={"recovered": True, **({"elsewhere": True} if await _is_elsewhere(visit) else {})},
        evidence=(*known.evidence, *evidence),
    )


async def _is_elsewhere(visit: NodeVisit) -> bool:
    """Whether the browser is not where the node left it: its promises do not hold there."""
    asked = [
        {**each, "within": _SHOWS}
        for each in visit.node.ensures
        if not is_own_condition(each) and not any(kind in each for kind in OF_THE_NODE)
    ]
    if visit.node.type != "browser_action" or not asked:
        return False
    found = await visit.engine.check_conditions(asked, visit.place, mark=0)
    return not all(each["holds"] for each in found)


def refuse_lost_page(visit: NodeVisit) -> None:
    """Fail a node that would look at a page which a node that is known to have happened left."""
    acts = [
        each
        for each in visit.engine.ledger.steps()
        if each.type == "browser_action" and each.state == "finished"
    ]
    last = max(acts, key=lambda each: each.began, default=None)
    result = last.result if last and isinstance(last.result, Mapping) else {}
    if last is None or not result.get("elsewhere") or visit.config.get("action") in _OPENS:
        return
    outer = visit.engine.nodes[visit.key.partition(".")[0].partition("[")[0].partition("(")[0]]
    raise visit.make_failure(
        f"{last.alias} happened before the run was interrupted, and the page that it led to is "
        f"gone: {visit.node.alias} would look at the page before it. Nothing was read. If the "
        f"nodes before {last.alias} look first whether it is there, go on with: director runs "
        f"retry {visit.engine.ledger.run.id} {outer.alias}",
        kind="elsewhere",
    )


_Verdict = tuple[Literal["happened", "not_happened", "unknown"], list[Config]]


async def _check_proof(visit: NodeVisit) -> _Verdict:
    node, proof = visit.node, visit.node.proof or {}
    happened = cast("Sequence[Config]", proof.get("happened") or node.ensures)
    not_happened = cast("Sequence[Config]", proof.get("not_happened") or ())
    seen: list[Config] = []
    if not happened and not not_happened:
        return "unknown", seen
    engine = visit.engine
    async with engine.stage.aside() as session:
        if proof.get("url"):
            scope = engine.ledger.scope(visit.place, engine.means.env)
            await session.navigate(str(resolve_templates(proof["url"], scope, within="address")))
        for verdict, conditions in (("happened", happened), ("not_happened", not_happened)):
            found = await engine.check_conditions(conditions, visit.place, mark=0, session=session)
            seen += found
            if conditions and all(each["holds"] for each in found):
                return cast("Literal['happened', 'not_happened']", verdict), found
    return "unknown", seen


async def _ask_person(visit: NodeVisit, seen: list[Config]) -> _Verdict:
    engine, node = visit.engine, visit.node
    looked = f" Its proof shows neither: {seen}." if seen else ""
    question = ensure_question(
        engine.ledger.store,
        engine.ledger.run.id,
        f"{visit.key}#{visit.step.version}",
        text=(
            f"The run stopped in the middle of {node.alias!r}, which must happen only once."
            f"{looked} Did it happen?"
        ),
        choices=(YES, NO, STOP),
    )
    said = await engine.wait_for(question, visit.key)
    if said == STOP:
        raise visit.make_failure(
            "Stopped by a person: nobody knows whether it happened.", kind="stopped"
        )
    evidence: list[Config] = [*seen, {"said": said, "question": question.id, "holds": said == YES}]
    return ("happened" if said == YES else "not_happened"), evidence


async def _skip_if_proven(visit: NodeVisit) -> Step | None:
    """The finished step with a doubt, if its proof holds before it was tried; None to do it."""
    node = visit.node
    if visit.step.acted or not _is_asked_for(node):
        return None
    try:
        url, seen = await _look_before(visit)
    except _UNSEEN:
        # A page that cannot be looked at says nothing.
        return None
    if not seen or not all(each["holds"] for each in seen):
        return None
    found = "; ".join(write_condition_text(cast("Config", each["condition"])) for each in seen)
    sentence = (
        f"{node.alias} was not done: its proof held already before it ({found}, on {url}). Either "
        "it was done before, or the proof also fits something else. If it is to be done all the "
        "same, let the proof name what only the new entry has, or remove it."
    )
    doubt: Config = {
        "kind": _ALREADY,
        "sentence": sentence,
        "evidence": {"url": url, "held": found},
    }
    return replace(
        visit.step,
        state="finished",
        status="skipped",
        began=time.time(),
        result={_ALREADY: True},
        evidence=tuple(seen),
        doubts=(cast("Config", defuse_templates(doubt)),),
    )


def _is_asked_for(node: Node) -> bool:
    """Whether a node that must happen once has a proof with an address."""
    proof = node.proof or {}
    once = node.type == "browser_action" and node.effect == "once"
    return once and bool(proof.get("url") and proof.get("happened"))


async def _look_before(visit: NodeVisit) -> tuple[str, list[Config]]:
    engine, proof = visit.engine, visit.node.proof or {}
    scope = engine.ledger.scope(visit.place, engine.means.env)
    url = str(resolve_templates(proof["url"], scope, within="address"))
    wanted = cast("Sequence[Config]", proof["happened"])
    async with engine.stage.aside() as session:
        await session.navigate(url)
        await wait_until_ready(session.page(), session.pending)
        now = [{**each, "within": 0} for each in wanted]
        return url, await engine.check_conditions(now, visit.place, mark=0, session=session)
