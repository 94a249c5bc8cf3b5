"""Compression from the app: looked at, proposed, edited, applied, undone; and every request."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from director.agent import ensure_current_thread
from director.models import Journal, Model, open_model
from director.models.script_values import Emit, Say, Seen
from director.store import EntryDraft, Store
from director.testing.double import Double
from director.web import AppState
from models.talk import environment
from web.rooms import a_studio, let_in, over

API = "/api/workflows/w"
SUMMARY = "The user wants lamp #L-77 at most for 40 euros, and never the blue one."
SAID = ("I want the lamp #L-77, for at most 40 euros.", "Never the blue one.", "Is it there?")


def writer(seen: Seen) -> Sequence[Emit]:
    """Answers, and writes a summary when one is asked for."""
    said = [item.text for item in seen.items if item.kind == "user" and item.text in SAID]
    return [Say(f"Noted: {said[-1]}")] if said else [Say(SUMMARY)]


def talked(studio: AppState, client: TestClient) -> None:
    """Say some things, long enough to be worth a summary."""
    for text in SAID:
        assert client.post(f"{API}/say", json={"text": text}).status_code == 202
        over(studio, client)
    thread = ensure_current_thread(studio.store, "w")
    long = "It is a lamp of brass with a shade of linen, and it stands in the hall. " * 40
    drafts = [
        EntryDraft("user", {"text": long}),
        EntryDraft("agent", {"wire": "", "items": [], "text": "Ok."}),
    ]
    studio.store.append(thread, drafts)


def post(client: TestClient, what: str, **body: Any) -> Any:
    """Ask for a step of a compression."""
    return client.post(f"{API}/compression/{what}", json=body)


@pytest.mark.promise("C5")
def test_a_compression_is_looked_at_proposed_edited_applied_and_undone(
    store: Store, tmp_path: Path
) -> None:
    """The count that is shown is the count that is archived; restoring shows all as it was."""
    studio = a_studio(store, tmp_path, writer)
    with let_in(studio) as client:
        talked(studio, client)
        before = client.get(f"{API}/entries").json()["entries"]
        look = post(client, "look").json()
        assert (look["count"], look["users"]) == (8, 4)
        assert store.head(ensure_current_thread(store, "w")) == 8
        made = post(client, "propose").json()
        assert (made["count"], made["by_user"]) == (8, False)
        assert "#L-77" in made["summary"]
        edited = post(client, "edit", proposal=made["id"], text=f"{SUMMARY} In brass, 40, #L-77.")
        assert edited.json()["by_user"] is True
        empty = post(client, "edit", proposal=made["id"], text="  ")
        assert empty.status_code == 409
        done = post(client, "apply", proposal=made["id"]).json()
        assert len(done["turns"]) == look["count"]
        assert "In brass" in done["summary"]
        shown = client.get(f"{API}/entries").json()["entries"]
        assert [one["shown"] for one in shown] == ["archived"] * 8 + ["visible"]
        (past,) = client.get(f"{API}/compression/history").json()["done"]
        assert past["state"] == "current"
        assert "# Compressions" in client.get(f"{API}/compression/export").text
        assert post(client, "restore", entry=done["entry"]).json()[0]["state"] == "restored"
        after = client.get(f"{API}/entries").json()["entries"]
        assert after[:8] == before
        assert post(client, "restore", entry=done["entry"]).status_code == 409


@pytest.mark.promise("C5")
def test_what_was_said_meanwhile_makes_a_proposal_stale(store: Store, tmp_path: Path) -> None:
    """Nothing is written; neither is a proposal of another workflow or one that never was."""
    studio = a_studio(store, tmp_path, writer)
    with let_in(studio) as client:
        talked(studio, client)
        made = post(client, "propose").json()
        store.append(
            ensure_current_thread(store, "w"), [EntryDraft("user", {"text": "And one more."})]
        )
        stale = post(client, "apply", proposal=made["id"])
        assert stale.status_code == 409
        assert "grown" in stale.json()["error"]
        assert post(client, "apply", proposal="never").status_code == 409
        other = client.post("/api/workflows", json={"name": "Other"}).json()["id"]
        path = f"/api/workflows/{other}/compression/apply"
        assert client.post(path, json={"proposal": made["id"]}).status_code == 409
        assert client.get(f"{API}/compression/history").json()["done"] == []
        chosen = post(client, "look", turns=[1, 2]).json()
        assert chosen["turns"] == [1, 2]
        assert post(client, "look", turns=[99]).status_code == 409


@pytest.mark.promise("B9")
def test_the_inspector_shows_what_left_byte_for_byte(store: Store, tmp_path: Path) -> None:
    """What the provider's double received is what the API gives back; parts add up to the size."""
    with Double("openai", [[Say("Hello.")], [Say("Again.")]]) as double:
        known = environment(double)

        def opens(name: str, journal: Journal | None) -> Model:
            return open_model(name, journal=journal, env=known)

        studio = a_studio(store, tmp_path, opens=opens)
        with let_in(studio) as client:
            for text in ("Hi.", "Hi again."):
                body = {"text": text, "model": "chat:gpt-6.1-terra"}
                assert client.post(f"{API}/say", json=body).status_code == 202
                over(studio, client)
            lines = client.get(f"{API}/requests").json()
            assert [line["number"] for line in lines] == [2, 1]
            received = [one.asked for one in double.exchanges if one.asked.body.get("model")]
            for number, asked in enumerate(received, 1):
                shown = client.get(f"{API}/requests/{number}/body").content
                assert json.loads(shown) == asked.body
                assert str(len(shown)) == asked.headers["content-length"]
            assert len(received) == 2
            detail = client.get(f"{API}/requests/2").json()
            assert sum(part["tokens"] for part in detail["parts"]) == detail["line"]["size"]
            assert {"system", "plan"} <= {part["name"] for part in detail["parts"]}
            changed = client.get(f"{API}/requests/1/diff/2").json()["lines"]
            assert any("Hi again." in line for line in changed)
            timeline = client.get(f"{API}/requests/timeline").json()
            assert [moment["number"] for moment in timeline] == [1, 2]
            assert client.get(f"{API}/requests/3").status_code == 404
            meter = client.get(f"{API}/meter").json()
            assert meter["size"] == sum(part["tokens"] for part in meter["parts"])
