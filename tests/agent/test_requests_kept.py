"""Every request of a turn is kept, however it ended: refused, cancelled on the way, or too late."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from director.agent.agent_session import AgentSession
from director.agent.conversation.archived_turns import recall_archived_turn
from director.agent.request_log.kept_requests import read_kept_request, read_sent_body
from director.agent.request_log.request_replay import replay_request
from director.agent.turn import take_turn
from director.cli import app
from director.models import Journal, Model, ModelError, Timing, open_model
from director.profiles import load_profile
from director.runs import save_run_workflow
from director.settings import load_settings
from director.store import EntryDraft, Store, open_store
from director.workflow.values import Workflow, WorkflowError

CALL = {"call": "get_current_plan", "args": {}}


def desk_of(store: Store, folder: Path, *steps: object) -> AgentSession:
    """A desk whose model plays these steps from a file, so that it can be opened again."""
    script = folder / "script.json"
    script.write_text(json.dumps(steps))
    save_run_workflow(store, Workflow("w", "Prices"))
    settings = load_settings(environ={"DIRECTOR_HOME": str(folder)})
    return AgentSession(store, "w", settings=settings, model=f"scripted:{script}")


def kept(store: Store, desk: AgentSession, number: int) -> Mapping[str, object]:
    """A request, which is whole and can be made again from the store, whatever became of it."""
    body = read_kept_request(store, desk.thread, number).body
    assert body["parts"]
    assert body["report"]["after"] > 0  # type: ignore[index]
    assert b"Go." in read_sent_body(store, desk.thread, number)
    assert asyncio.run(replay_request(store, desk.thread, number)).same
    return body


@pytest.mark.promise("B9")
def test_a_request_that_was_refused_is_kept(store: Store, tmp_path: Path) -> None:
    """After one that was answered; with what failed, as it can be listed, shown and replayed."""
    desk = desk_of(
        store, tmp_path, [CALL], [{"fail": "insufficient_quota", "message": "Not this."}]
    )
    with pytest.raises(ModelError, match=r"Not this\."):
        asyncio.run(take_turn(desk, "Go."))
    assert kept(store, desk, 1)["outcome"] == "answered"
    body = kept(store, desk, 2)
    assert body["outcome"] == "failed"
    assert "Not this." in str(body["failure"])
    assert [one["outcome"] for one in body["attempts"]] == ["quota"]  # type: ignore[attr-defined]
    assert (body["head"], body["turn"]) == (3, 1)
    for asked, told in (
        (["list"], "failed"),
        (["show", "2"], "Not this."),
        (["replay", "2"], "same"),
    ):
        found = CliRunner().invoke(app, ["request", *asked, "--store", store.url])
        assert (found.exit_code, told in found.output) == (0, True), found.output


@pytest.mark.promise("B9")
def test_a_request_that_was_cancelled_is_kept(store: Store, tmp_path: Path) -> None:
    """It had left: its bytes are there, and the thread goes on."""
    desk = desk_of(store, tmp_path, [{"wait": 3600}, {"say": "late"}])

    async def stopped() -> None:
        left = asyncio.Event()

        async def waiting(_seconds: float) -> None:
            left.set()
            await asyncio.Event().wait()

        def opens(name: str, journal: Journal | None) -> Model:
            return open_model(name, journal=journal, timing=Timing(sleep=waiting))

        desk.open_model = opens
        turn = asyncio.create_task(take_turn(desk, "Go."))
        await left.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn

    asyncio.run(stopped())
    body = kept(store, desk, 1)
    assert (body["outcome"], body["failure"]) == ("cancelled", "It was stopped on the way.")
    assert [one["outcome"] for one in body["attempts"]] == ["cancelled"]  # type: ignore[attr-defined]


@pytest.mark.promise("B9")
def test_a_request_that_took_too_long_is_kept(store: Store, tmp_path: Path) -> None:
    """The turn ends at its limit, and what it was waiting for can be seen."""
    desk = desk_of(store, tmp_path, [{"wait": 3600}, {"say": "late"}])
    profile = load_profile("structured")
    # Long enough that the request has left, also where much else is to be done.
    hasty = replace(profile, limits=replace(profile.limits, seconds=3.0))  # type: ignore[arg-type]
    assert asyncio.run(take_turn(desk, "Go.", profile=hasty)).ended == "time"
    assert kept(store, desk, 1)["outcome"] == "cancelled"


def test_the_tools_of_requests_are_kept_once(store: Store, tmp_path: Path) -> None:
    """They are most of a record otherwise, and the same for each."""
    desk = desk_of(store, tmp_path, [CALL], [CALL], [{"say": "Done."}])
    asyncio.run(take_turn(desk, "Go."))
    named = [kept(store, desk, number)["tools"] for number in (1, 2, 3)]
    assert named[0] == named[1] == named[2]
    assert b"get_current_plan" in store.read_kept(named[0]["$kept"])  # type: ignore[index]


def test_an_archived_turn_is_recalled(store: Store) -> None:
    """By its citation, also if all before it is archived too; what was deleted is not."""
    store.append("t", [EntryDraft("user", {"text": text}) for text in ("one", "two", "three")])
    store.append("t", [EntryDraft("checkpoint", {"covers": [1, 2], "summary": "S"})])
    assert "one" in recall_archived_turn(store, "t", "[1]")
    store.append("t", [EntryDraft("delete", {"seqs": [3]})])
    with pytest.raises(WorkflowError, match="nothing is known"):
        recall_archived_turn(store, "t", "3")


def test_a_thread_may_be_read_again_by_another_program(store: Store, tmp_path: Path) -> None:
    """What is kept does not depend on what a program has read before."""
    desk = desk_of(store, tmp_path, [CALL], [{"say": "Done."}])
    asyncio.run(take_turn(desk, "Go."))
    with open_store(store.url) as other:
        assert asyncio.run(replay_request(other, desk.thread, 2)).same
