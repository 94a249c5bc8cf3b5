"""The nodes that need a model: cognition gives a value of a form, agent reaches a goal or fails."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.office import NAME, asks, opening, results
from director.agent.model_choice import choose_workflow_model
from director.agent.subagents.node_models import lend_node_models
from director.browser import Browser
from director.demo.site import Site
from director.models.script_values import Emit, Say, ScriptEngine, Seen
from director.runs import Run, RunDependencies, list_run_steps, run_workflow, save_run_workflow
from director.runs.resources import Resources, RunOptions
from director.store import Store
from director.workflow.values import Json, Node, Workflow

SCHEMA: dict[str, Json] = {"type": "object", "properties": {"amount": {"type": "number"}}}


def ran(
    runner: asyncio.Runner,
    store: Store,
    node: Node,
    brain: ScriptEngine,
    *,
    browser: Browser | None = None,
    origins: tuple[str, ...] = (),
) -> Run:
    """A run of one node, whose model this brain speaks for."""
    workflow = Workflow("w", "Prices", origins=origins, nodes=(node,))
    save_run_workflow(store, workflow)
    choose_workflow_model(store, "w", model=NAME)
    supplies = Resources(store, RunOptions())
    lend_node_models(supplies, store, opening(brain))
    assert supplies.minds is not None
    minds = supplies.minds("w")
    means = RunDependencies(browser=browser, think=minds.think, work=minds.work, pictures="none")
    return runner.run(run_workflow(store, workflow, means))


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of its own for each test."""
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path / "home"))


def test_a_cognition_node_is_answered_by_the_model_of_its_workflow(
    runner: asyncio.Runner, store: Store
) -> None:
    """It is shown the instruction and the input, and has to answer in the form; that is kept."""
    shown: list[Seen] = []

    def brain(seen: Seen) -> Sequence[Emit]:
        shown.append(seen)
        return [asks("answer", value={"amount": 12.5})]

    config: dict[str, Json] = {
        "instruction": "How much is it?",
        "input": {"text": "It is 12.50"},
        "schema": SCHEMA,
    }
    done = ran(runner, store, Node("n1", "amount", "cognition", config), brain)
    assert done.state == "done"
    assert [step.result for step in list_run_steps(store, done.id)] == [{"amount": 12.5}]
    assert "It is 12.50" in shown[0].items[-1].text
    kept = store.newest("request")
    assert [one.body["purpose"] for one in kept] == ["node"]


def test_a_model_that_answers_in_words_fails_the_node(runner: asyncio.Runner, store: Store) -> None:
    """What is no value is no answer, and the node says what was said instead."""
    config: dict[str, Json] = {"instruction": "How much?", "schema": SCHEMA}
    node = Node("n1", "amount", "cognition", config)
    done = ran(runner, store, node, lambda _: [Say("I would rather not.")])
    assert done.state == "failed"
    assert "I would rather not" in str(done.error)


def test_an_agent_node_acts_on_the_page_until_it_has_seen_its_goal(
    runner: asyncio.Runner, store: Store, browser: Browser, site: Site
) -> None:
    """It looks, clicks by a ref that it saw, looks again, and says what it found."""

    def brain(seen: Seen) -> Sequence[Emit]:
        said = results(seen)
        if not said:
            return [asks("navigate", url=f"{site.url}/shop")]
        if len(said) == 1:
            return [asks("find", text="Log in")]
        if len(said) == 2:
            ref = re.search(r"link [^\n]*\[ref=(\w+)\]", said[-1])
            return [asks("click", ref=ref[1] if ref else "e0")]
        return [asks("done", ok=True, result=said[-1])]

    node = Node("n1", "login", "agent", {"goal": "Open the form for logging in."})
    done = ran(runner, store, node, brain, browser=browser, origins=(site.url,))
    assert done.state == "done", done.error
    output = list_run_steps(store, done.id)[0].result
    assert isinstance(output, dict)
    assert "login" in str(output["result"])


def test_an_agent_node_cannot_leave_the_approved_origins_and_ends_after_its_steps(
    runner: asyncio.Runner, store: Store, browser: Browser, site: Site
) -> None:
    """A model that insists is refused each time, and the node fails with the number of steps."""
    shown: list[Seen] = []

    def brain(seen: Seen) -> Sequence[Emit]:
        shown.append(seen)
        return [asks("navigate", url="http://127.0.0.1:9/steal")]

    node = Node("n1", "leave", "agent", {"goal": "Leave.", "maxSteps": 3})
    done = ran(runner, store, node, brain, browser=browser, origins=(site.url,))
    assert done.state == "failed"
    assert "3 steps" in str(done.error)
    assert len(shown) == 3
    assert all("approved" in text for text in results(shown[-1]))
