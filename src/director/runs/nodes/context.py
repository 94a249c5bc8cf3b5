"""context: sets variables of the run, to values or to what a person answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from director.runs.questions import ensure_question
from director.workflow.sensitive import is_sensitive, refuse_sensitive
from director.workflow.values import Json

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit


async def execute(visit: NodeVisit) -> Json:
    """Set them; what is sensitive is hidden before it is stored anywhere."""
    engine = visit.engine
    given, questions = visit.config.get("variables"), visit.config.get("ask")
    written = visit.node.config.get("variables")
    for name, value in given.items() if isinstance(given, Mapping) else ():
        if engine.means.permit and isinstance(written, Mapping) and written.get(name) == value:
            # A model runs it, and wrote it out.
            refuse_sensitive(name, value)
        visit.values[name] = engine.means.hide(name, value)
    for name, text in questions.items() if isinstance(questions, Mapping) else ():
        visit.values[name] = await _ask_person(visit, name, str(text))
    names = list(visit.values)
    return {"success": True, "message": f"Set {', '.join(names)}.", "stored": list(names)}


async def _ask_person(visit: NodeVisit, name: str, text: str) -> Json:
    """What a person answers; a secret, by the words of its name or of the question, is hidden."""
    engine = visit.engine
    secret = is_sensitive(name) or is_sensitive(text)
    question = ensure_question(
        engine.ledger.store,
        engine.ledger.run.id,
        f"{visit.key}:{name}#{visit.step.attempt}",
        text=text,
        secret=secret,
    )
    said = await engine.wait_for(question, visit.key)
    return engine.means.hide(f"{name}_secret" if secret and not is_sensitive(name) else name, said)
