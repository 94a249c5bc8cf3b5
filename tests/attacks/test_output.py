"""What is printed, logged and stored when something breaks: never a key, never another's control."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from attacks.strangers import Visit, stranger
from director.agent.agent_session import AgentSession
from director.agent.turn import take_turn
from director.cli import app
from director.models import ModelError, NoKey, Policy, open_model
from director.runs import save_run_workflow
from director.store import Store, open_store
from director.store.export import export_workflow
from director.workflow.values import Workflow

KEY = "sk-canary-0123456789"
VARIABLES = {
    "chat": "CHAT_API_KEY",
    "responses": "RESPONSES_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}
_CRASH = """
import os
from director.cli import app
from director.models.names import find_model_credentials, parse_model_name

@app.command("crash")
def crash() -> None:
    key = os.environ["OPENAI_API_KEY"]
    env = dict(os.environ)
    access = find_model_credentials(parse_model_name("openai:gpt-6.1-terra"), env)
    raise RuntimeError("broke")

app(["crash"])
"""


def repeats_the_key(visit: Visit) -> None:
    """A server that says in its error what it was sent."""
    sent = visit.headers.get("authorization") or visit.headers.get("x-api-key") or ""
    body = f'{{"error": {{"message": "bad key {sent}", "code": "{sent}"}}}}'.encode()
    visit.begin("application/json", 401, f"X-Request-Id: {sent}", f"Content-Length: {len(body)}")
    visit.wfile.write(body)


@pytest.mark.attack(
    "A command crashes while a key is in its variables",
    must="the traceback shows no value of any variable",
)
@pytest.mark.promise("D4")
def test_a_crash_prints_no_key(tmp_path: Path) -> None:
    """As a program, with the output that a person would paste into a report."""
    env = {**os.environ, "OPENAI_API_KEY": KEY, "DIRECTOR_HOME": str(tmp_path)}
    env |= {"FORCE_COLOR": "1", "COLUMNS": "200"}
    ended = subprocess.run(
        [sys.executable, "-c", _CRASH], env=env, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "broke" in ended.stderr
    assert KEY not in ended.stdout + ended.stderr


@pytest.mark.attack(
    "A server repeats the key in its error: its words, its code, its request id",
    must="the error, what is stored of it and what is exported hold [key] in its place",
    tries=6,
)
@pytest.mark.promise("D1")
@pytest.mark.parametrize("provider", VARIABLES)
def test_a_key_that_a_server_repeats_is_not_told(
    provider: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked directly, and in a turn whose request and failure are kept in the store."""
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(VARIABLES[provider], KEY)

    async def asked(name: str) -> None:
        async with open_model(name, policy=Policy(attempts=1)) as model:
            await model.send(["Hello?"])

    async def turned(name: str) -> None:
        desk = AgentSession(store, "w", model=name)
        try:
            await take_turn(desk, "Hello?")
        finally:
            await desk.close()

    save_run_workflow(store, Workflow("w", "W"))
    with stranger(repeats_the_key) as server:
        name = f"{provider}:{server.url}/v1#m"
        monkeypatch.setenv("DIRECTOR_MODEL_SERVERS", name.partition("#")[0])
        for ask in (asked, turned):
            with pytest.raises(ModelError, match="auth") as told:
                asyncio.run(ask(name))
            assert KEY not in str(told.value) + repr(told.value.attempts)
            assert "[key]" in str(told.value)
        assert KEY in str(server.requests)
    assert KEY not in "".join(export_workflow(store, "w"))
    for file in tmp_path.rglob("*.db*"):
        assert KEY.encode() not in file.read_bytes()


@pytest.mark.attack(
    "A key holds a line break, a space or a letter that no header can carry",
    must="refused before anything is sent, without showing it",
    tries=4,
)
@pytest.mark.promise("D4")
@pytest.mark.parametrize("wrong", [f"{KEY}\nx", f"{KEY} x", f"{KEY}\u2019", f"\x00{KEY}"])
def test_a_key_that_cannot_be_sent_is_not_shown(wrong: str) -> None:
    """The library would say it in full."""
    with pytest.raises(NoKey) as told:
        open_model("openai:gpt-6.1-terra", env={"OPENAI_API_KEY": wrong})
    assert KEY not in str(told.value)
    assert "OPENAI_API_KEY" in str(told.value)


@pytest.mark.attack(
    "An archive's names hold control codes of a terminal",
    must="they are quoted where an import lists them, or refused",
    tries=3,
)
def test_an_import_prints_no_control_codes(tmp_path: Path) -> None:
    """A title cannot clear the screen or write over what was said."""
    evil = "\x1b[2J\x1b[1;1Happroved"
    with open_store(tmp_path / "theirs.db") as theirs:
        save_run_workflow(theirs, Workflow("w", "W"))
        theirs.put("choice", "w", {"workflow": "w", "model": evil})
        theirs.put("approval", f"w/{evil}", {"workflow": "w", "origin": evil, "state": "approved"})
        found = theirs.get("workflow", "w")
        assert found is not None
        theirs.put("workflow", "w", {**found.body, "origins": [evil]})
        (tmp_path / "a.jsonl").write_text("".join(export_workflow(theirs, "w")))
    env = {"DIRECTOR_HOME": str(tmp_path / "home"), "DIRECTOR_STORE": ""}
    ran = CliRunner().invoke(app, ["import", str(tmp_path / "a.jsonl")], env=env)
    assert ran.exit_code == 0, ran.stderr
    assert "\x1b" not in ran.stdout + ran.stderr
    assert "not taken over" in ran.stdout
