"""What the system prompt says can be asked for, looked at and written, done by calls of the tools."""

from __future__ import annotations

import asyncio
import re

from agent.office import asks
from agent.test_prompt_tools import Told, go, node, told
from director.demo.site import Site
from director.sections.section_texts import read_system_prompt

__all__ = ["told"]  # a fixture

PLAN = {
    "overall_goal": "Read the prices.",
    "current_phase": "Read",
    "phases": [
        {
            "phase_name": "Read",
            "status": "in_progress",
            "tasks": [{"task_id": 1, "description": "Open the shop", "status": "pending"}],
        }
    ],
    "next_actions": ["Open it"],
    "blockers": [],
}


def test_what_is_not_shown_can_be_asked_for(runner: asyncio.Runner, told: Told, site: Site) -> None:
    """Each row of the table of calls, after something was kept by the calls that keep it."""
    found = told(
        runner,
        asks(
            "update_workflow_description",
            description={"workflow_name": "Prices", "goal": "Read the prices."},
            reason="r",
        ),
        asks("update_plan", plan=PLAN, reason="r"),
        node("open_shop", "browser_action", {"action": "navigate", "url": f"{site.url}/shop"}),
        node("tax", "transform", {"input": {}, "code": "0.19", "store": True}),
        asks("test_single_node", node="open_shop"),
        asks("test_single_node", node="tax"),
        asks("get_workflow_description"),
        asks("get_current_plan"),
        asks("get_workflow_summary"),
        asks("get_workflow_nodes", range="1-1"),
        asks("get_workflow_nodes", range="recent"),
        asks("get_workflow_nodes", range="all", type="transform"),
        asks("get_workflow_variables"),
        asks("get_workflow_variable", variableName="tax.result"),
        asks("get_browser_state"),
        asks("describe_node_type", type="transform"),
        asks("describe_node_type", type="pagination"),
    )
    description, plan, summary, first, recent, transforms, values, tax, tabs, *guides = found[6:]
    assert "Read the prices." in description
    assert "Open the shop" in plan
    assert "2" in summary
    assert "open_shop" in first
    assert "tax" not in first
    assert "tax" in recent
    assert "tax" in transforms
    assert "open_shop" not in transforms
    assert "tax.result" in values
    assert "0.19" in tax
    assert "/shop" in tabs
    assert "parse_money" in guides[0]
    assert "iterate" in guides[1]


def test_a_page_can_be_looked_at_in_each_way(
    runner: asyncio.Runner, told: Told, site: Site
) -> None:
    """By an outline, by a search in it, by opening a part of it, by reading a part of it."""

    def ref(text: str) -> str:
        return re.findall(r"\[ref=(\w+)\]", text)[0]

    found = told(
        runner,
        go(site, "/shop"),
        asks("inspect_tab", inspectionType="dom_snapshot"),
        asks("find", text="Shop"),
        lambda text: asks("expand", ref=ref(text)),
        asks("find", text="Shop"),
        lambda text: asks("read", ref=ref(text)),
    )
    assert all("/shop" in each.splitlines()[0] for each in found[1:3])
    assert "[ref=" in found[3]
    assert found[5].splitlines()[1:]


def test_a_node_takes_what_is_said(runner: asyncio.Runner, told: Told, site: Site) -> None:
    """Every field of the sentence about `create_node`, and no alias with a large letter."""
    more = {
        "description": "Opens the shop.",
        "requires": [{"url": "*"}],
        "ensures": [{"url": "*/shop"}],
        "effect": "once",
        "proof": {"happened": [{"url": "*/shop"}], "not_happened": [{"url": "about:*"}]},
    }
    config = {"action": "navigate", "url": f"{site.url}/shop"}
    found = told(
        runner,
        node("open_shop_2", "browser_action", config, **more),
        asks("get_workflow_nodes", range="all"),
        node("Open", "browser_action", config),
    )
    assert "(effect once)" in found[0]
    assert "Opens the shop." in found[1]
    assert "Open" in found[2]
    assert "has the id" not in found[2]
    sentence = (
        read_system_prompt("system").split("`create_node` takes")[1].split(". The ten types")[0]
    )
    assert all(f"`{name}`" in sentence for name in ("type", "alias", "config", *more))
