"""What is seen of the page when a node reads rows or has its effect, kept for doubts about the run.

Only looking: a page that cannot be looked at leaves nothing, and no node fails for it.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import quote_plus, urlsplit

from playwright.async_api import Error as PlaywrightError

from director.browser import BrowserError, BrowserGone, Session
from director.browser.bundle import LocatorError
from director.browser.elements import find_matching_elements, read_element_value
from director.browser.entry_links import find_entry_page
from director.browser.list_claims import (
    find_claimed_rows,
    look_at_list,
    look_for_texts,
    read_form_error_claims,
)
from director.browser.masks import MaskedPage
from director.browser.page_conditions import check_page_condition
from director.browser.readiness import wait_until_ready
from director.browser.session_events import OutgoingRequest
from director.browser.shown_fields import find_shown_fields
from director.runs.doubts.effects_done import list_effect_marks, list_typed
from director.runs.entry_pages import look_at_entries
from director.runs.filled_fields import list_shown_again, name_filled_fields
from director.runs.held_before import HeldBefore, digest_page
from director.runs.left_out import note_item_texts
from director.runs.request_marks import mark_request
from director.runs.run_text import write_condition_text, write_selector_text
from director.runs.stage import Stage
from director.runs.values import RunError, Step
from director.workflow.conditions import fill_condition
from director.workflow.entry_decisions import EntryDecision
from director.workflow.paths import is_list
from director.workflow.scope import Scope
from director.workflow.sensitive import is_sensitive
from director.workflow.templates import defuse_templates, resolve_templates
from director.workflow.values import Config, Json, Node

READS_ROWS = ("deterministic_extract", "extract_all", "count")
_UNSEEN = (BrowserError, LocatorError, PlaywrightError)
_ACTS = ("click", "keypress", "type", "select")
_OPENS = ("navigate", "wait", "openNewTab", "switchTab", "screenshot", "reload")
_FILLS = ("type", "set", "select")
# Where a page sends what it counts and logs about itself.
_REPORTS = re.compile(
    r"telemetry|metric|analytic|beacon|sentry|/(?:collect|track|log|logs|stats|rum|ping|csp)\b",
    re.IGNORECASE,
)
# Where a page asks for what it shows, by methods that could also change something.
_ASKING = re.compile(
    r"graphql|/_?(?:search|query|filter|list|find|count|suggest|autocomplete)\b", re.IGNORECASE
)
_LEADS_ON = (301, 302, 303)
_LOOK_AGAIN = 0.05
_LOADS = 3_000  # milliseconds until what follows an effect is there
_SHOWS = 1_500  # milliseconds until a page shows that something was done
_MOST = 50  # addresses at which effects are looked for


@dataclass(frozen=True, slots=True)
class DoneVisit:
    """A visit that has just done what it does: its node, with its values, and where it was."""

    node: Node
    config: Config
    before: Mapping[str, Json] | None
    scope: Scope
    steps: Sequence[Step]
    result: Json = None
    held: HeldBefore = field(default_factory=HeldBefore)
    decisions: tuple[EntryDecision, ...] = ()


async def make_observation(visit: DoneVisit, session: Session, mark: int) -> dict[str, Json] | None:
    """What the page says about what a visit just did."""
    type_ = visit.node.type
    try:
        if type_ == "browser_query":
            return await _observe_look(visit, session)
        if type_ == "browser_action" and visit.node.effect == "once":
            return await _observe_effect(visit, session, mark)
    except BrowserGone:
        raise
    except _UNSEEN:
        return None
    return None


async def _observe_look(visit: DoneVisit, session: Session) -> dict[str, Json] | None:
    """What the page says about rows that were read, and of what the look may decide about."""
    reads = visit.config.get("method") in READS_ROWS
    found = await _observe_rows(visit, session) if reads else {}
    told = (visit.node, visit.config, visit.scope, session)
    return {**await note_item_texts(*told, visit.decisions), **found} or None


async def _observe_rows(visit: DoneVisit, session: Session) -> dict[str, Json]:
    """What the page says about the rows that were read, and whether they are still the same."""
    config, still = visit.config, session.pending()
    read = _count_read(visit)
    seen = await look_at_list(session, config)
    if config.get("method") != "extract_all" and config.get("limit") is None:
        if seen.get("drawn") == read and still:
            await wait_until_ready(session.page(), session.pending)
            seen = {**seen, "drawn": (await look_at_list(session, config)).get("drawn")}
        if seen.get("drawn") != read:
            seen = {**seen, "later": {"read": read, "now": seen.get("drawn")}}
    seen = {**seen, "touched": _is_touched(visit)}
    return cast("dict[str, Json]", defuse_templates(seen))


def _is_touched(visit: DoneVisit) -> bool:
    """Whether something was done on the page before it was read: that may have filtered it."""
    page = {**(visit.before or {})}
    done = [
        step
        for step in visit.steps
        if step.type == "browser_action"
        and (step.page or {}).get("document") == page.get("document")
    ]
    return any(step.config.get("action") not in _OPENS for step in done)


def _count_read(visit: DoneVisit) -> int:
    """How many elements a visit read; of one that counts, how many can be seen."""
    result = visit.result if isinstance(visit.result, Mapping) else {}
    count = result.get("visibleCount", result.get("count"))
    return count if isinstance(count, int) else 0


async def _observe_effect(visit: DoneVisit, session: Session, mark: int) -> dict[str, Json] | None:
    if visit.config.get("action") not in _ACTS:
        return None
    typed = list_typed([step.config for step in _on_page(visit)])
    page = session.page()
    await page.wait_for_load_state("domcontentloaded", timeout=_LOADS)
    await _wait_for_answers(session, mark)
    sent = _list_requests(session, mark, typed)
    shown = await look_for_texts(session, typed) if typed else {}
    found: dict[str, Json] = {
        "url": session.net.clean(page.url),
        "typed": [session.net.clean(text) for text in typed],
        "sent": sent,
        "rows": await find_claimed_rows(session, typed) if typed else [],
        "errors": await read_form_error_claims(session, typed) if typed and sent else [],
        "proof": _proof(visit),
        "shown": shown.get("shown"),
        "texts_shown": shown.get("texts", []),
        "part": shown.get("part"),
        "is_login": _is_login(visit),
        "replaced": _has_replaced(_on_page(visit)),
        "held_before": await _tell_held(visit, session, mark),
        "fields": await _compare_fields(visit, session) if sent else [],
        "named": cast("Json", name_filled_fields(_on_page(visit))),
        "kept_fields": cast("Json", visit.held.fields),
        "led_on": _is_led_on(visit, session, mark),
    }
    return cast("dict[str, Json]", defuse_templates(found))


async def _compare_fields(visit: DoneVisit, session: Session) -> list[Json]:
    """What the fields that were filled show now, of those that the page still has."""
    filled = [step.config for step in _on_page(visit) if step.config.get("action") in _FILLS]

    async def look(seen: MaskedPage) -> list[Json]:
        found: list[Json] = []
        for config in filled[:_MOST]:
            typed = str(config.get("text", config.get("value")) or "")
            fields = (await find_matching_elements(seen, config["selector"])).visible()
            if typed and "{{" not in typed and len(fields) == 1:
                shown = await read_element_value(fields.locator(), timeout=_SHOWS)
                field = write_selector_text(config["selector"])
                told: dict[str, Json] = {"field": field, "typed": typed}
                told["is_text"] = config["action"] == "type"
                found += [] if shown is None else [{**told, "shown": seen.clean(shown)}]
        return found

    try:
        found = await session.look(session.page(), look) if filled else []
        known = [cast("Config", each)["field"] for each in found]
        every = [*name_filled_fields(_on_page(visit)), *visit.held.fields]
        named = [each for each in every if each["field"] not in known]
        return [*found, *(await find_shown_fields(session, named) if named else [])]
    except (LocatorError, PlaywrightError):
        return []


async def _tell_held(visit: DoneVisit, session: Session, mark: int) -> Json:
    """If all it promises held before as well: the promises, and what else shows that it acted."""
    if not visit.held.is_all:
        return None
    until = time.monotonic() + _SHOWS / 1000
    while not (changed := await digest_page(session) != visit.held.shown):
        if time.monotonic() >= until:
            break
        await asyncio.sleep(_LOOK_AGAIN)
    told = [write_condition_text(each) for each in visit.held.conditions]
    return {
        "conditions": cast("Json", told),
        "changed": changed,
        "acted": any(not _only_asks(each) for each in session.sendings(mark)),
    }


def _only_asks(sent: OutgoingRequest) -> bool:
    """Whether a request asks for something, or reports, although its method could change it."""
    if b"mutation" in sent.body:
        return False
    return bool(_ASKING.search(sent.url) or _REPORTS.search(sent.url))


def _is_led_on(visit: DoneVisit, session: Session, mark: int) -> bool:
    """Whether what was sent was taken and led to another page, as forms do that were accepted."""
    left = str((visit.before or {}).get("url", "")).partition("#")[0].partition("?")[0]
    pages = {each.url for each in session.sendings(mark) if each.is_page}
    sent_on = any(
        each.url in pages and each.status in _LEADS_ON for each in session.responses(mark)
    )
    return sent_on and session.net.clean(session.page().url).partition("?")[0] != left


async def _wait_for_answers(session: Session, mark: int) -> None:
    """Wait a while until what was sent has been answered: a refusal may come late."""
    until = time.monotonic() + _LOADS / 1000
    while len(session.sendings(mark)) > _count_answers(session, mark):
        if time.monotonic() >= until:
            return
        await asyncio.sleep(_LOOK_AGAIN)


def _count_answers(session: Session, mark: int) -> int:
    sent = {(each.method, each.url) for each in session.sendings(mark)}
    return sum((each.method, each.url) in sent for each in session.responses(mark))


def _list_page_steps(visit: DoneVisit) -> list[Step]:
    """What was done on the page before it, since that was loaded."""
    document = (visit.before or {}).get("document")
    return [
        step
        for step in visit.steps
        if step.state == "finished" and (step.page or {}).get("document") == document
    ]


def _is_login(visit: DoneVisit) -> bool:
    """Whether a secret was typed on the page: what is typed beside one is shown nowhere."""
    done = _list_page_steps(visit)
    return any("{{secret:" in str(step.config.get("text")) or _hides(step) for step in done)


def _hides(step: Step) -> bool:
    return is_sensitive(write_selector_text(step.config.get("selector")))


def _on_page(visit: DoneVisit) -> list[Step]:
    return [step for step in _list_page_steps(visit) if not _hides(step)]


def _has_replaced(steps: Iterable[Step]) -> bool:
    """Whether all that was typed replaced something: what is sent then changes an entry."""
    typed = [step.result for step in steps if step.config.get("action") == "type"]
    told = [result for result in typed if isinstance(result, Mapping)]
    return bool(told) and all(result.get("replaced") is True for result in told)


def _list_requests(session: Session, since: int, typed: Sequence[str]) -> list[Json]:
    """The requests that change something: which are the same, how they were answered.

    Those that `carries` false marks hold nothing of what was typed; `mark` tells what is entered.
    """
    sendings, answers = session.sendings(since), session.responses(since)
    bodies: dict[bytes, int] = {}
    statuses: dict[tuple[str, str], list[int]] = {}
    for answer in answers:
        statuses.setdefault((answer.method, answer.url), []).append(answer.status)
    found: list[Json] = []
    for each in sendings:
        carries = each.is_page or _carries(each.body, typed)
        if not carries and _REPORTS.search(each.url):
            continue
        known = statuses.get((each.method, each.url), [])
        found.append(
            {
                "method": each.method,
                "url": each.url,
                "body": bodies.setdefault(each.body, len(bodies)),
                "status": known.pop(0) if known else None,
                "carries": carries,
                "mark": _mark(session, each, typed),
            }
        )
    return found


def _mark(session: Session, sent: OutgoingRequest, typed: Sequence[str]) -> Json:
    """What tells this entry from others; None if it enters nothing that was typed."""
    if sent.method != "POST" or _only_asks(sent) or not _carries(sent.body, typed):
        return None
    return f"{urlsplit(sent.url).path} {mark_request(sent.body, typed, session.net.clean)}"


def _carries(body: bytes, typed: Iterable[str]) -> bool:
    forms = [
        form
        for text in typed
        for form in (text, quote_plus(text), json.dumps(text)[1:-1])
        if len(text) > 2
    ]
    return any(form.encode() in body for form in forms)


def _proof(visit: DoneVisit) -> Json:
    """Where its proof is to be looked for at the end, with its values."""
    proof = visit.node.proof or {}
    if not proof.get("url") or not proof.get("happened"):
        return None
    url = resolve_templates(proof["url"], visit.scope, within="address")
    return {
        "url": url,
        "happened": resolve_templates(proof["happened"], visit.scope, within="selector"),
        "not_happened": resolve_templates(
            proof.get("not_happened") or [], visit.scope, within="selector"
        ),
    }


async def read_back(stage: Stage, steps: Sequence[Step]) -> dict[str, Config]:
    """For each effect of the run that has a proof: whether it is there now, and the rows of it."""
    wanted = {
        step.key: cast("Config", step.observed["proof"])
        for step in steps
        if step.state == "finished"
        and step.status == "success"
        and step.observed
        and isinstance(step.observed.get("proof"), Mapping)
    }
    addresses = list(dict.fromkeys(str(proof["url"]) for proof in wanted.values()))[:_MOST]
    if not addresses:
        return {}
    known = {step.key: step for step in steps}
    found: dict[str, Config] = {}
    try:
        async with stage.aside() as session:
            for url in addresses:
                await session.navigate(url)
                for key, proof in wanted.items():
                    if proof["url"] == url:
                        found[key] = await _look_for(session, known[key], proof)
            await look_at_entries(session, known, found)
    except (*_UNSEEN, RunError):
        # What cannot be looked at is no doubt: its own conditions held.
        return found
    return found


def _conditions(given: Json) -> list[Config]:
    return [fill_condition(cast("Config", each)) for each in given] if is_list(given) else []


async def _look_for(session: Session, step: Step, proof: Config) -> Config:
    asked = _conditions(proof["happened"])
    looked = [await check_page_condition(session, each, 0) for each in asked]
    holds = all(each.holds for each in looked)
    other = [] if holds else _conditions(proof.get("not_happened"))
    is_told = not other or all(
        [(await check_page_condition(session, each, 0)).holds for each in other]
    )
    bad = [f"{write_condition_text(each.condition)}; found {each.found!r}" for each in looked]
    typed = (step.observed or {}).get("typed")
    texts = tuple(str(each) for each in typed) if is_list(typed) else ()
    rows = await find_claimed_rows(session, texts) if texts else []
    marks = list_effect_marks(asked)
    if marks and not texts:
        rows = await find_claimed_rows(session, tuple(marks))
    fields = list_shown_again(step) if holds else []
    told = tuple(marks) or texts
    return {
        "fields": await find_shown_fields(session, fields) if fields else [],
        "entry": await find_entry_page(session, told) if fields else "",
        "found": int(holds) if is_told else None,
        "where": str(proof["url"]),
        "rows": rows,
        "marks": cast("Json", marks),
        "looked": "; ".join(said for said, each in zip(bad, looked, strict=True) if not each.holds),
    }
