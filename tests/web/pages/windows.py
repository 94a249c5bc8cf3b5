"""An app that is served for real, windows of a real browser that look at it, and its scripted model."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from agent.office import opening
from agent.summaries import good, talk
from director.agent import ensure_current_thread
from director.agent.agent_session import Opens, open_session_model
from director.agent.saved_workflow import SavedState
from director.browser import BrowserError
from director.browser.chromium import find_chromium
from director.demo.scripted_demo import MODEL as REHEARSAL
from director.home import home
from director.models import Journal, Model
from director.models.script_values import Ask, Emit, Say, ScriptEngine, Seen, Shown, Wait
from director.runs import save_run_workflow
from director.runs.doubts import Doubt
from director.runs.resources import Resources, RunOptions
from director.runs.run_journal import encode_run, parse_run
from director.store import Store
from director.web import AppState
from director.web.app_server import bind_server_socket, make_app_server
from director.web.guard.access import OwnNames
from director.web.sessions import Sessions
from director.workflow.document import read_workflow_document
from director.workflow.plan import parse_plan

FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# A machine that has much to do takes its time.
PATIENCE = 90_000
expect.set_options(timeout=PATIENCE)
FOREVER = Wait(3_600.0)
NODES = [
    {
        "id": "n1",
        "alias": "find",
        "type": "transform",
        "description": "Find the prices",
        "config": {"code": "[{'price': 3}, {'price': 5}]", "create_records": "item"},
    },
    {
        "id": "n2",
        "alias": "each",
        "type": "iterate",
        "config": {"records": "item_*", "body": ["n3"]},
    },
    {
        "id": "n3",
        "alias": "convert",
        "type": "transform",
        "config": {
            "input": {"price": "{{current.price}}", "rate": "{{rate}}"},
            "code": "price * rate",
            "store_to_record": True,
        },
    },
    {
        "id": "n4",
        "alias": "code",
        "type": "context",
        "config": {"ask": {"code": "Which code did you get?"}},
    },
]
PLAN = {
    "overall_goal": "Compare the prices",
    "current_phase": "Read",
    "phases": [
        {
            "phase_name": "Read",
            "status": "in_progress",
            "tasks": [
                {"task_id": 1, "description": "Find the prices", "status": "completed"},
                {"task_id": 2, "description": "Ask for the rate", "status": "in_progress"},
                {"task_id": 3, "description": "Read the shop", "status": "failed"},
            ],
        },
        {
            "phase_name": "Write",
            "status": "pending",
            "tasks": [{"task_id": 4, "description": "Fill the table", "status": "pending"}],
        },
    ],
}


def ask(tool: str, /, **args: Any) -> list[Emit]:
    """A step in which the model calls one tool."""
    return [Ask(tool, json.dumps(args))]


def say(text: str) -> list[Emit]:
    """A step in which the model says something and calls nothing."""
    return [Say(text)]


@dataclass(slots=True)
class Stage:
    """A brain that answers what the user says by the lines it was given, one call at a time."""

    lines: dict[str, Sequence[Sequence[Emit]]] = field(default_factory=dict)
    summary: ScriptEngine | None = None

    def __call__(self, seen: Seen) -> Sequence[Emit]:
        """The next step of the answer to what was said last; a summary if one is asked for."""
        if not seen.tools:
            return (self.summary or good)(seen)
        said = [nth for nth, item in enumerate(seen.items) if _is_said(item)]
        last = said[-1] if said else 0
        done = sum(item.kind == "result" for item in seen.items[last:])
        steps = self.lines.get(seen.items[last].text, [say("I have no line for that.")])
        return steps[min(done, len(steps) - 1)]


def _is_said(item: Shown) -> bool:
    """Whether the user said it; sections are shown as messages too."""
    return item.kind == "user" and not item.text.startswith("<")


@dataclass(frozen=True, slots=True)
class App:
    """An app that is served: where, with which store, and who speaks in it."""

    url: str
    store: Store
    studio: AppState
    stage: Stage
    browser: Browser
    context: BrowserContext

    def open(self, path: str = "/", context: BrowserContext | None = None) -> Page:
        """A new window, which breaks the test if its page breaks."""
        page = (context or self.context).new_page()
        page.goto(f"{self.url}{path}")
        return page

    def other(self, **how: Any) -> BrowserContext:
        """Another browser that is let in: its cookies are its own."""
        made = self.browser.new_context(**how)
        made.set_default_timeout(PATIENCE)
        page = made.new_page()
        enter(page, self.url, self.studio)
        page.close()
        return made


def enter(page: Page, url: str, studio: AppState) -> None:
    """Let a browser in by a launch link, and wait until it is."""
    page.goto(f"{url}/launch#{studio.sessions.link()}")
    page.wait_for_url(f"{url}/", timeout=PATIENCE)


def a_workflow(store: Store, id_: str, name: str = "", *, nodes: bool = True) -> str:
    """A workflow with nodes that need no browser, an input and a plan."""
    body = {"version": 1, "id": id_, "name": name or id_, "nodes": NODES if nodes else []}
    body["inputs"] = [
        {"name": "rate", "description": "euros for a point", "default": 2},
        {"name": "password", "description": "of the shop"},
    ]
    body["origins"] = ["https://shop.example"]
    save_run_workflow(store, read_workflow_document(body))
    if nodes:
        SavedState(store, id_).save_plan(parse_plan(PLAN), "the first plan")
    return id_


def a_talk(store: Store, id_: str, rounds: int = 6) -> str:
    """A workflow with a conversation that can be compressed; its thread."""
    a_workflow(store, id_, nodes=False)
    thread = ensure_current_thread(store, id_)
    store.append(thread, talk(rounds))
    return thread


def a_doubt(store: Store, run: str) -> None:
    """A doubt about the rows that a node of a run read."""
    stored = store.get("run", run)
    assert stored is not None
    seen = {"read": 2, "said": 5, "text": "5 results", "step": "n1"}
    doubt = Doubt("total", "n1", "find", "find read 2 rows, and the page says '5 results'.", seen)
    told = encode_run(replace(parse_run(stored), doubts=(doubt.json(),)))
    store.put("run", run, told, "doubted", expect=stored.version)


def speaking(stage: Stage) -> Opens:
    """The stage speaks for every model but the rehearsal's, which has its own script."""
    otherwise = opening(stage)

    def opened(name: str, journal: Journal | None) -> Model:
        return open_session_model(name, journal) if name == REHEARSAL else otherwise(name, journal)

    return opened


@contextmanager
def serving(
    store: Store, stage: Stage, port: int = 0, *, password: str = ""
) -> Iterator[tuple[str, AppState]]:
    """The app of a store, served until the block ends, and where."""
    listening = bind_server_socket("127.0.0.1", port)
    own = listening.getsockname()[1]
    sessions = Sessions(home() / "sessions.json", password=password)
    studio = AppState(
        store,
        Resources(store, RunOptions(pictures="none")),
        sessions=sessions,
        names=OwnNames(["127.0.0.1", sessions.host], own),
        opens=speaking(stage),
    )
    server = make_app_server(studio)
    running = threading.Thread(target=lambda: asyncio.run(server.serve([listening])), daemon=True)
    running.start()
    try:
        yield f"http://127.0.0.1:{own}", studio
    finally:
        server.should_exit = True
        running.join(30)
        listening.close()


@contextmanager
def looking(store: Store) -> Iterator[App]:
    """The app of a store, and one browser to look at it."""
    stage = Stage()
    with serving(store, stage) as (url, studio), sync_playwright() as playing:
        try:
            browser = playing.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        except (BrowserError, PlaywrightError) as reason:
            pytest.skip(str(reason))
        context = browser.new_context(viewport={"width": 1280, "height": 860})
        context.set_default_timeout(PATIENCE)
        app = App(url, store, studio, stage, browser, context)
        page = context.new_page()
        enter(page, url, studio)
        page.close()
        yield app
        browser.close()
