"""Opening a desk as every program does, and an answer that is told as it arrives."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest

from agent.office import SAY, asks, desk, opening
from director.agent import (
    TurnProgress,
    create_workflow,
    ensure_current_thread,
    open_session,
    take_turn,
)
from director.agent.request_log.kept_requests import read_kept_request
from director.agent.turn_lease import find_last_turn
from director.models import Timing, open_model
from director.models.script_engines.tape import Tape
from director.models.script_values import Emit, Say, Think
from director.runs.resources import RunOptions, open_resources
from director.settings import load_settings
from director.store import Store
from director.store.context_view import list_visible_turns, project_context_view
from director.testing.double import Double
from director.workflow.values import WorkflowError
from models.talk import MODELS, PROFILES, environment

LONG = "\n".join(f"This is line {n} of an answer." for n in range(20))


def test_a_new_workflow_has_an_id_of_its_own(store: Store) -> None:
    """Names may be the same, ids are not; an id is made of what a file name can hold."""
    names = ("Überfällige Rechnungen", "Überfällige Rechnungen", "…", "")
    made = [create_workflow(store, name) for name in names]
    assert made == [
        "uberfallige-rechnungen",
        "uberfallige-rechnungen-2",
        "workflow",
        "new-workflow",
    ]


def test_a_desk_is_opened_with_all_that_a_program_has(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The vault and the seal are there, and each request is kept; no browser is started for it."""
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path))
    workflow = create_workflow(store, "Prices")
    told: list[str] = []
    brain = Tape([[asks("get_workflow_summary")], SAY])

    async def talk() -> str:
        async with (
            open_resources(store, RunOptions()) as supplies,
            open_session(
                store,
                workflow,
                supplies,
                settings=load_settings(),
                model="scripted:test",
                open_model=opening(brain),
                progress=lambda one: told.append(one.what),
            ) as opened,
        ):
            assert opened.means.secrets is supplies.vault
            assert opened.means.seal is supplies.seal
            return (await take_turn(opened, "Begin.")).text

    assert asyncio.run(talk()) == "Done."
    assert told == [
        *("asking", "answered", "calling", "called"),
        *("asking", "text", "answered", "ended"),
    ]
    thread = ensure_current_thread(store, workflow)
    assert read_kept_request(store, thread, 2).body["streaming"] is True


def test_no_desk_is_opened_for_a_workflow_that_is_not_there(store: Store, tmp_path: Path) -> None:
    """The error names it."""

    async def talk() -> None:
        async with (
            open_resources(store, RunOptions(out=tmp_path)) as supplies,
            open_session(store, "none", supplies),
        ):
            raise AssertionError("opened")

    with pytest.raises(WorkflowError, match="no workflow 'none'"):
        asyncio.run(talk())


@pytest.mark.parametrize("wire", list(MODELS))
def test_an_answer_is_told_as_it_arrives_in_every_dialect(store: Store, wire: str) -> None:
    """The pieces of its text are the text; its thoughts come apart from it."""
    steps: list[list[Emit]] = [[Think("Let me see."), Say(LONG)]]
    told: list[TurnProgress] = []
    with Double(PROFILES[wire], steps) as double:  # type: ignore[arg-type]
        known = environment(double)
        made = desk(store, steps)
        made.open_model = lambda name, journal: open_model(
            name, journal=journal, env=known, timing=Timing()
        )
        made.model, made.progress = MODELS[wire], told.append

        async def talk() -> str:
            turn = await take_turn(made, "Begin.")
            await made.close()
            return turn.text

        said = asyncio.run(talk())
        assert double.verdict() == []
    assert _joined(told, "text") == said == LONG
    assert len([one for one in told if one.what == "text"]) > 1
    assert _joined(told, "thinking") in ("", "Let me see.")


def test_a_turn_that_is_stopped_while_its_answer_arrives_can_be_gone_on_with(store: Store) -> None:
    """Half an answer is no entry: the thread ends with the user's message, and goes on."""
    made = desk(store, [[Say("One.\nTwo.")], SAY])

    def stop(progress: TurnProgress) -> None:
        if progress.what == "text":
            raise asyncio.CancelledError

    made.progress = stop
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(take_turn(made, "Go."))
    assert find_last_turn(store, made.thread)["state"] == "cancelled"
    assert [entry.kind for entry in store.entries(made.thread)] == ["user"]
    made.progress = lambda _: None
    assert asyncio.run(take_turn(made, "Go on.")).text == "Done."
    assert len(project_context_view(store.entries(made.thread)).turns) == len(
        list_visible_turns(store.entries(made.thread))
    )


def _joined(told: Iterable[TurnProgress], what: str) -> str:
    return "".join(one.text for one in told if one.what == what)
