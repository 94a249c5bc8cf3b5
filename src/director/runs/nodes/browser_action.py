"""browser_action: one thing done in the browser, on the active tab."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from director.browser import BrowserError, Session
from director.browser.actions import run_action
from director.browser.elements import Result
from director.browser.field_filling import find_references
from director.runs.questions import ask_secret_use_question
from director.runs.secret_uses import (
    ALLOW,
    SecretUse,
    describe_secret_use_bindings,
    get_refused_secret_use,
    is_secret_use_refused,
)
from director.secrets import FieldNotAllowed
from director.workflow.doubt_checks import DoubtKind
from director.workflow.templates import defuse_templates
from director.workflow.values import Config, Json

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit


async def execute(visit: NodeVisit) -> Json:
    """Do it; before a secret is first typed into a field that is not for one, a person is asked.

    So is one before the page sends a form by it, in a run that asks.
    """
    stage = visit.engine.stage
    session = await stage.session()
    if visit.may_send:
        await session.forms.let_go()
    else:
        await session.forms.hold(session.page().context)
    try:
        result = await _act(visit)
    except BrowserError:
        await _ask_for_form(visit, session)
        raise
    await _ask_for_form(visit, session)
    stage.check_reached()
    _list_bindings(visit)
    _doubt_as_before(visit, result)
    take_doubts(visit, result)
    # What was typed may name a secret, because the workflow says so; what a page says may not.
    kept = {name: result[name] for name in ("typed",) if name in result}
    return {**_defuse_result(result), **kept}


async def _act(visit: NodeVisit) -> Result:
    stage = visit.engine.stage
    allowed: set[SecretUse] = set()
    while True:
        try:
            return await run_action(await stage.session(), visit.config, stage.outside)
        except FieldNotAllowed as wanted:
            if get_refused_secret_use(wanted) in allowed:
                raise
            allowed.add(await _ask_for_secret_use(visit, get_refused_secret_use(wanted)))


async def _ask_for_form(visit: NodeVisit, session: Session) -> None:
    """Ask a person for the form that the page wanted to send; it was not sent."""
    engine = visit.engine
    if visit.may_send or engine.means.permit is None:
        return
    if form := await session.forms.take():
        # Nothing was sent: whoever resumes the run must not ask whether it was.
        visit.step = engine.ledger.begin(replace(visit.step, acted=False))
        engine.means.permit(visit.node, visit.config, form)


async def _ask_for_secret_use(visit: NodeVisit, use: SecretUse) -> SecretUse:
    """The use, once a person has allowed it; nothing was typed until then."""
    engine = visit.engine
    store = engine.ledger.store
    refused = visit.make_failure(
        f"{{{{secret:{use.secret}}}}} was not typed on {use.origin} into {use.field!r}: the user "
        "refused it. Only the user can lift that (director secret allow).",
        kind="secret",
    )
    if is_secret_use_refused(store, use):
        raise refused
    question = ask_secret_use_question(store, engine.ledger.run.id, use, await _picture(visit))
    # Nothing was done yet: whoever resumes the run must not ask whether it was.
    visit.step = engine.ledger.begin(replace(visit.step, acted=False))
    said = await engine.wait_for(question, visit.key)
    visit.step = engine.ledger.begin(replace(visit.step, acted=True))
    if said != ALLOW:
        raise refused
    return use


async def _picture(visit: NodeVisit) -> str:
    """The page as it is, with secrets hidden; none if none can be taken."""
    try:
        picture = await (await visit.engine.stage.session()).screenshot()
    except BrowserError:
        return ""
    return visit.engine.ledger.store.keep(picture)


def _list_bindings(visit: NodeVisit) -> None:
    """Tell once where a secret may be typed without a question."""
    named = find_references(str(visit.config.get("text", "")))
    engine = visit.engine
    told = [
        describe_secret_use_bindings(engine.ledger.store, one.name, engine.means.secrets)
        for one in named
    ]
    visit.step = replace(visit.step, warnings=(*visit.step.warnings, *filter(None, told)))


def _doubt_as_before(visit: NodeVisit, result: Result) -> None:
    """Add what the checks of a node ask for whose workflow was written for an earlier version."""
    alias, kinds = visit.node.alias, {str(check["kind"]) for check in visit.node.checks}
    several, doubt = result.get("actionableElements"), None
    if "several" in kinds and isinstance(several, int) and several > 1:
        said = f"{alias} took the first of {several} elements that fit."
        doubt = _doubt("several", said, fits=several)
    elif "focus" in kinds and "focused" in result:
        has = result["focused"]
        where = f"{has['role']} {has['name']!r}" if isinstance(has, Mapping) else "the page itself"
        said = f"{alias} pressed {result['pressed']} on what had the focus: {where}."
        doubt = _doubt("focus", said, focused=has)
    if doubt is not None:
        found = result.get("doubts")
        result["doubts"] = [*(found if isinstance(found, list) else []), doubt]


def _doubt(kind: DoubtKind, sentence: str, **evidence: Json) -> Json:
    return {"kind": kind, "sentence": sentence, "evidence": evidence}


def take_doubts(visit: NodeVisit, result: dict[str, Json]) -> None:
    """Move what is said of a result from it to the step: a text warns, an object doubts."""
    found = result.pop("doubts", None)
    said = found if isinstance(found, list) else []
    doubts = [cast("Config", defuse_templates(each)) for each in said if isinstance(each, Mapping)]
    told = [str(each) for each in said if not isinstance(each, Mapping)]
    step, notes = visit.step, result.pop("notes", None)
    visit.step = replace(
        step,
        warnings=(*step.warnings, *told),
        doubts=(*step.doubts, *doubts),
        notes=(*step.notes, *(map(str, notes) if isinstance(notes, list) else ())),
    )


def _defuse_result(result: dict[str, Json]) -> dict[str, Json]:
    return {name: defuse_templates(value) for name, value in result.items()}
