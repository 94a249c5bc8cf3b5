"""Secrets are written and never read back: a canary is looked for in all that leaves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.office import asks
from director.models.script_values import Emit, Fail, Seen
from director.runs import RunDependencies, queue_run
from director.secrets.encoded_forms import list_encoded_forms
from director.store import Store
from web.asking import OURS
from web.rooms import WORKFLOW, a_studio, let_in, over
from web.routes import routes

CANARY = 'K0p"f&er+Müller/<7>\\x'
KEY = "sk-canary-0123456789abcdef"


def found_in(content: bytes) -> list[str]:
    """The forms in which one of the canaries is in some bytes."""
    every = {
        **list_encoded_forms(CANARY),
        **{f"key {k}": v for k, v in list_encoded_forms(KEY).items()},
    }
    return [name for name, form in every.items() if form in content]


def talker(seen: Seen) -> Sequence[Emit]:
    """Looks at everything, and then fails with words that hold the canary."""
    results = [item for item in seen.items if item.kind == "result"]
    if len(results) < 2 and seen.tools:
        tool = ("get_workflow_variables", "get_workflow_nodes")[len(results)]
        return [asks(tool, f"c{len(results)}")]
    return [Fail("invalid_api_key", f"Your key {CANARY} is wrong.")]


@pytest.mark.promise("D1")
def test_no_response_event_log_or_file_holds_a_secret(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Not when it is put, when it is sent wrongly, when a model says it, when something breaks."""
    caplog.set_level(0)
    studio = a_studio(store, tmp_path, talker)
    queue_run(store, WORKFLOW, RunDependencies(), id_="r1")
    told: list[bytes] = []
    with let_in(studio) as client:
        answers = [
            client.put(
                "/api/secrets/door", json={"value": CANARY, "origins": ["https://example.com"]}
            ),
            client.put("/api/secrets/door", json={"value": CANARY, "origins": "x"}),
            client.put("/api/secrets/door", json={"value": CANARY, "origins": ["javascript:1"]}),
            client.put("/api/secrets/door", json={"valeu": CANARY, "origins": []}),
            client.put("/api/models/keys/OPENAI_API_KEY", json={"value": KEY}),
            client.put("/api/models/keys/OPENAI_API_KEY", json={"value": [KEY]}),
        ]
        assert [answer.status_code for answer in answers] == [200, 422, 422, 422, 200, 422]
        assert client.post("/api/workflows/w/say", json={"text": "Begin."}).status_code == 202
        over(studio, client)
        now = client.get("/api/workflows/w/turn")
        assert now.json()["turn"]["state"] == "failed"
        assert "is wrong" in now.json()["failure"]
        refused = client.post("/api/workflows/w/compression/propose", json={})
        assert "is wrong" in refused.json()["error"]
        answers.append(refused)
        for method, path in routes(client.app):  # type: ignore[arg-type]
            if method == "GET" and path != "/events":
                answers.append(client.get(path, headers={"host": OURS}))
        told = list(studio.hub._events)
    assert told
    leaks = {
        str(answer.url): names
        for answer in answers
        if (names := found_in(answer.content + str(answer.headers).encode()))
    }
    assert leaks == {}
    assert found_in(b"".join(told)) == []
    assert found_in(caplog.text.encode()) == []
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert found_in(file.read_bytes()) == [], file


@pytest.mark.promise("D1")
def test_secrets_are_listed_by_name_and_origin_and_removed(store: Store, tmp_path: Path) -> None:
    """A key that was entered makes the models of its provider usable, and is forgotten again."""
    with let_in(a_studio(store, tmp_path)) as client:
        body = {"value": CANARY, "origins": ["https://example.com", "https://shop.example"]}
        (held,) = client.put("/api/secrets/door", json=body).json()
        assert held == {
            "name": "door",
            "reference": "{{secret:door}}",
            "origins": ["https://example.com", "https://shop.example"],
            "warning": "",
            "said": "",
        }
        assert client.put("/api/secrets/.bad", json=body).status_code == 422
        client.put("/api/models/keys/ANTHROPIC_API_KEY", json={"value": KEY})
        models = client.get("/api/models").json()
        assert any(one["provider"] == "anthropic" for one in models["usable"])
        assert {"variable": "ANTHROPIC_API_KEY", "provider": "anthropic", "place": "vault"} in (
            models["keys"]
        )
        client.delete("/api/models/keys/ANTHROPIC_API_KEY")
        assert client.delete("/api/models/keys/ANTHROPIC_API_KEY").status_code == 404
        assert client.delete("/api/secrets/door").json() == []
        assert client.delete("/api/secrets/door").status_code == 404
