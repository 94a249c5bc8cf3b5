"""context: sets variables of the run, to values or to what a person answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from director.runs.questions import asked
from director.workflow.values import Json

if TYPE_CHECKING:
    from director.runs.engine import Visit


async def execute(visit: Visit) -> Json:
    """Set them; what is sensitive is hidden before it is stored anywhere."""
    engine = visit.engine
    given, questions = visit.config.get("variables"), visit.config.get("ask")
    found: dict[str, Json] = dict(given) if isinstance(given, Mapping) else {}
    for name, text in questions.items() if isinstance(questions, Mapping) else ():
        key = f"{visit.key}:{name}#{visit.step.attempt}"
        question = asked(engine.ledger.store, engine.ledger.run.id, key, text=str(text), choices=())
        found[name] = await engine.wait_for(question, visit.key)
    for name, value in found.items():
        visit.values[name] = engine.means.hide(name, value)
    return {"success": True, "message": f"Set {', '.join(found)}.", "stored": list(found)}
