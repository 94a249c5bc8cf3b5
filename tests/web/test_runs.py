"""Runs that are started in the app: done here, answered, cancelled, resumed, taken out."""

from __future__ import annotations

import asyncio
import re
import time
from functools import partial
from typing import Any

from starlette.testclient import TestClient

from director.runs import Run, Step, save_run_workflow
from director.runs.doubts import Doubt
from director.runs.row_comparison import RowComparison
from director.runs.run_journal import encode_run, encode_step
from director.store import Store
from director.web import AppState
from director.workflow.document import read_workflow_document

PATIENCE = 60  # seconds: a machine that has much to do takes its time
WORKFLOW = {
    "version": 1,
    "id": "asks",
    "name": "Ask and find",
    "inputs": [{"name": "rate", "required": True}, {"name": "api_key"}],
    "origins": ["https://example.com"],
    "nodes": [
        {"id": "n1", "alias": "ask", "type": "context", "config": {"ask": {"code": "Which code?"}}},
        {
            "id": "n2",
            "alias": "find",
            "type": "transform",
            "config": {
                "input": {"rate": "{{rate}}"},
                "code": "[{'price': 3 * rate}]",
                "create_records": "item",
            },
        },
    ],
}


def ended(studio: AppState, client: TestClient, run: str) -> Any:
    """The run when nobody works on it any more."""
    task = studio.runs._tasks.get(run)
    if task is not None:
        assert client.portal is not None
        done, _ = client.portal.call(partial(asyncio.wait, {task}, timeout=PATIENCE))
        assert done, "it does not end"
    return client.get(f"/api/runs/{run}").json()


def waiting(client: TestClient, run: str) -> Any:
    """The question of a run, as soon as it asks one."""
    deadline = time.monotonic() + PATIENCE
    while not (found := client.get(f"/api/runs/{run}").json())["questions"]:
        assert time.monotonic() < deadline, f"it asks nothing: {found}"
    return found["questions"][0]


def test_a_run_is_started_answered_and_taken_out(
    store: Store, studio: AppState, client: TestClient
) -> None:
    """It waits for the answer and goes on; results as CSV and JSON, the report as a page."""
    save_run_workflow(store, read_workflow_document(WORKFLOW))  # type: ignore[arg-type]
    missing = client.post("/api/workflows/asks/runs", json={})
    assert missing.status_code == 409
    assert "rate" in missing.json()["error"]
    secret = "sk-very-secret-value-17"  # noqa: S105  a test's
    inputs = {"rate": 2, "api_key": secret}
    begun = client.post("/api/workflows/asks/runs", json={"inputs": inputs})
    assert begun.status_code == 201
    run = begun.json()["run"]["id"]
    question = waiting(client, run)
    assert question["text"] == "Which code?"
    strange = client.post(f"/api/runs/{run}/answer", json={"question": "x/n1", "text": "1"})
    assert strange.status_code == 409
    body = {"question": question["id"], "text": "123456"}
    assert client.post(f"/api/runs/{run}/answer", json=body).status_code == 200
    done = ended(studio, client, run)
    assert done["run"]["state"] == "done"
    assert [(step["alias"], step["status"]) for step in done["steps"]] == [
        ("ask", "success"),
        ("find", "success"),
    ]
    assert (
        client.get(f"/api/runs/{run}/results")
        .text.splitlines()[0]
        .endswith("_record,_type,_status")
    )
    marked = client.get(f"/api/runs/{run}/results", params={"bom": True})
    assert marked.content.startswith("\ufeff".encode())
    rows = client.get(f"/api/runs/{run}/results", params={"form": "json"}).json()
    assert len(rows) == 1
    report = client.get(f"/api/runs/{run}/report")
    assert "attachment" in report.headers["content-disposition"]
    assert secret not in report.text + client.get(f"/api/runs/{run}").text
    again = client.post(f"/api/runs/{run}/resume")
    assert again.status_code == 409
    retried = client.post(f"/api/runs/{run}/retry", json={"node": "find"})
    assert retried.status_code == 200
    assert ended(studio, client, run)["run"]["state"] == "done"
    listed = client.get("/api/runs", params={"workflow": "asks"}).json()
    assert [row["id"] for row in listed] == [run]
    assert client.get(f"/api/runs/{run}/pictures/{'0' * 64}").status_code == 404


def test_a_run_is_cancelled_and_gone_on_with(
    store: Store, studio: AppState, client: TestClient
) -> None:
    """What it had done stays done; while somebody works on it, it is not resumed."""
    save_run_workflow(store, read_workflow_document(WORKFLOW))  # type: ignore[arg-type]
    begun = client.post("/api/workflows/asks/runs", json={"inputs": {"rate": 2}})
    assert begun.status_code == 201, begun.text
    run = begun.json()["run"]["id"]
    waiting(client, run)
    busy = client.post(f"/api/runs/{run}/resume")
    assert busy.status_code == 409
    cancelled = client.post(f"/api/runs/{run}/cancel", json={}).json()
    assert cancelled["run"]["state"] == "cancelled"
    assert ended(studio, client, run)["run"]["state"] == "cancelled"
    assert client.post(f"/api/runs/{run}/cancel", json={}).status_code == 409
    assert client.post(f"/api/runs/{run}/resume").status_code == 200
    question = waiting(client, run)
    client.post(f"/api/runs/{run}/answer", json={"question": question["id"], "text": "1"})
    assert ended(studio, client, run)["run"]["state"] == "done"
    assert client.get("/api/runs/never").status_code == 404


def test_what_a_run_read_beside_the_last_one_is_on_its_page(
    store: Store, client: TestClient
) -> None:
    """As a fact: no doubt, and nothing where there is no earlier run."""
    version = save_run_workflow(store, read_workflow_document(WORKFLOW))  # type: ignore[arg-type]
    told = RowComparison("n2", "find", "first", 7200, 26, 23, 3, key="order", names=("<b>7",))
    for id_, found in (("first", []), ("second", [told.json()])):
        run = Run(id_, "asks", version, state="done", summary={"compared": found})
        store.put("run", run.id, encode_run(run), "made")
    line = "find: 26 → 23 rows: 3 gone, 0 new, 0 changed (since run first, 2 h earlier)"
    assert client.get("/api/runs/second").json()["compared"] == [f"{line}; gone: <b>7, …"]
    page = client.get("/w/asks/runs/second").text
    assert f"<li>{line}; gone: &lt;b&gt;7, …</li>" in page
    assert "Compared with the last accepted run" not in client.get("/w/asks/runs/first").text


def test_a_doubt_is_shown_beside_the_state_and_dismissed_on_the_page(
    store: Store, client: TestClient
) -> None:
    """In the lists, on the run and at its node, until somebody says that it is right as it is."""
    version = save_run_workflow(store, read_workflow_document(WORKFLOW))  # type: ignore[arg-type]
    said = "find read 40 rows, and the page says '82 <b>results</b>'."
    found = Doubt("total", "n2", "find", said, {"read": 40, "said": 82})
    run = Run("doubted", "asks", version, state="done", doubts=(found.json(),))
    step = Step("n2", "n2", "find", "transform", "finished", began=1.0)
    store.put("run", run.id, encode_run(run), "made")
    store.put("step", f"{run.id}/n2", encode_step(step), "made")
    assert client.get("/api/runs").json()[0]["doubts"] == 1
    (doubt,) = client.get("/api/runs/doubted").json()["doubts"]
    assert (doubt["dismissed"], doubt["evidence"]) == (False, {"read": "40", "said": "82"})
    page = client.get("/w/asks/runs/doubted").text
    assert "1 doubt<" in page
    assert "and the page says &#39;82 &lt;b&gt;results" in page
    assert "It is right as it is" in page
    assert "1 doubt<" in client.get("/w/asks/runs").text
    assert "1 doubt<" in client.get("/w/asks").text
    change = {"changes": {"checks": [doubt["check"]]}}
    assert client.patch("/api/workflows/asks/nodes/n2", json=change).status_code == 200
    assert client.get("/api/runs/doubted").json()["doubts"][0]["dismissed"] is True
    assert "It is right as it is" not in client.get("/w/asks/runs/doubted").text
    assert "1 doubt<" not in client.get("/w/asks").text


def test_the_form_of_a_run_has_a_field_for_each_input(store: Store, client: TestClient) -> None:
    """Of its type, with its default; a secret is typed unseen; what it gives starts a run."""
    inputs = [
        {"name": "room", "type": "text", "required": True, "description": "Which room"},
        {"name": "limit", "type": "number", "default": 5},
        {"name": "fast", "type": "boolean", "default": True},
        {"name": "door", "type": "text", "sensitive": True, "required": True},
    ]
    save_run_workflow(
        store,
        read_workflow_document({**WORKFLOW, "inputs": inputs, "nodes": WORKFLOW["nodes"][:1]}),
    )  # type: ignore[arg-type,index]
    page = client.get("/w/asks/runs").text
    assert "Run with inputs" in page
    fields = dict(re.findall(r'<(input type="\w+"|select)[^>]*name="inputs\.(\w+)"', page))
    assert {name: kind for kind, name in fields.items()} == {
        "room": 'input type="text"',
        "limit": 'input type="number"',
        "fast": "select",
        "door": 'input type="password"',
    }
    assert re.search(r'name="inputs\.limit"[^>]*value="5"', page)
    assert "Which room" in page
    wrong = client.post("/api/workflows/asks/runs", json={"inputs": {"room": 7, "door": "x"}})
    assert "takes a text" in wrong.text
