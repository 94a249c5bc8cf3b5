"""A limit that was set for a test and stayed is doubted, unless it is an input or was accepted."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from director.runs import Run, RunDependencies, run_workflow
from director.runs.playwright_script import write_playwright_script
from director.store import Store
from director.workflow.values import Workflow
from runs.building import code, flow, node


def each(**more: Any) -> Workflow:
    """A loop over seven names, with a limit."""
    loop = node("each", "iterate", over=list("abcdefg"), variable="name", body="say", **more)
    return flow(loop, code("say", "name", input={"name": "{{name}}"}), inputs=[{"name": "most"}])


def done(store: Store, workflow: Workflow, **inputs: Any) -> Run:
    """A run that passed."""
    run = asyncio.run(run_workflow(store, workflow, RunDependencies(), inputs=inputs))
    assert run.state == "done", run.error
    return run


def test_a_loop_that_stopped_at_its_limit_is_doubted(store: Store) -> None:
    """With how many it did and how many there are."""
    (doubt,) = done(store, each(limit=3), most=3).doubts
    assert doubt["kind"] == "limit"
    assert "stopped at its limit 3, after 3 of 7" in doubt["sentence"]
    assert doubt["evidence"] == {"limit": 3, "done": 3, "left": 4}


def test_a_limit_that_is_an_input_accepted_or_not_reached_is_no_doubt(store: Store) -> None:
    """Whoever starts the run has chosen it, or a person has said that it is right."""
    assert done(store, each(limit="{{most}}"), most=3).doubts == ()
    assert done(store, each(limit=7), most=3).doubts == ()
    workflow = each(limit=3)
    checks = ({"kind": "limit", "dismissed": True, "because": "the newest three"},)
    first, *others = workflow.nodes
    accepted = replace(workflow, nodes=(replace(first, checks=checks), *others))
    assert done(store, accepted, most=3).doubts == ()


def test_a_script_tells_of_its_limits_too() -> None:
    """Of a number that is left, not of an input."""
    assert "tell_left('each', 3, len(" in write_playwright_script(each(limit=3))
    assert "tell_left('each'" not in write_playwright_script(each(limit="{{most}}"))
