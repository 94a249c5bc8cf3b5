"""Regular expressions that take for ever: from workflows, models and exported scripts."""

from __future__ import annotations

import asyncio
import importlib.util
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from attacks.heartbeat import TURN, attacked, ended_within, run_attack
from director.browser import Browser
from director.browser.approved_origins import Origins
from director.browser.bundle import LocatorError, parse_bundle_or_css
from director.browser.page_conditions import check_page_condition
from director.runs import RunDependencies, run_workflow
from director.runs.playwright_script import write_playwright_script
from director.store import Store
from director.workflow.patterns import (
    PatternError,
    check_pattern,
    matches_glob_pattern,
    search_pattern_in_texts,
)
from director.workflow.selection import resolve_selection
from director.workflow.selectors import check_selector
from director.workflow.values import Node, WorkflowError
from runs.building import by_key, code, flow, node

LONG = "a" * 45 + "!"
# RE2 answers the first three; the others it does not know, and a worker is ended over them.
SLOW = ["(a+)+$", "(a|a)+$", "(a|aa)+$", "(?=a)(a+)+$", r"(a)\1(a+)+$"]
ENDLESS = SLOW[3:]


@pytest.mark.attack(
    "A condition of a workflow matches the address with a pattern that backtracks for ever",
    must="an answer, or words that it was stopped; the event loop goes on",
    tries=5,
)
@pytest.mark.parametrize("pattern", SLOW)
def test_a_condition_on_the_address_does_not_hold_the_loop(
    run: Any, browser: Browser, pattern: str
) -> None:
    """The address is as long as the attacker likes."""

    async def attack() -> Any:
        async with browser.session(Origins([])) as session:
            await session.page().goto(f"about:blank#{LONG}")
            return await attacked(
                check_page_condition(session, {"url_matches": pattern, "within": 100})
            )

    with ended_within(60):
        found = run(attack())
    assert found.error is None
    assert not found.value.holds
    assert ("was stopped" in str(found.value.found)) == (pattern in ENDLESS)
    assert found.turn < TURN


@pytest.mark.attack(
    "The schema of a cognition node holds such a pattern",
    must="the node fails with words; the event loop goes on",
    tries=2,
)
@pytest.mark.parametrize("pattern", [SLOW[0], ENDLESS[0]])
def test_a_pattern_in_a_schema_does_not_hold_the_loop(store: Store, pattern: str) -> None:
    """The model, or the page through it, chooses the text."""

    async def think(*_: object) -> Any:
        return LONG

    schema = {"type": "string", "pattern": pattern}
    workflow = flow(node("ask", "cognition", instruction="x", schema=schema))
    found = run_attack(run_workflow(store, workflow, RunDependencies(think=think)))
    assert found.value.state == "failed"
    said = by_key(store, found.value)["ask"].error
    assert "was stopped" in said if pattern in ENDLESS else "does not match" in said
    assert found.turn < TURN


@pytest.mark.attack(
    "A model looks for such a pattern on a page of ten thousand lines",
    must="an answer or an error; the event loop goes on",
    tries=3,
)
@pytest.mark.parametrize("pattern", [SLOW[0], ENDLESS[1], ".*.*.*.*.*.*x"])
def test_a_search_over_many_texts_does_not_hold_the_loop(pattern: str) -> None:
    """All lines are one question, so that one limit holds for all."""
    lines = [LONG * 8] * 10_000
    found = run_attack(asyncio.to_thread(search_pattern_in_texts, pattern, lines, ignore_case=True))
    assert found.value == [False] * 10_000 or isinstance(found.error, PatternError)
    assert found.turn < TURN


@pytest.mark.attack(
    "A pattern that is slow to read: wide classes without case, repetitions of repetitions",
    must="refused, or read in little time",
    tries=4,
)
@pytest.mark.parametrize(
    "pattern",
    [
        "(?i)" + "[\x80-\uffff]" * 400,
        "(?i)" + "[\x80-\uffff]" * 59,
        "(((a{1,1000}){1,1000}){1,1000}){1,1000}",
        "(" * 2_000 + ")" * 2_000,
    ],
)
def test_reading_a_pattern_is_bounded(pattern: str) -> None:
    """A thousand nodes may each have one."""
    with ended_within(10), suppress(PatternError):
        check_pattern(pattern)


@pytest.mark.attack(
    "An address with many stars, a selection with many blanks",
    must="answered in one pass",
    tries=3,
)
def test_stars_and_blanks_are_read_once() -> None:
    """Our own forms are no way around the bounds either."""
    nodes = [Node("n", "a", "context", {"variables": {"a": 1}})]
    with ended_within(20):
        assert not matches_glob_pattern("*a" * 40 + "*b", "a" * 5_000)
        assert matches_glob_pattern("*a" * 40 + "*", "a" * 5_000)
        with pytest.raises(WorkflowError):
            resolve_selection("a" + " " * 200_000 + "b", nodes)


SELECTORS = [
    'p:text-matches("(a+)+$")',
    'p:text\\-matches("(a+)+$")',
    'p:te\\78t-matches("(a+)+$")',
    'p:/**/text-matches("(a+)+$")',
    "p >> text=/(a+)+$/",
    'p:has-text("a") >> internal:text=/(a+)+$/',
]


@pytest.mark.attack(
    "A selector holds a pattern, which would run in the page",
    must="refused when it is saved and before it is used, however it is written",
    tries=12,
)
@pytest.mark.parametrize("css", SELECTORS)
def test_a_selector_holds_no_pattern(css: str) -> None:
    """No limit of time holds for what a page computes."""
    for given in (css, {"css": css}):
        with pytest.raises(WorkflowError):
            check_selector(given)
        with pytest.raises(LocatorError):
            parse_bundle_or_css(given)
    for honest in ('li:has-text("a \\3e\\3e b")', ".matches > p", '[title="text-matches"]'):
        check_selector(honest)
        assert parse_bundle_or_css(honest) == honest


def loaded(tmp_path: Path, *nodes: dict[str, Any]) -> ModuleType:
    """An exported script as a module, not started."""
    file = tmp_path / "script.py"
    file.write_text(write_playwright_script(flow(*nodes)), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(f"script_{tmp_path.name}", file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.attack(
    "An exported script matches the address with such a pattern",
    must="the script fails with words after a few seconds of work",
)
def test_a_script_ends_such_a_pattern_as_well(tmp_path: Path) -> None:
    """It has only the standard library, so a program of its own matches and is ended."""
    script = loaded(tmp_path, code("one", "1"))
    with ended_within(100):
        with pytest.raises(script.Failed, match=r"was stopped|did not end"):
            script.look_once(SimpleNamespace(url=LONG), 0, url_matches=SLOW[0])
        good, _ = script.look_once(SimpleNamespace(url="/a/12"), 0, url_matches=r"/\d+$")
        assert good
        assert not script.glob("*a" * 40 + "*b", "a" * 5_000)


@pytest.mark.attack(
    "The same where RE2 is not installed",
    must="the worker answers and is ended in its place",
    tries=2,
)
def test_without_re2_the_worker_does_it() -> None:
    """A base installation is no weaker, only slower."""
    program = (
        "import sys; sys.modules['re2'] = None\n"
        "from director.workflow.patterns import PatternError, search_pattern_in_texts\n"
        "assert search_pattern_in_texts(r'^/\\d+$', ['/12', '/x']) == [True, False]\n"
        "try: search_pattern_in_texts('(a+)+$', ['a' * 45 + '!'])\n"
        "except PatternError as problem: print(problem)\n"
        "assert search_pattern_in_texts('b', ['abc']) == [True]\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=100, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "was stopped" in ran.stdout


@pytest.mark.attack(
    "Two hostile patterns at once, an honest one behind them",
    must="the honest one is answered",
)
def test_an_honest_pattern_is_answered_after_hostile_ones() -> None:
    """The worker that was ended is replaced by another."""

    async def three() -> list[Any]:
        asked = [(ENDLESS[0], LONG), (ENDLESS[1], LONG), (r"(?<=/)\d+", "/12")]
        work = [
            asyncio.to_thread(search_pattern_in_texts, pattern, [text]) for pattern, text in asked
        ]
        return await asyncio.gather(*work, return_exceptions=True)

    found = run_attack(three())
    assert [type(each) for each in found.value] == [PatternError, PatternError, list]
    assert found.value[2] == [True]
    assert found.turn < TURN
