"""Whether a node that must happen once has happened: after a crash, or before it was ever tried.

Its proof is looked at in a session beside the run's own. Without proof either way a person is
asked. A node that must happen once is never repeated on a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, cast

from director.runs.nodes import CONTROL
from director.runs.proof_before import has_arrived, skip_if_proven
from director.runs.questions import asked
from director.runs.values import Step
from director.workflow.templates import resolve
from director.workflow.values import Config

if TYPE_CHECKING:
    from director.runs.engine import Visit

YES, NO, STOP = "it happened", "it did not happen", "stop"


async def happened_before(visit: Visit) -> Step | None:
    """The finished step, if this node has had its effect already; None to do it now."""
    known = visit.step
    if known.effect != "once" or visit.node.type in CONTROL:
        return None
    if not (known.version > 0 and known.acted):
        return await skip_if_proven(visit)
    verdict, evidence = await _proved(visit)
    if verdict == "unknown":
        verdict, evidence = await _told_by_a_person(visit, evidence)
    if verdict == "not_happened":
        return None
    return replace(
        known,
        state="finished",
        status="success",
        error="",
        error_kind="",
        result={"recovered": True, "arrived": await has_arrived(visit)},
        evidence=(*known.evidence, *evidence),
    )


_Verdict = tuple[Literal["happened", "not_happened", "unknown"], list[Config]]


async def _proved(visit: Visit) -> _Verdict:
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
            await session.navigate(str(resolve(proof["url"], scope, address=True)))
        for verdict, conditions in (("happened", happened), ("not_happened", not_happened)):
            found = await engine.checked(conditions, visit.place, mark=0, session=session)
            seen += found
            if conditions and all(each["holds"] for each in found):
                return cast("Literal['happened', 'not_happened']", verdict), found
    return "unknown", seen


async def _told_by_a_person(visit: Visit, seen: list[Config]) -> _Verdict:
    engine, node = visit.engine, visit.node
    looked = f" Its proof shows neither: {seen}." if seen else ""
    question = asked(
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
        raise visit.failed("Stopped by a person: nobody knows whether it happened.", kind="stopped")
    evidence: list[Config] = [*seen, {"said": said, "question": question.id, "holds": said == YES}]
    return ("happened" if said == YES else "not_happened"), evidence
