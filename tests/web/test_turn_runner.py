"""Turns that windows begin: one at a time, told truly, kept whatever happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from agent.office import asks
from director.agent import ensure_current_thread
from director.agent.turn_lease import held
from director.models.script_values import Emit, Fail, Say, ScriptEngine, Seen, Wait
from director.store import EntryDraft, Store
from director.web import AppState
from web.rooms import a_studio, let_in, over

API = "/api/workflows/w"


@contextmanager
def room(
    store: Store, folder: Path, steps: ScriptEngine | Sequence[Sequence[Emit]]
) -> Iterator[tuple[AppState, TestClient]]:
    """A studio whose model says these, and a client of it."""
    studio = a_studio(store, folder, steps)
    with let_in(studio) as client:
        yield studio, client


def say(client: TestClient, text: str, **more: str) -> Any:
    """Say something."""
    return client.post(f"{API}/say", json={"text": text, **more})


def ended(studio: AppState, client: TestClient) -> Any:
    """How the turn stands when it has ended."""
    over(studio, client)
    return client.get(f"{API}/turn").json()


def kinds(store: Store) -> list[str]:
    """The kinds of the entries of the conversation."""
    return [entry.kind for entry in store.entries(ensure_current_thread(store, "w"))]


def test_what_is_said_is_stored_and_answered(store: Store, tmp_path: Path) -> None:
    """The message is an entry before the request is answered; calls are shown with results."""
    steps = [[asks("get_current_plan", "c1")], [Say("There is no plan.")]]
    with room(store, tmp_path, steps) as (studio, client):
        begun = say(client, "Is there a plan?")
        assert begun.status_code == 202
        assert ended(studio, client)["turn"]["state"] == "said"
        page = client.get(f"{API}/entries").json()
    user, agent, last = page["entries"]
    assert (user["kind"], user["text"]) == ("user", "Is there a plan?")
    assert [(call["tool"], call["state"]) for call in agent["calls"]] == [
        ("get_current_plan", "done")
    ]
    assert last["text"] == "There is no plan."
    assert page["earlier"] is False


@pytest.mark.promise("F7")
def test_two_windows_cannot_interleave_a_turn(store: Store, tmp_path: Path) -> None:
    """Of messages at once some are refused with nothing stored; the log is one after the other."""
    steps: list[list[Emit]] = [[Say(f"Answer {number}.")] for number in range(24)]
    with room(store, tmp_path, steps) as (studio, client):
        with ThreadPoolExecutor(6) as windows:
            answers = list(windows.map(lambda number: say(client, f"Message {number}"), range(24)))
        ended(studio, client)
    taken = [answer for answer in answers if answer.status_code == 202]
    assert {answer.status_code for answer in answers} <= {202, 409}
    assert taken
    assert kinds(store) == ["user", "agent"] * len(taken)


@pytest.mark.promise("F7")
def test_while_a_turn_runs_nothing_else_is_taken(store: Store, tmp_path: Path) -> None:
    """Not a message, a retry, a test, a compression or a new conversation; until it is stopped."""
    with room(store, tmp_path, [[Wait(600.0), Say("Late.")]]) as (studio, client):
        assert say(client, "Begin.").status_code == 202
        assert client.get(f"{API}/turn").json()["turn"]["state"] == "running"
        for path, body in (
            ("say", {"text": "And this."}),
            ("retry", {}),
            ("nodes/first/test", {}),
            ("run", {}),
            ("compression/propose", {}),
            ("conversations", None),
        ):
            refused = client.post(f"{API}/{path}", json=body)
            assert refused.status_code == 409, path
            assert refused.json()["next"]
        stopped = client.post(f"{API}/stop").json()
        assert stopped["turn"]["state"] == "cancelled"
        assert kinds(store) == ["user"]
        assert not studio.is_busy("w")


@pytest.mark.promise("F7")
def test_a_turn_of_another_program_counts_as_well(store: Store, tmp_path: Path) -> None:
    """It cannot be stopped from here, and nothing is stored beside it."""
    with room(store, tmp_path, [[Say("Never.")]]) as (_, client):
        thread = ensure_current_thread(store, "w")

        async def meanwhile() -> list[int]:
            async with held(store, thread):
                said = await asyncio.to_thread(say, client, "Hello?")
                test = await asyncio.to_thread(client.post, f"{API}/nodes/first/test", json={})
                stop = await asyncio.to_thread(client.post, f"{API}/stop")
                return [said.status_code, test.status_code, stop.status_code]

        assert asyncio.run(meanwhile()) == [409, 409, 409]
        assert kinds(store) == []


@pytest.mark.promise("F7")
def test_a_node_test_holds_the_conversation_and_leaves_it_as_it_was(
    store: Store, tmp_path: Path
) -> None:
    """For every program; how the last turn ended is told as before."""
    with room(store, tmp_path, [[Say("Well.")]]) as (studio, client):
        say(client, "Hello.")
        before = ended(studio, client)
        assert client.post(f"{API}/nodes/first/test", json={}).status_code == 200
        assert client.get(f"{API}/turn").json() == before
    told = [one.body["state"] for one in store.versions("turn", ensure_current_thread(store, "w"))]
    assert told == ["running", "said", "running", "said"]


def test_a_turn_that_fails_says_why_and_keeps_what_was_said(store: Store, tmp_path: Path) -> None:
    """The message stays; the reason is told until the next turn; a retry takes it again."""

    def moody(seen: Seen) -> Sequence[Emit]:
        asked = [item.text for item in seen.items if item.kind == "user"]
        return [Say("Fine.")] if "Please." in asked else [Fail("invalid_api_key", "No entry.")]

    with room(store, tmp_path, moody) as (studio, client):
        assert say(client, "Go.").status_code == 202
        now = ended(studio, client)
        assert now["turn"]["state"] == "failed"
        assert "No entry." in now["failure"]
        assert kinds(store) == ["user"]
        assert client.post(f"{API}/retry", json={"text": "Please."}).status_code == 202
        now = ended(studio, client)
        assert (now["turn"]["state"], now["failure"]) == ("said", "")
        shown = client.get(f"{API}/entries").json()["entries"]
    assert [(one["kind"], one["shown"]) for one in shown] == [
        ("user", "deleted"),
        ("delete", "visible"),
        ("user", "visible"),
        ("agent", "visible"),
    ]


def test_a_model_that_is_none_is_refused_in_words(store: Store, tmp_path: Path) -> None:
    """And so is a profile that is none; what was said is kept, and says so."""
    with room(store, tmp_path, [[Say("Fine.")]]) as (studio, client):
        assert say(client, "Go.", profile="nobody").status_code in (202, 422)
        ended(studio, client)
        assert "nobody" in client.get(f"{API}/turn").json()["failure"]
        assert kinds(store) == ["user"]


def test_a_question_is_shown_with_its_choices_and_answered_by_what_is_said(
    store: Store, tmp_path: Path
) -> None:
    """The answer is the result of the call."""
    ask = asks("ask_user", "q1", question="Which colour?", choices=["red", "blue"])
    with room(store, tmp_path, [[ask], [Say("Blue it is.")]]) as (studio, client):
        say(client, "Paint it.")
        now = ended(studio, client)["turn"]
        assert now["state"] == "asked"
        assert now["asked"] == {
            "call": "q1",
            "question": "Which colour?",
            "choices": ["red", "blue"],
        }
        say(client, "blue")
        assert ended(studio, client)["turn"]["asked"] is None
        assert kinds(store) == ["user", "agent", "result", "agent"]
        (call,) = client.get(f"{API}/entries").json()["entries"][1]["calls"]
        assert (call["result"], call["state"]) == ("blue", "done")


def test_an_origin_waits_for_the_users_word(store: Store, tmp_path: Path) -> None:
    """It is listed with who asked and why; approving lets the call go on that waits for it."""
    config = {"action": "navigate", "url": "https://shop.example/x"}
    ask = asks("create_node", "c1", type="browser_action", alias="x", config=config)
    with room(store, tmp_path, [[ask], [Say("Thank you.")]]) as (studio, client):
        say(client, "Look at the shop.")
        deadline = time.monotonic() + 60
        while not (listed := client.get(f"{API}/approvals").json()):
            assert time.monotonic() < deadline
        (asked,) = listed
        assert studio.is_busy("w")
        assert (asked["state"], asked["tool"]) == ("asked", "create_node")
        body = {"origin": "https://shop.example", "answer": "approved"}
        (answered,) = client.post(f"{API}/approvals", json=body).json()
        assert answered["state"] == "approved"
        assert client.get(f"{API}/nodes").json()["origins"] == ["https://shop.example"]
        wrong = client.post(f"{API}/approvals", json={**body, "origin": "javascript:1"})
        assert wrong.status_code == 422
        assert ended(studio, client)["turn"]["state"] == "said"
        assert kinds(store) == ["user", "agent", "result", "agent"]
        (call,) = client.get(f"{API}/entries").json()["entries"][1]["calls"]
        assert call["state"] == "done"


def test_without_an_answer_a_turn_of_the_app_ends_and_waits(store: Store, tmp_path: Path) -> None:
    """As long as a call waits, then as before: the turn says what it waits for."""
    ask = asks("debug_navigate", "c1", url="https://shop.example/x", reason="to look")
    with room(store, tmp_path, [[ask], [Say("Thank you.")]]) as (studio, client):
        assert client.portal is not None
        client.portal.call(studio.desk, "w").patience = 0.0
        say(client, "Look at the shop.")
        now = ended(studio, client)["turn"]
        assert (now["state"], now["origins"]) == ("waiting", ["https://shop.example"])


def test_a_new_conversation_leaves_the_old_one_readable(store: Store, tmp_path: Path) -> None:
    """Under its own name; nobody reads a thread of another workflow here."""
    with room(store, tmp_path, [[Say("One.")], [Say("Two.")]]) as (studio, client):
        say(client, "First.")
        ended(studio, client)
        old = ensure_current_thread(store, "w")
        assert client.post(f"{API}/conversations").status_code == 201
        assert client.get(f"{API}/entries").json()["entries"] == []
        before = client.get(f"{API}/entries", params={"thread": old}).json()
        assert [entry["text"] for entry in before["entries"]] == ["First.", "One."]
        assert [one["current"] for one in client.get(f"{API}/conversations").json()] == [
            False,
            True,
        ]
        elsewhere = store.open_thread("another")
        strange = client.get(f"{API}/entries", params={"thread": elsewhere})
        assert strange.status_code == 404


def test_a_long_conversation_is_read_a_page_at_a_time(store: Store, tmp_path: Path) -> None:
    """Every entry once, in order, whatever the size of a page; no call without its results."""
    thread = ensure_current_thread(store, a_studio(store, tmp_path) and "w")
    item = {"type": "function_call", "call_id": "c", "name": "find", "arguments": "{}"}
    for number in range(60):
        calls = [{**item, "call_id": f"c{number}-{nth}"} for nth in range(number % 4)]
        drafts = [EntryDraft("user", {"text": f"m{number}"})]
        drafts.append(EntryDraft("agent", {"wire": "responses", "items": calls, "text": ""}))
        drafts += [
            EntryDraft("result", {"call": call["call_id"], "text": "x" * 9_000, "failed": False})
            for call in calls
        ]
        store.append(thread, drafts)
    with let_in(a_studio(store, tmp_path)) as client:
        for limit in (1, 3, 7, 50):
            seen: list[Any] = []
            before: int | None = None
            while True:
                given = {"limit": limit, **({"before": before} if before else {})}
                page = client.get(f"{API}/entries", params=given).json()
                seen = page["entries"] + seen
                if not page["earlier"]:
                    break
                before = page["entries"][0]["seq"]
            assert [one["text"] for one in seen if one["kind"] == "user"] == [
                f"m{number}" for number in range(60)
            ]
            assert [one["seq"] for one in seen] == sorted({one["seq"] for one in seen})
            every = [call for one in seen for call in one["calls"]]
            assert len(every) == sum(number % 4 for number in range(60))
            assert {(call["state"], len(call["result"])) for call in every} == {("done", 4_000)}
        last = next(one for one in seen if one["calls"])
        whole = client.get(f"{API}/entries/{last['seq']}").json()
        assert len(whole["calls"][0]["result"]) == 9_000
