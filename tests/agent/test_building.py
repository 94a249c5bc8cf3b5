"""A whole workflow built by scripted turns in a real browser, in each profile."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from agent.office import asks, desk, results
from director.agent.permissions.origin_requests import list_origin_approvals
from director.agent.turn import take_turn
from director.browser import Browser
from director.demo.site import Site
from director.models.script_engines.tape import Tape
from director.models.script_values import Emit, Say, Seen
from director.runs import RunDependencies, list_run_steps, run_workflow
from director.store import Store
from director.store.run_variables import get_draft_run_id, read_run_variables

PLAN = {
    "overall_goal": "Read the prices of the shop",
    "current_phase": "Read",
    "phases": [
        {
            "phase_name": "Read",
            "status": "in_progress",
            "tasks": [{"task_id": 1, "description": "Read the page", "status": "in_progress"}],
        }
    ],
}


def with_nodes(*aliases: str) -> dict[str, object]:
    """The plan with its task naming nodes."""
    task = {**PLAN["phases"][0]["tasks"][0], "node_ids": list(aliases)}  # type: ignore[index,dict-item]
    phase = {**PLAN["phases"][0], "tasks": [task]}  # type: ignore[index,dict-item]
    return {**PLAN, "phases": [phase]}


def building(site: str) -> list[list[Emit]]:
    """The answers of a model that plans, scouts, builds and tests."""
    extract = {
        "method": "deterministic_extract",
        "selector": "li.good",
        "fields": {"name": "h2", "price": ".price"},
        "store": True,
    }
    return [
        [
            asks("update_plan", plan=PLAN, reason="begin"),
            asks(
                "update_workflow_description",
                description={"workflow_name": "Prices", "goal": "Know the prices"},
                reason="told",
            ),
        ],
        [asks("debug_navigate", url=f"{site}/shop", reason="see it")],
        [asks("deploy_scout", instruction="Which selector matches the products?")],
        [
            asks(
                "create_node",
                type="browser_action",
                alias="open_shop",
                config={"action": "navigate", "url": f"{site}/shop"},
                ensures=[{"count": "li.good", "at_least": 1}],
            ),
            asks("create_node", type="browser_query", alias="read_prices", config=extract),
        ],
        [
            asks("test_single_node", node="open_shop"),
            asks("test_single_node", node="read_prices"),
        ],
        [asks("update_plan", plan=with_nodes("open_shop", "read_prices"), reason="built")],
        [asks("execute_nodes", nodes="all")],
        [Say("The workflow reads nine prices.")],
    ]


def scouting(shown: Seen) -> Sequence[Emit]:
    """A scout that looks, counts, and reports one thing that holds and one that does not."""
    if not results(shown):
        return [asks("look"), asks("count", selector="li.good")]
    found = [
        {"claim": "matches", "selector": "li.good", "count": 9, "note": "products"},
        {"claim": "matches", "selector": "li.bad", "count": 4},
        {"claim": "text", "selector": "h1", "text": "All products"},
    ]
    return [asks("report", findings=found)]


def both(tape: Tape) -> object:
    """A brain that is Director's, and a scout's where a scout is asked."""
    return lambda shown: scouting(shown) if "report" in shown.tools else tape(shown)


@pytest.mark.parametrize(
    "profile",
    [
        "structured",
        pytest.param("structured_cached", marks=pytest.mark.slow),
        pytest.param("clean", marks=pytest.mark.slow),
    ],
)
def test_a_workflow_is_built_and_then_runs_without_a_model(
    runner: asyncio.Runner, browser: Browser, store: Store, site: Site, profile: str
) -> None:
    """Plan, scout, nodes, tests, a green run; afterwards no model is needed."""
    shown: list[Seen] = []
    brain = both(Tape(building(site.url)))
    given = {"browser": browser, "origins": (site.url,), "profile": profile, "seen": shown}
    made = desk(store, brain, **given)  # type: ignore[arg-type]
    turn = runner.run(take_turn(made, f"Read the prices at {site.url}/shop, please."))
    assert (turn.ended, turn.text) == ("said", "The workflow reads nine prices."), turn
    own = [each for each in shown if "report" not in each.tools]
    told = results(own[-1])
    scout = next(text for text in told if text.startswith("A scout looked"))
    assert "- li.good matches 9 (products)" in scout
    assert "- h1 says 'All products'" in scout
    assert "Dropped" in scout
    assert "li.bad matches 0, not 4" in scout
    assert not [text for text in told if "not run" in text or "broke" in text], told
    tried = next(text for text in told if text.startswith("open_shop: success"))
    proposed = f'{{"below":400,"status":"{site.url}/shop"}}'
    assert f" open_shop could carry: ensures {proposed}" in tried
    assert [one.state for one in list_origin_approvals(store, "w")] == ["approved"]
    plan = made.saved.plan()
    assert plan is not None
    assert [task.status for task in plan.tasks] == ["completed"]
    assert set(made.saved.statuses().values()) == {"success"}
    assert len(read_run_variables(store, get_draft_run_id("w"))["read_prices.result"]["items"]) == 9  # type: ignore[index]
    runner.run(made.close())
    alone = run_workflow(store, made.now(), RunDependencies(browser=browser, pictures="none"))
    run = runner.run(alone)
    assert run.state == "done"
    assert [step.status for step in list_run_steps(store, run.id)] == ["success", "success"]
