"""What the system prompt says of state and plan, done by calls of the tools; no browser is needed."""

from __future__ import annotations

import asyncio

from agent.office import SAY, asks, desk, results
from agent.test_prompt_table import PLAN
from director.agent.turn import take_turn
from director.models.script_values import Ask, Seen
from director.store import Store


def describe(goal: str) -> Ask:
    """A call that replaces the description."""
    told = {"workflow_name": "Prices", "goal": goal}
    return asks("update_workflow_description", description=told, reason="r")


def test_a_section_shows_the_state_as_it_is_now(store: Store) -> None:
    """After each change the next request shows the new state in its section and the old one not."""
    seen: list[Seen] = []
    steps = [[describe("Read the pens.")], [describe("Read the books.")], SAY]
    made = desk(store, steps, seen=seen)
    asyncio.run(take_turn(made, "Begin."))

    def section(shown: Seen) -> str:
        texts = [shown.instructions, *(item.text for item in shown.items)]
        whole = "\n".join(text for text in texts if "<description>" in text)
        return whole.split("<description>")[-1].split("</description>")[0]

    assert "No description yet" in section(seen[0])
    assert "Read the pens." in section(seen[1])
    assert "Read the books." in section(seen[2])
    assert "Read the pens." not in section(seen[2])


def test_a_task_can_be_set_to_failed(store: Store) -> None:
    """The plan keeps it, and tells it."""
    (phase,) = PLAN["phases"]  # type: ignore[misc]
    (task,) = phase["tasks"]  # type: ignore[index]
    failed = {**task, "status": "failed", "notes": "Tried three times: no such button."}  # type: ignore[dict-item]
    plan = {**PLAN, "phases": [{**phase, "tasks": [failed]}]}  # type: ignore[dict-item]
    seen: list[Seen] = []
    steps = [[asks("update_plan", plan=plan, reason="r"), asks("get_current_plan")], SAY]
    asyncio.run(take_turn(desk(store, steps, seen=seen), "Begin."))
    assert "1 failed: Open the shop" in results(seen[-1])[1]
    assert "Tried three times" in results(seen[-1])[1]
