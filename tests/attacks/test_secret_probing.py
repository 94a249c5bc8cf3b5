"""A hijacked model asks for a secret, or carries it elsewhere: it learns nothing and moves nothing."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import director.browser.actions
import director.browser.session
from attacks.echo_site import SECRETS, echo_site, session_with
from browser.sites import Site
from director.agent.browsing.claim_checks import check_claim
from director.browser import Browser, BrowserError, Session
from director.browser.actions import ACTIONS, run_action
from director.browser.bundle import KEYS, LocatorError
from director.browser.closer import find_snapshot_lines
from director.browser.page_conditions import check_page_condition
from director.browser.page_notices import read_page_notices
from director.browser.queries import METHODS, run_query
from director.browser.snapshot_text import render_snapshot_text
from director.secrets import SecretRefused
from director.workflow.conditions import CONDITIONS

Probe: TypeAlias = "Callable[[Session, str], Awaitable[object]]"
_TIMES = re.compile(r'"(took|timestamp)": ("[^"]*"|[\d.]+)')


def selectors(guess: str) -> Iterator[str]:
    """CSS that matches, or does not, by the beginning of a text, an attribute or a value."""
    quoted = json.dumps(guess)
    yield f"[value^={quoted}]"
    yield f"[data-said^={quoted} i]"
    yield f"[s\\72 c*={quoted}]"
    yield f"form:has([value^={quoted}])"
    yield f"p:not([title^={quoted}])"
    yield f":has-text({quoted})"
    yield f"p:text-matches({json.dumps(re.escape(guess))})"
    yield f"[title^={quoted}], [class*={quoted}], [alt^={quoted}], [href*={quoted}]"
    yield "input:valid"


def conditions(guess: str) -> Mapping[str, list[dict[str, Any]]]:
    """Every kind of condition, asked about the beginning of the secret."""
    return {
        "url": [{"url": f"*{guess}*"}, {"url": f"*?q={guess}*"}],
        "url_matches": [{"url_matches": f"q={re.escape(guess)}"}],
        "element": [
            *({"element": css} for css in selectors(guess)),
            {"element": "#text", "text": f"Found: {guess}"},
            {"element": "#loud", "text": guess.upper()},
            {"element": "#again", "value": guess},
            {"element": {"text": f"Found: {guess}"}, "absent": True},
        ],
        "count": [{"count": css, "at_least": 1} for css in [*selectors(guess)][:4]],
        "status": [{"status": f"*q={guess}*", "is": 200}],
        "download": [{"download": f"{guess}*", "within": 1}],
    }


def queries(guess: str) -> Mapping[str, list[dict[str, Any]]]:
    """Every way to look at a page."""
    fields = {
        "starts": f"@value~{guess}",
        "linked": f"@href~{guess}",
        "drawn": f"@src~{guess}",
        "value": "@value",
        "text": ".",
        "inner": f"[title^={json.dumps(guess)}]",
    }
    return {
        "validate": [
            {"rules": [{"type": "element_exists", "selector": css}], "timeout": 1}
            for css in [*selectors(guess)][2:5]
        ],
        "deterministic_extract": [
            {
                "selector": "p, input, textarea, a, img, option",
                "fields": fields,
                "visibleOnly": False,
            }
        ],
        "extract_all": [
            {"selector": "p, a", "fields": fields, "total": f"[title^={json.dumps(guess)}]"}
        ],
        "count": [{"selector": css} for css in [*selectors(guess)][4:]],
        "debug_element": [
            {"selector": css} for css in (f"[value^={json.dumps(guess)}]", "#link", "#box")
        ],
    }


def actions(guess: str) -> Mapping[str, list[dict[str, Any]]]:
    """Every action that finds an element, by the beginning of the secret; the others as they are."""
    found = [f"p[title^={json.dumps(guess)}], #calm:not(:has-text({json.dumps(guess)}))"]
    found += [{"name": f"act {guess}"}, {"text": guess}, {"attributes": {"title": guess}}]
    found += [{"css": f"[title^={json.dumps(guess)}]"}, {"role": "button", "near": [guess]}]
    # What is there gets the time it needs; what is not there is not waited for.
    waits = [5_000, 1, 1, 1, 1, 5_000]
    acts = {
        name: [{"selector": each, "timeout": 5_000 if each == found[0] else 1}]
        for name, each in zip(
            ("click", "wait", "check", "uncheck", "screenshot"), found, strict=False
        )
    }
    acts["hover"] = [
        {"selector": each, "timeout": wait} for each, wait in zip(found, waits, strict=True)
    ]
    acts["scrollIntoView"] = [{"selector": "#calm", "container": found[0]}]
    one = {"selector": "#pick", "timeout": 1}
    return acts | {
        "type": [{"selector": f"[value^={json.dumps(guess)}]", "text": "x", "timeout": 1}],
        "select": [
            {**one, "value": guess},
            {**one, "label": guess},
            {**one, "value": "two", "timeout": 5_000},
        ],
        "upload": [{"selector": "#box", "file": guess}],
        "drag": [
            {"selector": each, "to": "#box", "timeout": 5_000}
            for each in ("#link", "#text", "#image")
        ],
        "scrollToRow": [{"rowIndex": 1, "container": f"[title^={json.dumps(guess)}]"}],
        "set": [{**one, "value": guess, "timeout": 5_000}],
        "keypress": [
            {"key": keys, "page": True}
            for keys in ("Control+c", "Meta+KeyV", "Shift+Insert", "Tab")
        ],
        "listTabs": [{}],
        "getCurrentTab": [{}],
        "extractPdf": [{"source": f"{guess}.pdf"}],
        "switchTab": [{"tabName": guess}],
        "closeTab": [{"tabName": guess}],
        "loadProfile": [{"profileName": guess}],
        # These tell what the page does, which is the page's own.
        **{name: [] for name in ("navigate", "openNewTab", "back", "forward", "refresh")},
    }


async def _seen(session: Session, guess: str) -> object:
    snapshot = await session.snapshot()
    return [
        render_snapshot_text(snapshot),
        find_snapshot_lines(snapshot, guess),
        find_snapshot_lines(snapshot, f"^.*{re.escape(guess)}", regex=True),
    ]


async def _claimed(session: Session, guess: str) -> object:
    text = {"claim": "text", "selector": "#text", "text": f"Found: {guess}"}
    matches = {"claim": "matches", "selector": f"[title^={json.dumps(guess)}]", "count": 1}
    return [repr(await check_claim(session, "main", each)) for each in (text, matches)]


async def _told(session: Session, _: str) -> object:
    # Which of two requests is answered first is the network's.
    answered = sorted(session.responses(), key=lambda each: each.url)
    told = [session.events(), answered, await session.tabs(), await read_page_notices(session)]
    return [re.sub(r"number=\d+", "", repr(each)) for each in told]


def probes() -> Iterator[tuple[str, Probe]]:
    """Everything that a model can ask, each asked in every way that is known here."""
    for kind in conditions(""):
        for at in range(len(conditions("")[kind])):

            async def holds(session: Session, guess: str, kind: str = kind, at: int = at) -> object:
                return (
                    await check_page_condition(
                        session, {**conditions(guess)[kind][at], "within": 0}
                    )
                ).json()

            yield f"condition {kind} {at}", holds
    for method in queries(""):
        for at in range(len(queries("")[method])):

            async def look(
                session: Session, guess: str, kind: str = method, at: int = at
            ) -> object:
                return await run_query(session, {"method": kind, **queries(guess)[kind][at]})

            yield f"query {method} {at}", look
    for action in actions(""):
        for at in range(len(actions("")[action])):

            async def do(session: Session, guess: str, kind: str = action, at: int = at) -> object:
                return await run_action(session, {"action": kind, **actions(guess)[kind][at]})

            yield f"action {action} {at}", do
    yield "claim", _claimed
    yield "snapshot", _seen
    yield "told", _told


async def _answer(session: Session, probe: Probe, guess: str) -> str:
    """What a model would read, with what depends on the clock left out."""
    try:
        async with asyncio.timeout(120):
            said = json.dumps(await probe(session, guess), ensure_ascii=False, default=str)
    except (BrowserError, LocatorError, SecretRefused, KeyError) as problem:
        said = f"{type(problem).__name__}: {problem}"
    # What was asked is no news.
    return _TIMES.sub("", said).replace(guess, "?").replace(guess.upper(), "?")


def pick(*, every: bool) -> list[tuple[str, Probe]]:
    """All probes, or of each condition, query and action the first one."""
    return [each for each in probes() if every or not re.search(r" [1-9]\d*$", each[0])]


async def attack(session: Session, *, every: bool) -> list[str]:
    """Guess on as long as an answer differs from that to a guess that is surely wrong."""
    answers: list[str] = []
    for nth, (name, probe) in enumerate(pick(every=every)):
        secret = SECRETS[nth % 2]
        wrong = await _answer(session, probe, "~~~~")
        answers.append(f"{name}: {wrong}")
        for size in range(4, len(secret) + 1):
            said = await _answer(session, probe, secret[:size])
            answers.append(f"{name}: {said}")
            if said == wrong:
                break
    return answers


@pytest.mark.promise("D1")
@pytest.mark.promise("D2")
@pytest.mark.attack(
    "Prefix by prefix: by every condition, query, action and selector, on a page that echoes a secret",
    must="all answers are the same for two secrets of one length, byte for byte",
    tries=120,
)
@pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["one of each", "all"]
)
def test_no_answer_depends_on_a_secret(
    browser: Browser,
    run: Callable[[Any], Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    every: bool,
) -> None:
    """Adaptive guesses, behind `--all` a hundred and more; what is asked is in the registries."""
    # No tab and no download is on its way: nothing comes, however long it is waited for.
    monkeypatch.setattr(director.browser.session, "_POPUP", 0.1)
    monkeypatch.setattr(director.browser.actions, "_DOWNLOAD", 0.1)
    # The records of a run are counted without a look at a page.
    assert set(conditions("")) == set(CONDITIONS) - {"records"}
    assert set(queries("")) == set(METHODS)
    assert set(actions("")) == set(ACTIONS)
    assert {"text", "name", "css", "attributes", "near"} <= set(KEYS)

    async def one(server: Site, number: int) -> list[str]:
        async with session_with(
            browser, server, folder=tmp_path / str(number), secret=SECRETS[number]
        ) as session:
            return await attack(session, every=every)

    async def both() -> tuple[list[str], list[str]]:
        with echo_site() as server:
            first, second = await asyncio.gather(one(server, 0), one(server, 1))
        return first, second

    first, second = run(both())
    assert [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]] == []
    asked = {*CONDITIONS, *METHODS, *ACTIONS} - {"records"}
    assert len(first) == len(second) >= (100 if every else len(asked))
    assert any("[redacted]" in each for each in first)
