"""Background answers: per model and per message, and fetched by the next program after a kill."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent.office import at_double, desk
from director.agent.model_choice import choose_background, is_background
from director.agent.turn import resume_turn, take_turn
from director.agent.turn_events import TurnProgress
from director.agent.turn_lease import has_waiting_job
from director.models.script_values import Say, Wait
from director.settings import load_settings
from director.store import Store, open_store
from director.testing.double import Double, Fault
from director.testing.double.responses.response_state import Shelf
from models.talk import environment

MODEL = "openai:gpt-6.1-terra"
PATIENCE = 120.0
# Takes a turn in the background, in a program that is killed meanwhile.
PROGRAM = """
import asyncio, sys
from director.agent import open_session, new_workflow, take_turn
from director.runs.resources import RunOptions, open_resources
from director.store import open_store

async def main():
    with open_store(sys.argv[1]) as store:
        async with open_resources(store, RunOptions()) as supplies:
            async with open_session(store, new_workflow(store, "w"), supplies, model=sys.argv[2]) as desk:
                desk.background = True
                await take_turn(desk, "Think hard.")

asyncio.run(main())
"""


def posts(double: Double) -> list[object]:
    """Whether each answer that was asked for is worked out in the background."""
    asked = [one.asked for one in double.exchanges if one.asked.method == "POST"]
    return [one.body.get("background") for one in asked if one.path.endswith("/responses")]


def test_background_is_chosen_for_a_message_or_a_model(store: Store) -> None:
    """The word with the message counts first; a model that has none answers at once."""
    told: list[TurnProgress] = []
    with Double("openai", lambda _: [Say("Done.")], clock="real") as double:
        made = at_double(desk(store, [], progress=told.append), double)

        async def talk() -> None:
            await take_turn(made, "At once.")
            made.background = True
            await take_turn(made, "Slowly.")
            made.settings = load_settings(
                {"profile": "structured", "background_models": MODEL},
                environ={"DIRECTOR_HOME": "/nonexistent"},
            )
            await take_turn(made, "As usual.")
            made.background = False
            await take_turn(made, "At once.")
            await made.close()

        asyncio.run(talk())
        assert posts(double) == [None, True, True, None]
        assert double.defects == []
    assert [one.what for one in told].count("background") == 2


def test_a_model_is_chosen_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On, off, and one among others."""
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path))
    choose_background("openai:other", on=True)
    choose_background(MODEL, on=True)
    assert is_background(load_settings(), MODEL)
    choose_background(MODEL, on=False)
    assert not is_background(load_settings(), MODEL)
    assert is_background(load_settings(), "openai:other")


def test_after_a_kill_the_answer_is_fetched_and_paid_once(tmp_path: Path) -> None:
    """The program that starts next gets what the model worked out while none ran."""
    place = tmp_path / "killed.db"
    stuck = Fault("background_stuck")
    answer = [Wait(0), Say("The answer is 42.")]
    with Double("openai", lambda _: answer, clock="real", faults=[stuck]) as double:
        env = {**os.environ, **environment(double), "DIRECTOR_HOME": str(tmp_path)}
        command = [sys.executable, "-c", PROGRAM, str(place), MODEL]
        program = subprocess.Popen(command, env=env)
        try:
            _wait_for_job(place, double)
        finally:
            program.send_signal(signal.SIGKILL)
            program.wait(PATIENCE)
        _finish_jobs(double)
        with open_store(place) as again:
            thread = again.threads("w")[0]
            assert has_waiting_job(again, thread)
            made = at_double(desk(again, []), double)

            async def resumed() -> str:
                turn = await resume_turn(made)
                await made.close()
                return turn.text

            assert asyncio.run(resumed()) == "The answer is 42."
            assert not has_waiting_job(again, thread)
            assert [one.kind for one in again.entries(thread)] == ["user", "agent"]
            assert "The answer is 42." in json.dumps(dict(again.entries(thread)[1].body))
        assert posts(double) == [True]
        assert len(double.ledger.lines) == 1


def _finish_jobs(double: Double) -> None:
    """What the provider worked on while no program ran is done."""
    for made in double.world.state(Shelf).responses.values():
        if made.job is not None:
            made.job.stuck = False


def _wait_for_job(place: Path, double: Double) -> None:
    """Until the job is begun, and its handle is in the store."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if posts(double) and place.exists():
            with open_store(place) as store:
                threads = store.threads("w")
                kept = store.reference(threads[0]) if threads else None
            if kept and (kept.get("handle") or {}).get("id"):  # type: ignore[union-attr]
                return
        time.sleep(0.2)
    pytest.fail("the job was not begun")
