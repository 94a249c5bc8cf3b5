"""A plan and a description for tests, as a model writes them."""

from __future__ import annotations

WRITTEN: dict[str, object] = {
    "workflow_id": "lamps",
    "plan_version": 3,
    "created_at": "2026-01-05T08:00:00Z",
    "updated_at": "2026-01-05T09:30:00Z",
    "overall_goal": "Order the cheapest lamp each week",
    "current_phase": "Log in",
    "phases": [
        {
            "phase_name": "Log in",
            "status": "in_progress",
            "tasks": [
                {
                    "task_id": 1,
                    "description": "Scout the login page",
                    "status": "completed",
                    "notes": "Stable: #user, #pass, button[type=submit]",
                },
                {
                    "task_id": 2,
                    "description": "Open the shop",
                    "status": "completed",
                    "node_ids": ["n1"],
                },
                {
                    "task_id": 3,
                    "description": "Fill in the form and check that we are in",
                    "status": "in_progress",
                    "node_ids": ["n2", "n3"],
                },
            ],
        },
        {
            "phase_name": "Compare",
            "status": "pending",
            "tasks": [{"task_id": 4, "description": "Read the prices", "status": "pending"}],
        },
    ],
    "next_actions": ["Test the form", "Build the comparison once it is green"],
    "blockers": [],
    "notes": "The shop asks for a code by mail on a new device",
}

DESCRIBED: dict[str, object] = {
    "workflow_name": "Weekly lamp",
    "goal": "Order the cheapest lamp each week",
    "trigger": "Mondays at 8",
    "actors": ["The buyer", {"site": "shop.example", "login": "the buyer's"}],
    "happy_path_steps": ["Log in", "Compare prices", "Order"],
    "business_rules": ["Never above 30 euro"],
}
