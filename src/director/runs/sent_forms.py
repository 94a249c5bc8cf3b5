"""What is said of the forms that an action sent, and of the tabs that the page opened.

A login is noted, any other form is warned of.

Only words: which forms may be sent at all is decided before, and a login is no exception to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast
from urllib.parse import unquote_plus, urlsplit

from director.browser import BrowserError, Session
from director.browser.session_events import Event, OutgoingRequest
from director.runs.filled_fields import list_unseen_filled_fields
from director.runs.values import Step
from director.workflow.paths import is_list
from director.workflow.templates import defuse_templates
from director.workflow.values import Json

_SENDS = ("click", "keypress")
_FILLS = ("type", "set", "select", "check", "upload")
_FEW = 3  # fields of a login that are filled: a name, a password, perhaps a box


def describe_sent_forms(step: Step, steps: Sequence[Step], session: Session, mark: int) -> Step:
    """A step of an action with what is to be said of the forms that were sent since a mark.

    A login can be sent again as it is. Any other form is warned of if its effect is not `once`.
    """
    sent = [each for each in session.events(mark) if each.kind == "form"]
    if step.effect == "once" and (unseen := list_unseen_filled_fields(step)):
        said = f"Not seen again on the page after it was sent: {', '.join(unseen)}."
        return replace(step, notes=(*step.notes, said))
    if not sent or step.effect == "once":
        return step
    if _is_login(step, steps, session, sent=sent, mark=mark):
        note = f"A login was sent ({sent[0].text}): a form with a secret of this origin."
        return replace(step, notes=(*step.notes, note))
    told = [
        f"A form was sent ({each.text}) while this was done, and its effect is {step.effect!r}: it "
        "would be sent again. If that cannot be undone, set the effect to 'once'."
        for each in sent
    ]
    return replace(step, warnings=(*step.warnings, *told))


def describe_sent_tabs(step: Step, steps: Sequence[Step], session: Session) -> Step:
    """A step with the tabs that the page opened by itself and of which no earlier step told.

    One that comes late is told with the next action.
    """
    known = {name for each in steps if each.key != step.key for name in _list_opened(each)}
    came = dict.fromkeys(each.tab for each in session.events() if each.kind == "popup")
    names = [name for name in came if name not in known and _has_tab(session, name)]
    if not names or not isinstance(step.result, Mapping):
        return step
    opened = [{"tab": name, "url": session.net.clean(session.page(name).url)} for name in names]
    hint = "The nodes go on in the old one: switchTab works in it, closeTab closes it."
    notes = [f"A new tab {each['tab']!r} was opened ({each['url']}). {hint}" for each in opened]
    result = {**step.result, "opened": defuse_templates(cast("Json", opened))}
    return replace(step, result=result, notes=(*step.notes, *notes))


def _has_tab(session: Session, name: str) -> bool:
    try:
        return not session.page(name).is_closed()
    except BrowserError:
        # It was closed meanwhile.
        return False


def _list_opened(step: Step) -> list[str]:
    found = step.result.get("opened") if isinstance(step.result, Mapping) else None
    told = found if is_list(found) else ()
    return [str(each["tab"]) for each in told if isinstance(each, Mapping)]


def _is_login(
    step: Step, steps: Sequence[Step], session: Session, *, sent: Sequence[Event], mark: int
) -> bool:
    """Whether the only form that a click or key sent holds the one secret that was typed there.

    The secret was typed by this run into the page that the form is of, and stays at its origin.
    """
    forms = [each for each in session.sendings(mark) if each.is_page]
    if len(sent) != 1 or len(forms) != 1 or step.config.get("action") not in _SENDS:
        return False
    before = step.before or {}
    filled = [
        each
        for each in steps
        if each.state == "finished"
        and each.config.get("action") in _FILLS
        and (each.page or {}).get("document") == before.get("document")
    ]
    secrets = [each for each in filled if "{{secret:" in str(each.config.get("text"))]
    stays = _origin_of(forms[0].url) == _origin_of(str(before.get("url", "")))
    return stays and len(secrets) == 1 and len(filled) <= _FEW and _holds_secret(session, forms[0])


def _origin_of(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def _holds_secret(session: Session, form: OutgoingRequest) -> bool:
    body = form.body.decode("utf-8", "replace")
    return session.net.holds_typed(body) or session.net.holds_typed(unquote_plus(body))
