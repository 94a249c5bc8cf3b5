"""The rehearsal: a scripted conversation on the demo site, played through the code of a real one.

The script is Director's part (`scripted:rehearsal`); what the user says in it is here, one line at
a time, so that a program can play it or a person can press on. It must say what it is wherever it
shows: no model is asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from typing import Literal

from director.agent import (
    AgentSession,
    TurnResult,
    approve_origin,
    choose_workflow_model,
    create_workflow,
    ensure_current_thread,
    take_turn,
)
from director.agent.permissions.effect_approval import answer_effect
from director.demo.site.values import MAIL_PASSWORD
from director.secrets import Vault
from director.services.compression import compress_conversation
from director.services.compression_values import CompressionResult
from director.services.workspace import share_session
from director.store import Store

MODEL = "scripted:rehearsal"
NAME = "Sort the invoices"
SECRET = "rehearsal_postbox"
SAYS = "A rehearsal: scripted, no model was asked."
GO_ON = "I approve that. Go on."


@dataclass(frozen=True, slots=True)
class ScriptedInput:
    """What the user does next: says something, or compresses the conversation."""

    text: str
    does: Literal["say", "compress"] = "say"


def lines(site: str) -> tuple[ScriptedInput, ...]:
    """The user's part, for the demo site at this address."""
    file = resources.files("director") / "scripts" / "rehearsal.user.json"
    written: list[dict[str, str]] = json.loads(file.read_text("utf-8"))
    return tuple(
        ScriptedInput(one["say"].replace("{site}", site))
        if "say" in one
        else ScriptedInput(_COMPRESS, "compress")
        for one in written
    )


_COMPRESS = "Compress the conversation"


def begin(store: Store, vault: Vault, site: str) -> str:
    """Make the empty workflow that the rehearsal builds, and put its password into the vault."""
    vault.put(SECRET, MAIL_PASSWORD, site)
    workflow = create_workflow(store, NAME)
    choose_workflow_model(store, workflow, model=MODEL)
    return workflow


async def perform(desk: AgentSession, line: ScriptedInput) -> TurnResult | CompressionResult:
    """Do what a line says; what the turn waits for is approved, since it is the demo site."""
    if line.does == "compress":
        thread = ensure_current_thread(desk.store, desk.workflow)
        return await compress_conversation(share_session(desk), thread)
    turn = await take_turn(desk, line.text)
    while turn.ended == "waiting":
        approve_all(desk.store, desk.workflow, turn)
        turn = await take_turn(desk, GO_ON)
    return turn


def approve_all(store: Store, workflow: str, turn: TurnResult) -> None:
    """What the user of the rehearsal does when asked: approve, since it is the demo site."""
    for origin in turn.origins:
        approve_origin(store, workflow, origin, why="for the rehearsal")
    for key in turn.effects:
        answer_effect(store, workflow, key, "approved")
