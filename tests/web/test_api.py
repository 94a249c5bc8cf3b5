"""The nouns of the API: workflows, plan, nodes, variables, settings, models, the rehearsal."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from director.demo.scripted_demo import lines
from director.store import EntryDraft, Store
from director.web import AppState

API = "/api/workflows/w"


def names(client: TestClient, **params: Any) -> list[str]:
    """The names of the workflows that are listed."""
    return sorted(row["name"] for row in client.get("/api/workflows", params=params).json())


def test_a_workflow_is_made_renamed_copied_deleted_and_brought_back(client: TestClient) -> None:
    """Deleting takes it out of the list and nothing out of the store."""
    made = client.post("/api/workflows", json={"name": "Größe & Co"}).json()
    assert made["id"] == "groe-co"
    path = f"/api/workflows/{made['id']}"
    assert client.patch(path, json={"name": "Sizes"}).json()["version"] == 2
    copy = client.post(f"{API}/duplicate", json={"name": "Prices, again"}).json()
    assert (copy["nodes"], copy["name"]) == (1, "Prices, again")
    assert names(client) == ["Prices", "Prices, again", "Sizes"]
    assert client.delete(path).status_code == 200
    assert names(client) == ["Prices", "Prices, again"]
    assert names(client, deleted=True) == ["Sizes"]
    assert client.get(path).status_code == 404
    assert client.post(f"{path}/say", json={"text": "Hi."}).status_code == 404
    assert client.post(f"{path}/restore").json()["name"] == "Sizes"
    assert names(client, deleted=True) == []
    assert client.post("/api/workflows/never/restore").status_code == 404


def test_a_workflow_that_is_handed_out_can_be_taken_in(client: TestClient) -> None:
    """As its document under another id; a wrong document is refused with its place."""
    document = client.get(f"{API}/export").json()
    taken = client.post("/api/workflows/import", json={"document": document, "as": "w9"})
    assert taken.status_code == 201
    assert client.get("/api/workflows/w9/export").json() == {**document, "id": "w9"}
    wrong = {**document, "nodes": [{"type": "nonsense"}]}
    refused = client.post("/api/workflows/import", json={"document": wrong})
    assert refused.status_code == 422
    assert client.get("/api/workflows/w9").json()["version"] == 1
    assert "playwright" in client.get(f"{API}/export", params={"form": "script"}).text
    archive = client.get(f"{API}/export", params={"form": "archive"})
    assert "attachment" in archive.headers["content-disposition"]


def test_nodes_are_added_changed_moved_tested_and_deleted(client: TestClient) -> None:
    """Each change is a version; a change of what was seen before is refused."""
    config = {"code": "1 + 1", "store": True}
    node = {"type": "transform", "alias": "second", "config": config}
    added = client.post(f"{API}/nodes", json=node).json()
    assert [row["alias"] for row in added["nodes"]["nodes"]] == ["first", "second"]
    assert client.post(f"{API}/nodes", json=node).status_code == 422
    stale = client.patch(f"{API}/nodes/second", json={"changes": {"alias": "x"}, "version": 1})
    assert stale.status_code == 409
    changed = client.patch(
        f"{API}/nodes/second", json={"changes": {"config": {"code": "2 + 2"}}, "version": 2}
    ).json()
    assert changed["nodes"]["nodes"][1]["config"] == {"code": "2 + 2", "store": True}
    tested = client.post(f"{API}/nodes/second/test", json={}).json()
    assert tested["failed"] is False
    row = tested["nodes"]["nodes"][1]
    assert (row["tried"]["status"], row["tried"]["result"], row["tried"]["stale"]) == (
        "success",
        4,
        False,
    )
    client.patch(f"{API}/nodes/second", json={"changes": {"config": {"code": "3"}}})
    assert client.get(f"{API}/nodes").json()["nodes"][1]["tried"]["stale"] is True
    moved = client.post(f"{API}/nodes/second/move", json={"to": 1}).json()
    assert [row["alias"] for row in moved["nodes"]["nodes"]] == ["second", "first"]
    assert client.post(f"{API}/run", json={"nodes": "1-2"}).json()["failed"] is False
    assert client.delete(f"{API}/nodes/second").status_code == 200
    versions = client.get(f"{API}/versions").json()
    assert versions[0]["reason"] == "deleted second"
    back = client.post(f"{API}/versions/restore", json={"version": 2}).json()
    assert [row["alias"] for row in back["nodes"]] == ["first", "second"]
    assert client.post(f"{API}/versions/restore", json={"version": 99}).status_code == 404


def test_a_plan_is_shown_with_its_versions_and_its_tasks_are_ticked(
    store: Store, client: TestClient
) -> None:
    """A task that names nodes is completed by their green run only."""
    assert client.get(f"{API}/plan").status_code == 404
    tasks = [
        {"task_id": 1, "description": "Look", "status": "pending"},
        {"task_id": 2, "description": "Build", "status": "pending", "node_ids": ["n1"]},
    ]
    phase = {"phase_name": "All", "status": "pending", "tasks": tasks}
    plan = {"overall_goal": "Prices", "current_phase": "All", "phases": [phase]}
    store.put("plan", "w", plan, "first")
    ticked = client.post(f"{API}/plan/tasks", json={"task": "1", "status": "completed"}).json()
    assert ticked["phases"][0]["status"] == "in_progress"
    refused = client.post(f"{API}/plan/tasks", json={"task": "2", "status": "completed"})
    assert refused.status_code == 422
    assert client.post(f"{API}/plan/tasks", json={"task": "9"}).status_code == 404
    versions = client.get(f"{API}/plan/versions").json()
    assert [version["version"] for version in versions] == [2, 1]
    assert (
        client.get(f"{API}/plan", params={"version": 1}).json()["phases"][0]["status"] == "pending"
    )
    client.post(f"{API}/plan/restore", json={"version": 1})
    assert client.get(f"{API}/plan").json()["phases"][0]["tasks"][0]["status"] == "pending"


def test_files_are_attached_listed_and_removed(client: TestClient) -> None:
    """Under a harmless name; what is no base64 is refused, and so is one that is not there."""
    given = {"file": {"name": "../price list.csv", "content": "YSxiCjEsMgo="}}
    made = client.post(f"{API}/files", json=given)
    assert (made.status_code, made.json()) == (201, {"name": "price list.csv", "size": 8})
    assert client.get(f"{API}/files").json() == [{"name": "price list.csv", "size": 8}]
    wrong = client.post(f"{API}/files", json={"file": {"name": "a", "content": "not base64!"}})
    assert (wrong.status_code, "Nothing was attached" in wrong.json()["error"]) == (409, True)
    assert client.delete(f"{API}/files/none.csv").status_code == 409
    assert client.delete(f"{API}/files/price%20list.csv").json() == []


def test_variables_are_set_and_cleared_with_a_reason(client: TestClient) -> None:
    """What they were stays; of a secret only its reference is taken, and no value is shown."""
    given = {"value": {"sum": 3}, "reason": "to try"}
    (set_,) = client.put(f"{API}/variables/prices.items", json=given).json()
    assert (set_["value"], set_["reason"]) == ({"sum": 3}, "to try")
    secret = client.put(f"{API}/variables/password", json={"value": "x", "reason": "y"})
    assert secret.status_code == 422
    reference = {"value": "{{secret:door}}", "reason": "y"}
    assert client.put(f"{API}/variables/password", json=reference).status_code == 200
    client.delete(f"{API}/variables/prices.items", params={"reason": "done"})
    history = client.get(f"{API}/variables/prices.items").json()
    assert [(was["cleared"], was["reason"]) for was in history] == [
        (True, "done"),
        (False, "to try"),
    ]
    assert client.delete(f"{API}/variables", params={"reason": "clean"}).json() == []
    assert client.delete(f"{API}/variables/never").status_code == 404


def test_settings_are_shown_with_their_source_and_written_to_the_file(client: TestClient) -> None:
    """A wrong value changes nothing; what the environment says stays stronger."""

    def shown(answer: Any) -> dict[str, Any]:
        return {one["name"]: (one["value"], one["source"]) for one in answer["settings"]}

    before = shown(client.get("/api/settings").json())
    assert before["warn_at"] == (160_000, "default")
    changed = client.patch("/api/settings", json={"warn_at": 90_000, "model": "scripted:other"})
    after = shown(changed.json())
    assert after["warn_at"] == (90_000, "file")
    assert after["model"] == ("scripted:test", "environment")
    for wrong in ({"warn_at": -1}, {"profile": "nobody"}, {"warn_at": 999_999_999}, {"store": "x"}):
        assert client.patch("/api/settings", json=wrong).status_code == 422
    assert shown(client.get("/api/settings").json()) == after
    assert (
        shown(client.patch("/api/settings", json={"warn_at": None}).json())["warn_at"][1]
        == "default"
    )


def test_a_model_is_chosen_for_a_workflow(client: TestClient) -> None:
    """What is not said stays; a profile that is none is refused."""
    client.put(f"{API}/choice", json={"model": "scripted:other"})
    chosen = client.put(f"{API}/choice", json={"profile": "clean"}).json()
    assert chosen == {"model": "scripted:other", "profile": "clean"}
    assert client.put(f"{API}/choice", json={"profile": "nobody"}).status_code == 422
    meter = client.get(f"{API}/meter").json()
    assert (meter["model"], meter["profile"]) == ("scripted:other", "clean")


def test_the_rehearsal_tells_the_users_next_line(store: Store, client: TestClient) -> None:
    """One line after the other, as they are said and done; any other workflow is no rehearsal."""
    made = client.post("/api/rehearsal")
    assert made.status_code == 201
    path = f"/api/workflows/{made.json()['id']}/rehearsal"
    first = client.get(path).json()
    assert (first["done"], first["does"]) == (0, "say")
    assert "no model" in first["says"]
    thread = client.get(path.replace("rehearsal", "turn")).json()["turn"]["thread"]
    for number, line in enumerate(lines(first["site"]), 1):
        if line.does == "say":
            store.append(thread, [EntryDraft("user", {"text": line.text})])
        else:
            store.append(thread, [EntryDraft("checkpoint", {"covers": [1], "summary": "S."})])
        now = client.get(path).json()
        assert now["done"] == number
    assert now["does"] == "none"
    assert client.get(f"{API}/rehearsal").status_code == 404


@pytest.mark.parametrize("path", ["/api/nowhere", "/w", "/static/nowhere.css"])
def test_what_is_not_there_is_said_in_words(client: TestClient, path: str) -> None:
    """With what to do next, in the same shape as every error."""
    missing = client.get(path)
    assert missing.status_code == 404
    assert set(missing.json()) == {"error", "kept", "next"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model_windows", "chat:http://localhost:8080/v1#mine=32768"),
        ("background_models", "openai:gpt-6.1-terra"),
    ],
)
def test_what_the_settings_page_offers_can_be_saved(
    client: TestClient, studio: AppState, name: str, value: str
) -> None:
    """A form whose field the API refuses would be a dead control."""
    answer = client.patch("/api/settings", json={name: value})
    assert answer.status_code == 200, answer.text
    assert getattr(studio.settings, name).value == value
