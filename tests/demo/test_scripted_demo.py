"""The rehearsal builds its workflow end to end in a real browser, and the workflow runs alone.

The same script is played by the strict double, in every dialect and every profile.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from director.agent import (
    AgentSession,
    TurnProgress,
    TurnResult,
    ensure_current_thread,
    open_session,
    take_turn,
)
from director.agent.agent_session import Opens, open_session_model
from director.browser import BrowserError
from director.demo.scripted_demo import MODEL, SAYS, begin, lines, perform
from director.demo.site import Site
from director.models import Journal, Model, Timing, open_model
from director.models.script_engines import load_script_engine
from director.runs import drive_run, queue_run, read_run
from director.runs.resources import Resources, RunOptions, open_resources
from director.settings import load_settings
from director.store import Store, open_store
from director.store.run_variables import read_run_variables
from director.testing.double import Double
from models.talk import MODELS, PROFILES, environment
from store.engines import prepared_file

ALL = list(itertools.product(("structured", "structured_cached", "clean"), MODELS))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store in a home folder of its own."""
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path))
    with open_store(prepared_file(tmp_path / "director.db")) as opened:
        yield opened


@pytest.fixture
def site() -> Iterator[Site]:
    """The demo site."""
    with Site().serve() as served:
        yield served


def due_later(site: Site) -> list[int]:
    """The invoices that the corrected rule wants in the archive."""
    dates = {mail.id: dict(mail.facts).get("Due date", "") for mail in site.state.mails.values()}
    return [id_ for id_, due in sorted(dates.items()) if due >= "2026-12-01"]


def archived(site: Site) -> list[int]:
    """The letters that are in the archive now."""
    return sorted(mail.id for mail in site.state.mails.values() if mail.archived)


async def played(
    store: Store,
    site: Site,
    *,
    profile: str = "structured",
    model: str = "",
    open_model: Opens = open_session_model,
) -> tuple[list[str], list[TurnProgress], str]:
    """How each line of the user ended, all that was told, and the workflow."""
    told: list[TurnProgress] = []
    settings = load_settings({"profile": profile})
    async with open_resources(store, RunOptions(pictures="none")) as supplies:
        workflow = begin(store, supplies.vault, site.url)
        ends: list[str] = []
        async with open_session(
            store,
            workflow,
            supplies,
            settings=settings,
            model=model,
            open_model=open_model,
            progress=told.append,
        ) as desk:
            for line in lines(site.url):
                ended = await perform(desk, line)
                ends.append(ended.ended if isinstance(ended, TurnResult) else ended.status)
        await _runs_alone(store, site, supplies, workflow)
    return ends, told, workflow


async def _runs_alone(store: Store, site: Site, supplies: Resources, workflow: str) -> None:
    """The workflow does its work on a fresh site, and nobody is there to think."""
    assert archived(site) == due_later(site) != []
    site.reset()
    assert archived(site) == []
    found = AgentSession(store, workflow).now()
    run = queue_run(store, found, supplies.offline(found)[0])
    means = await supplies.means(run)
    assert (means.think, means.work) == (None, None)
    await drive_run(store, run.id, means)
    assert read_run(store, run.id).state == "done"
    assert archived(site) == due_later(site)
    result = read_run_variables(store, run.id)["report.result"]
    kept = 8 - len(due_later(site))
    assert str(result).startswith(f"{kept} of 8 invoices stay: ")


def test_the_rehearsal_builds_a_workflow_that_runs_without_a_model(
    store: Store, site: Site, tmp_path: Path
) -> None:
    """Plan, scouts, nodes, a failure that is mended, a question, a correction, a compression."""
    with _browsing():
        ends, told, workflow = asyncio.run(played(store, site))
    assert ends == ["asked", "said", "said", "done", "said"]
    made = AgentSession(store, workflow)
    assert len(made.now().nodes) == 13
    assert {"iterate", "route", "transform"} <= {node.type for node in made.now().nodes}
    plan = made.saved.plan()
    assert plan is not None
    assert {task.status for task in plan.tasks} == {"completed"}
    failed = [one.tool for one in told if one.what == "called" and one.failed]
    assert failed == ["deploy_scout", "test_single_node"]
    scouts = [one.text for one in told if one.what == "called" and one.tool == "deploy_scout"]
    assert "is not approved" in scouts[0]
    assert "Dropped, because the page showed otherwise" in scouts[1]
    assert any(one.tool == "recall" and not one.failed for one in told if one.what == "called")
    kinds = [entry.kind for entry in store.entries(ensure_current_thread(store, workflow))]
    assert kinds.count("checkpoint") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and _tells(path)]


@contextmanager
def _browsing() -> Iterator[None]:
    """Where no browser can be started, there is nothing to see."""
    try:
        yield
    except BrowserError as reason:
        pytest.skip(str(reason))


def _tells(path: Path) -> bool:
    return b"letters-2026" in path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "wire"), ALL)
def test_the_double_plays_the_same_conversation_by_the_rules_of_every_provider(
    store: Store, site: Site, profile: str, wire: str
) -> None:
    """The same brain behind a provider's API: the same workflow, and no rule is broken."""
    with Double(PROFILES[wire], load_script_engine("rehearsal")) as double:  # type: ignore[arg-type]
        known = environment(double)

        def opened(_: str, journal: Journal | None) -> Model:
            return open_model(MODELS[wire], journal=journal, env=known, timing=Timing())

        with _browsing():
            ends, _, _ = asyncio.run(
                played(store, site, profile=profile, model=MODELS[wire], open_model=opened)
            )
        assert ends == ["asked", "said", "said", "done", "said"]
        assert double.defects == []
        assert double.verdict() == []


def test_off_script_the_rehearsal_says_what_it_is(store: Store, site: Site) -> None:
    """Without an address, or told something else, it does not pretend to understand."""

    async def said() -> tuple[str, str]:
        async with open_resources(store, RunOptions()) as supplies:
            workflow = begin(store, supplies.vault, site.url)
            async with open_session(store, workflow, supplies, settings=load_settings()) as desk:
                first = await take_turn(desk, "What is the weather like?")
                second = await take_turn(desk, "Please?")
                return first.text, second.text

    for text in asyncio.run(said()):
        assert text.startswith("This is a rehearsal: my part is scripted, and no model was asked.")


def test_the_users_lines_name_the_site_they_are_for() -> None:
    """The address is in the first line and nowhere in the script."""
    assert MODEL == "scripted:rehearsal"
    assert "scripted, no model was asked" in SAYS
    said = lines("http://127.0.0.1:4711")
    assert "http://127.0.0.1:4711/mail" in said[0].text
    assert [line.does for line in said] == ["say", "say", "say", "compress", "say"]
