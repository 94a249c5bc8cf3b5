"""A secret that was stored somehow stands in no part of the page where a workflow is built."""

from __future__ import annotations

import asyncio

import pytest
from starlette.testclient import TestClient

from director.runs import RunDependencies, save_run_workflow, try_node
from director.store import Store
from director.store.run_variables import get_draft_run_id, set_run_variable
from director.web import AppState
from director.workflow.values import Node, Workflow

CANARY = "Correct-horse-9-battery"
FLOW = Workflow(
    "w",
    "Prices",
    (
        Node(
            "n1",
            "find",
            "transform",
            {"code": f"[{{'name': '{CANARY}'}}]", "create_records": "item", "store": True},
            CANARY,
        ),
    ),
)


@pytest.mark.parametrize(
    "part", ["chat", "plan", "nodes", "variables", "drawer&node=n1", "browser", "meter", "history"]
)
def test_no_part_of_the_page_shows_a_secret(
    client: TestClient, studio: AppState, store: Store, part: str
) -> None:
    """Records, variables, configs and results that were stored before the secret was known."""
    save_run_workflow(store, FLOW)
    asyncio.run(try_node(store, FLOW, "find", RunDependencies()))
    set_run_variable(store, get_draft_run_id("w"), "found", CANARY, f"because of {CANARY}")
    studio.supplies.vault.put("shop", CANARY, "https://shop.example")
    name, _, more = part.partition("&")
    shown = client.get(f"/w/w/part/{name}?{more}")
    assert shown.status_code == 200, shown.text
    assert CANARY not in shown.text
    if name in ("variables", "drawer"):
        assert "[redacted]" in shown.text
