"""Compression within a turn: due before a request, kept with it, and shown as the profile wants."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from agent.prefixes import WatchedSession
from agent.summaries import FAULTS, PATIENCE, STATE, begun, echo, good, talk, writer
from director.agent.agent_session import AgentSession
from director.agent.compression.compression_proposal import (
    CompressionTask,
    propose_compression_summary,
)
from director.agent.compression.thread_compression import apply_compression, compress_now
from director.agent.compression.thresholds import Marks
from director.agent.conversation.current_thread import ensure_current_thread
from director.agent.request_log.kept_requests import read_kept_request, read_sent_body
from director.agent.request_log.request_replay import replay_request
from director.agent.turn import take_turn
from director.agent.turn_lease import TurnRunning, hold_thread
from director.models import Journal, Model
from director.models.script_values import Ask, Emit, Fail, Say, Seen
from director.settings import load_settings
from director.store import Store, open_store
from director.store.context_view import project_context_view
from director.workflow.document import write_workflow_document
from director.workflow.values import Workflow
from store.engines import prepared_file

MARKS = Marks(warn=300, at=400, to=200)
SMALL = {"compress_at": 30_000, "warn_at": 25_000, "compress_to": 4_000}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with one workflow in it."""
    with open_store(prepared_file(tmp_path / "store.db")) as opened:
        opened.put("workflow", "lamps", write_workflow_document(Workflow("lamps", "Lamps")))
        yield opened


def desk_of(store: Store, brain: object, profile: str = "clean") -> AgentSession:
    """A desk whose model has this brain, and whose marks are low."""

    def opens(_name: str, journal: Journal | None) -> Model:
        model = writer(brain, name="lamp")  # type: ignore[arg-type]
        model.journal = journal or model.journal
        return model

    settings = load_settings({**SMALL, "profile": profile, "model": "scripted:lamp"}, environ={})
    return WatchedSession(store, "lamps", settings=settings, open_model=opens)


def is_summary(seen: Seen) -> bool:
    """Whether a summary is asked for."""
    return "<conversation>" in seen.items[-1].text


def turn(desk: AgentSession, text: str) -> str:
    """Say something and wait for the answer."""

    async def taken() -> str:
        try:
            return (await take_turn(desk, text)).text
        finally:
            await desk.close()

    return asyncio.run(taken())


@pytest.mark.parametrize("profile", ["structured", "structured_cached", "clean"])
def test_a_full_thread_is_compressed_before_the_next_request(store: Store, profile: str) -> None:
    """The model then sees the summary where its profile shows it, once, and the new message."""
    seen: list[Seen] = []

    def brain(shown: Seen) -> Sequence[Emit]:
        seen.append(shown)
        return good(shown) if is_summary(shown) else [Say("All right.")]

    thread = ensure_current_thread(store, "lamps")
    store.append(thread, talk(40, more=400))
    desk = desk_of(store, brain, profile)
    assert turn(desk, "Go on.") == "All right."
    kinds = [entry.kind for entry in store.entries(thread)]
    assert kinds[-3:] == ["user", "checkpoint", "agent"]
    assert [is_summary(one) for one in seen] == [True, False]
    shown = json.dumps([seen[1].instructions, [item.text for item in seen[1].items]])
    assert shown.count("In place of turns") == 1
    assert ("In place of turns" in seen[1].instructions) == (profile != "clean")


def test_the_conversation_goes_on_when_the_summariser_is_down(store: Store) -> None:
    """The request is sent with excerpts and says so; the report tells why; the log is as it was."""

    def brain(shown: Seen) -> Sequence[Emit]:
        return [Fail("invalid_prompt")] if is_summary(shown) else [Say("All right.")]

    thread = ensure_current_thread(store, "lamps")
    store.append(thread, talk(40, more=400))
    before = project_context_view(store.entries(thread))
    assert turn(desk_of(store, brain), "Go on.") == "All right."
    assert "checkpoint" not in [entry.kind for entry in store.entries(thread)]
    assert project_context_view(store.entries(thread)).turns[: len(before.turns)] == before.turns
    newest = store.get("request", thread)
    assert newest is not None
    report = newest.body["report"]
    assert "wrote no summary" in report["gap"]  # type: ignore[index]
    assert "in excerpts" in read_sent_body(store, thread, newest.version).decode()


@pytest.mark.promise("C1")
@pytest.mark.moves_prefix("the history is over its limit all the time")
@pytest.mark.parametrize(
    "fault",
    [
        "failed",
        "worthless",
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in ("echo", *sorted(FAULTS))
            if one not in ("failed", "worthless")
        ),
    ],
)
def test_no_summariser_can_stop_a_conversation_or_make_it_dear(store: Store, fault: str) -> None:
    """Four turns of three rounds are answered; one attempt for each, none after two useless ones."""
    asked: list[Seen] = []

    def brain(shown: Seen) -> Sequence[Emit]:
        if is_summary(shown):
            asked.append(shown)
            return echo(shown) if fault == "echo" else FAULTS[fault](shown)
        said = max(nth for nth, item in enumerate(shown.items) if item.kind == "user")
        done = sum(item.kind == "result" for item in shown.items[said:])
        return [Say("All right.")] if done == 2 else [Ask("get_current_plan")]

    thread = ensure_current_thread(store, "lamps")
    store.append(thread, talk(40, more=400))
    for nth in range(4):
        desk = desk_of(store, brain)
        assert turn(desk, f"Go on {nth}.") == "All right."
    came = [one.body["outcome"] for one in store.versions("compression", thread)]
    assert came == (["failed"] * 4 if fault in ("failed", "refused") else ["refused"] * 2)
    assert len(asked) <= len(came) * PATIENCE.attempts
    assert "checkpoint" not in [entry.kind for entry in store.entries(thread)]


@pytest.mark.promise("B9")
def test_every_request_of_a_turn_is_kept(store: Store) -> None:
    """With its parts, and its bytes again when it is asked for."""
    desk = desk_of(store, lambda _: [Say("All right.")], "structured_cached")
    thread = ensure_current_thread(store, "lamps")
    turn(desk, "Begin.")
    turn(desk, "Go on.")
    body = read_kept_request(store, thread, 2).body
    places = {(part["place"], part["name"]) for part in body["parts"]}  # type: ignore[attr-defined]
    assert {("instructions", "system"), ("last", "workflow"), ("history", "user")} <= places
    assert b"Go on." in read_sent_body(store, thread, 2)


def test_a_user_waits_until_the_turn_has_ended(store: Store) -> None:
    """While a turn is running neither is compressed nor applied, and nothing is written."""
    begun(store)

    async def busy() -> None:
        proposal = await propose_compression_summary(
            CompressionTask(store, "main", STATE, writer(good), MARKS)
        )
        async with hold_thread(store, "main"):
            with pytest.raises(TurnRunning, match="Nothing was compressed"):
                await compress_now(CompressionTask(store, "main", STATE, writer(good), MARKS))
            with pytest.raises(TurnRunning):
                apply_compression(store, "main", proposal)
        apply_compression(store, "main", proposal)

    asyncio.run(busy())


def test_a_request_for_a_summary_is_made_again_from_the_store(tmp_path: Path, store: Store) -> None:
    """By a script in a file, which can be opened again."""
    from director.models import open_model  # noqa: PLC0415  only here

    script = tmp_path / "s.json"
    say = {"when": {}, "then": [{"say": "lamp-0 #buy-0 main"}]}
    script.write_text(json.dumps({"brain": "rules", "rules": [say]}))
    begun(store, rounds=1)

    async def proposed() -> None:
        async with open_model(f"scripted:{script}") as model:
            await propose_compression_summary(CompressionTask(store, "main", STATE, model, MARKS))

    asyncio.run(proposed())
    assert asyncio.run(replay_request(store, "main", 1)).same
