"""The stream of events: nobody is waited for, nothing is missed in silence."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from director.agent import ensure_current_thread
from director.models.script_values import Say
from director.runs import save_run_workflow
from director.store import EntryDraft, Store, StoreAway, open_store
from director.store.run_variables import get_draft_run_id, set_run_variable
from director.web.app_server import bind_server_socket, make_app_server, open_served_app
from director.web.app_state import AppState
from director.web.event_hub import Hub
from director.web.store_feed import Feed
from director.workflow.values import Workflow
from scripts.chaos.postgres import NoPostgres, PostgresServer, own_server
from web.rooms import a_studio, enter


def read(chunks: bytes) -> list[tuple[str, Any]]:
    """The ids and the events of a stream."""
    found = []
    for block in chunks.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "data" in fields:
            found.append((fields["id"], json.loads(fields["data"])))
    return found


async def some(hub: Hub, last: str, count: int) -> list[tuple[str, Any]]:
    """So many events of a stream that begins after one."""
    found: list[tuple[str, Any]] = []
    async for piece in hub.stream(last):
        found += read(piece)
        if len(found) >= count:
            break
    return found


def test_a_window_that_comes_back_goes_on_where_it_was() -> None:
    """After the last event that it saw, and with none twice."""

    async def play() -> None:
        hub = Hub()
        for number in range(5):
            hub.tell({"n": number})
        hub.tell({"n": 5})
        ids = [f"{hub._epoch}-{number}" for number in range(1, 7)]
        assert [event for _, event in await some(hub, ids[2], 3)] == [{"n": 3}, {"n": 4}, {"n": 5}]
        waiting = asyncio.create_task(some(hub, ids[-1], 1))
        await asyncio.sleep(0)
        hub.tell({"n": 6})
        assert await waiting == [(f"{hub._epoch}-7", {"n": 6})]

    asyncio.run(play())


@pytest.mark.parametrize("last", ["another-3", "nonsense", "ffffffff-", "", "-1"])
def test_a_window_that_cannot_go_on_is_told_to_load_everything(last: str) -> None:
    """After a restart of the program, say; a new window is told nothing of the past."""

    async def play() -> list[tuple[str, Any]]:
        hub = Hub()
        hub.tell({"n": 1})
        waiting = asyncio.create_task(some(hub, last, 1))
        await asyncio.sleep(0)
        if not last:
            hub.tell({"n": 2})
        return await waiting

    (found,) = asyncio.run(play())
    assert found[1] == ({"reload": True} if last else {"n": 2})


def test_a_slow_window_is_never_waited_for() -> None:
    """It misses what it cannot keep up with, and is told so; telling takes no longer for it."""

    async def play() -> None:
        hub = Hub(kept=8)
        slow = hub.stream()
        await anext(slow)
        for number in range(100):
            hub.tell({"n": number})
        assert [event for _, event in read(await anext(slow))] == [{"reload": True}]
        hub.tell({"n": 100})
        assert [event for _, event in read(await anext(slow))] == [{"n": 100}]
        hub.close()
        assert [piece async for piece in slow] == []

    asyncio.run(play())


@contextmanager
def served(store: Store, folder: Path) -> Iterator[tuple[AppState, httpx.Client]]:
    """A studio that is served on a socket, and a browser that was let in."""
    listening = bind_server_socket("127.0.0.1", 0)
    port = listening.getsockname()[1]
    studio = a_studio(store, folder, [[Say("One.\nTwo.\nThree.")]])
    given = open_served_app(store, listening)
    studio.names, studio.sessions = given.names, given.sessions
    server = make_app_server(studio)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
    thread.start()
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=90) as browser:
            enter(browser, studio.sessions.link())
            yield studio, browser
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def events(response: httpx.Response) -> Iterator[tuple[str, Any]]:
    """The events of a stream as they come; the first sign of life is none."""
    id_ = ""
    for line in response.iter_lines():
        name, _, value = line.partition(": ")
        if name == "id":
            id_ = value
        elif name == "data":
            yield id_, json.loads(value)


def test_every_window_sees_what_changes_whoever_changes_it(store: Store, tmp_path: Path) -> None:
    """A turn as it is written, and what another program writes; then the stream is resumed."""
    with served(store, tmp_path) as (_, browser):
        with browser.stream("GET", "/events") as response:
            lines = events(response)
            browser.post("/api/workflows/w/say", json={"text": "Count."})
            told: list[tuple[str, Any]] = []
            for one in lines:
                told.append(one)
                if one[1].get("progress", {}).get("what") == "over":
                    break
            seen = [event for _, event in told]
            pieces = [event for event in seen if "text" in event]
            assert "".join(piece["text"] for piece in pieces) == "One.\nTwo.\nThree."
            assert [piece["at"] for piece in pieces] == [0, 5, 10]
            assert {piece["entry"] for piece in pieces} == {2}
            whats = [event["progress"]["what"] for event in seen if "progress" in event]
            assert whats[0] == "asking"
            assert whats[-2:] == ["ended", "over"]
        middle, rest = told[3][0], [event for _, event in told[4:]]
        with browser.stream("GET", "/events", headers={"last-event-id": middle}) as response:
            again = events(response)
            assert [next(again)[1] for _ in rest] == rest
            with open_store(store.url) as another:
                set_run_variable(another, get_draft_run_id("w"), "price", 3, "for a test")
                another.append(
                    ensure_current_thread(another, "w"), [EntryDraft("user", {"text": "Hi."})]
                )
                save_run_workflow(another, Workflow("w2", "Second"))
            wanted = {("w", "variables"), ("w", "chat"), ("w2", "workflows")}
            for _, event in again:
                parts = event.get("parts", ())
                wanted -= {(event["workflow"], part) for part in parts}
                if not wanted:
                    break
            assert not wanted


def test_a_workflow_of_many_windows_is_told_to_all(store: Store, tmp_path: Path) -> None:
    """Each of them gets each event, in the same order."""
    with served(store, tmp_path) as (_, browser):
        got: dict[int, list[Any]] = {}
        ready = threading.Barrier(9)

        def window(number: int) -> None:
            with (
                httpx.Client(base_url=browser.base_url, headers=browser.headers, timeout=90) as own,
                own.stream("GET", "/events") as response,
            ):
                lines = response.iter_lines()
                next(lines)
                ready.wait()
                for line in lines:
                    if line.startswith("data: "):
                        got.setdefault(number, []).append(json.loads(line[6:]))
                        if "Last" in line:
                            return

        windows = [threading.Thread(target=window, args=(number,)) for number in range(8)]
        for one in windows:
            one.start()
        ready.wait()
        for name in ("First", "Second", "Last"):
            browser.post("/api/workflows", json={"name": name})
            browser.put(f"/api/workflows/w/variables/{name}", json={"value": 1, "reason": name})
        browser.post("/api/workflows/w/say", json={"text": "Last"})
        store.put("plan", "Last", {"overall_goal": "x"})
        for one in windows:
            one.join()
        assert len(got) == 8
        assert all(each == got[0] for each in got.values())


def test_windows_hear_of_changes_again_after_the_server_was_away() -> None:
    """The feed waits for the server however long it takes, and goes on where it was."""

    async def go(store: Store, server: PostgresServer) -> None:
        told: asyncio.Queue[Mapping[str, object]] = asyncio.Queue()
        feed = Feed(store, told.put_nowait)
        try:
            await asyncio.to_thread(server.stop)
            with pytest.raises(StoreAway):
                await asyncio.to_thread(save_run_workflow, store, Workflow("w1", "Away"))
            await asyncio.sleep(2.5)  # longer than the feed pauses between two tries
            await asyncio.to_thread(server.start)
            await asyncio.to_thread(save_run_workflow, store, Workflow("w2", "Back"))
            async with asyncio.timeout(60):
                assert (await told.get())["workflow"] == "w2"
        finally:
            await asyncio.to_thread(feed.close)

    try:
        with own_server() as server, open_store(server.url) as store:
            asyncio.run(go(store, server))
    except NoPostgres as reason:
        pytest.skip(str(reason))
