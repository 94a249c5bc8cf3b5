"""Threads that were recorded once give the same requests for ever, or the change is declared.

`DIRECTOR_GOLDEN=write` writes what is made of them today over what was; such a change needs a line
in the changelog, because whoever has an old thread will see it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agent.recorded import GOLDEN, THREADS
from director.context.values import AgentTurn, Context, Section
from director.context.wire import WIRES, Wire
from director.models.request_messages import prepare_request
from director.store import open_store
from director.store.context_view import project_context_view
from director.store.export import import_lines

_SECTIONS = (Section("system", "You are Director."), Section("plan", "1. Find the lamp."))
_FORMS = tuple(wire for wire in WIRES if wire in ("chat", "responses", "anthropic"))


def _replayed(name: str, folder: Path) -> Context:
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="ascii").splitlines(keepends=True)
    with open_store(folder / "director.db") as store:
        import_lines(store, iter(lines))
        return project_context_view(store.entries("thread"))


def _history(context: Context) -> object:
    summary = context.summary
    return {
        "summary": summary and [summary.text, list(summary.covers), summary.trust],
        "turns": [
            {
                "at": turn.at,
                "text": turn.text,
                "calls": [
                    [call.id, call.tool, call.args, call.result, call.failed]
                    for call in (turn.calls if isinstance(turn, AgentTurn) else ())
                ],
            }
            for turn in context.turns
        ],
    }


def _request(context: Context, form: Wire) -> object:
    sections = Context(_SECTIONS, context.turns, context.summary)
    prepared = prepare_request(sections, form, [])
    return {"instructions": prepared.instructions, "messages": prepared.messages}


def _compare(place: Path, value: object) -> None:
    text = json.dumps(value, indent=1) + "\n"
    if os.environ.get("DIRECTOR_GOLDEN") == "write":
        place.write_text(text, encoding="ascii")
    assert place.read_text(encoding="ascii") == text


@pytest.mark.promise("A9")
@pytest.mark.parametrize("name", THREADS)
def test_a_recorded_thread_gives_the_same_history(name: str, tmp_path: Path) -> None:
    """Each turn, call, result and summary, to the letter."""
    _compare(GOLDEN / f"{name}.history.json", _history(_replayed(name, tmp_path)))


@pytest.mark.promise("A9")
@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("name", THREADS)
def test_a_recorded_thread_gives_the_same_request(name: str, form: Wire, tmp_path: Path) -> None:
    """What each provider would be sent, byte for byte."""
    _compare(GOLDEN / f"{name}.{form}.json", _request(_replayed(name, tmp_path), form))
