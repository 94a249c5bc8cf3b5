"""A compression is the same whoever asks for it: the page, the command, the chat, the model."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.summaries import begun
from director.agent import ensure_current_thread
from director.agent.agent_session import AgentSession, open_session_model
from director.agent.request_log.kept_requests import sent_bytes
from director.cli import app
from director.services.compression import (
    ProposalList,
    compress_conversation,
    propose_compression,
)
from director.services.compression_values import Proposed
from director.services.workspace import share_session
from director.settings import load_settings
from director.store import Store
from web.rooms import a_studio, let_in

SUMMARY = "\n".join(
    f"lamp-{n} for the user, never the blue one; #buy-{n} works, #order-{n} gave E{n}42."
    for n in range(6)
)
API = "/api/workflows/w/compression"


@pytest.fixture
def writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A model that writes a summary, which is the one that talks as well."""
    script = tmp_path / "summary.json"
    rules = [{"when": {}, "then": [{"say": SUMMARY}]}]
    script.write_text(json.dumps({"brain": "rules", "rules": rules}))
    monkeypatch.setenv("DIRECTOR_MODEL", f"scripted:{script}")
    return f"scripted:{script}"


def talked(store: Store, folder: Path) -> str:
    """A workflow with a conversation that is worth a summary; its thread."""
    a_studio(store, folder)
    return begun(store, thread=ensure_current_thread(store, "w"), more=200)


def by_command(store: Store, *args: str) -> str:
    """What the command says of a compression."""
    said = CliRunner().invoke(app, ["compress", "--workflow", "w", "--store", store.url, *args])
    assert said.exit_code == 0, said.output
    return said.output


@pytest.mark.usefixtures("writer")
def test_every_way_proposes_the_same(store: Store, tmp_path: Path) -> None:
    """The page, the command and the chat send the same request, byte for byte."""
    thread = talked(store, tmp_path)
    with let_in(a_studio(store, tmp_path, opens=open_session_model)) as client:
        page = client.post(f"{API}/propose", json={}).json()
    command = by_command(store, "--preview")
    desk = AgentSession(store, "w")
    workspace = share_session(desk)
    alone = asyncio.run(propose_compression(workspace, thread, proposals=ProposalList()))
    chat = asyncio.run(compress_conversation(workspace, thread))
    assert len({sent_bytes(store, thread, number) for number in (1, 2, 3, 4)}) == 1
    assert page == {**_read_json(alone), "id": page["id"], "request": page["request"]}
    assert page["summary"] in command
    assert (chat.status, chat.written) == ("done", page["written"])


def _read_json(made: Proposed) -> dict[str, object]:
    found: dict[str, object] = json.loads(json.dumps(asdict(made)))
    return found


def test_the_limits_are_those_of_the_model_that_talks(
    store: Store, tmp_path: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever writes the summary, on the page and by the command."""
    talked(store, tmp_path)
    small = tmp_path / "small.json"
    small.write_text(Path(writer.partition(":")[2]).read_text())
    monkeypatch.setenv("DIRECTOR_MODEL_WINDOWS", f"scripted:{small}=12000")
    with let_in(a_studio(store, tmp_path, opens=open_session_model)) as client:
        own = client.post(f"{API}/look", json={}).json()
        other = client.post(f"{API}/look", json={"model": f"scripted:{small}"}).json()
    assert own["cap"] == other["cap"] == load_settings().compress_to.value
    said = by_command(store, "--model", f"scripted:{small}")
    assert f"{own['cap']:,} at most" in said
