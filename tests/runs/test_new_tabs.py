"""A click that opens a new tab says so, with how to work in it."""

from __future__ import annotations

from director.agent.conversation.step_text import describe_step
from director.runs import list_run_steps, run_workflow
from director.store import Store
from runs.building import flow, node, pages
from runs.conftest import Live

LINK = "<title>A</title><a id=open target=_blank href=/other>Open</a><a id=stay href=#x>Stay</a>"


def test_a_new_tab_is_told_to_people_and_models(live: Live, store: Store) -> None:
    """Its name and address, once: with the click, or with the next action if it came late."""
    with pages(index=LINK, other="<title>B</title><h1>Other</h1>") as origin:
        workflow = flow(
            node("go", "browser_action", action="navigate", url=origin),
            node("stay", "browser_action", action="click", selector="#stay"),
            node("open", "browser_action", action="click", selector="#open"),
            node("wait", "browser_action", action="wait", selector="#open"),
            node("switch", "browser_action", action="switchTab", tabName="main_2"),
            origin=origin,
        )
        run = live.run(run_workflow(store, workflow, live.means()))
    assert run.state == "done", run.error
    steps = {step.alias: step for step in list_run_steps(store, run.id)}
    told = [step for step in steps.values() if "opened" in (step.result or {})]  # type: ignore[operator]
    assert len(told) == 1
    assert told[0].alias in ("open", "wait", "switch")
    said = "\n".join(describe_step(told[0], "open"))
    assert "A new tab 'main_2' was opened" in said
    assert "switchTab works in it" in said
    assert steps["go"].notes == steps["stay"].notes == ()
