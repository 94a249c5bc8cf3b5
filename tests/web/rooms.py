"""A studio for the tests: a store, a scripted model, and a client that was let in."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
from starlette.testclient import TestClient

from agent.office import opening
from director.agent.agent_session import Opens
from director.models.script_engines.tape import Tape
from director.models.script_values import Emit, ScriptEngine
from director.runs import save_run_workflow
from director.runs.resources import Resources, RunOptions
from director.store import Store
from director.web import AppState, make_app
from director.web.guard.access import OwnNames
from director.web.sessions import Sessions
from director.workflow.values import Node, Workflow

PORT = 7878
HOME = f"http://127.0.0.1:{PORT}"
CONFIG = {"input": {"prices": [3, 5]}, "code": "min(prices)", "store": True}
WORKFLOW = Workflow("w", "Prices", (Node("n1", "first", "transform", CONFIG, effect="idempotent"),))


def a_studio(
    store: Store,
    folder: Path,
    brain: ScriptEngine | Sequence[Sequence[Emit]] = (),
    *,
    password: str = "",
    opens: Opens | None = None,
) -> AppState:
    """A studio whose model says what the brain says, with the workflow `w`."""
    if store.get("workflow", "w") is None:
        save_run_workflow(store, WORKFLOW)
    speaks = brain if callable(brain) else Tape(brain)
    return AppState(
        store,
        Resources(store, RunOptions(pictures="none")),
        sessions=Sessions(folder / "sessions.json", password=password),
        names=OwnNames(["127.0.0.1", "localhost"], PORT),
        opens=opens or opening(speaks),
    )


def key_of(studio: AppState) -> dict[str, str]:
    """The header of a browser that was let in."""
    return {"authorization": f"Bearer {studio.sessions.enter(studio.sessions.link())}"}


def enter(browser: httpx.Client | TestClient, link: str) -> dict[str, str]:
    """Let a client in by the token of a launch link; the header that it sends from now on."""
    made = browser.post("/launch", json={"link": link})
    assert made.status_code == 200, made.text
    key = {"authorization": f"Bearer {made.json()['key']}"}
    browser.headers.update(key)
    return key


@contextmanager
def let_in(studio: AppState) -> Iterator[TestClient]:
    """A client of a running app, let in by a launch link."""
    with TestClient(make_app(studio), base_url=HOME) as client:
        client.headers.update(key_of(studio))
        yield client


def over(studio: AppState, client: TestClient, workflow: str = "w") -> None:
    """Wait until nothing goes on in a workflow."""
    task = studio.turns._on.get(workflow)
    if task is not None:
        assert client.portal is not None
        client.portal.call(asyncio.wait, {task})
