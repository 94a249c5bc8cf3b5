"""A provider's own compaction: opaque, kept where it is, a boundary that no strategy moves."""

from __future__ import annotations

import random

import pytest

from director import fit_messages
from director.context import laws
from director.context.presets import PRESETS, Options
from director.context.units import thoughts, units, without_thinking
from director.context.values import AgentTurn, Budget
from director.context.wire import emit, parse

COMPACTION = {"type": "compaction", "id": "cmp_1", "encrypted_content": "sealed"}


def history(*, thinking: bool) -> list[object]:
    """Forty calls in fourteen requests, compacted by the server after the eighth call."""
    rng = random.Random(1)
    items: list[object] = [{"type": "message", "role": "user", "content": "Find the key."}]
    for nth in range(40):
        if nth % 3 == 0:
            items.append({"type": "message", "role": "user", "content": f"Go to room {nth}."})
        if nth == 8:
            items.append(COMPACTION)
        if thinking:
            items.append({"type": "reasoning", "id": f"rs_{nth}", "summary": []})
        call = {"call_id": f"call_{nth}", "name": "look", "arguments": "{}"}
        items.append({"type": "function_call", "id": f"fc_{nth}", **call})
        found = " ".join(str(rng.random()) for _ in range(60))
        output = {"call_id": f"call_{nth}", "output": found}
        items.append({"type": "function_call_output", **output})
    return items


@pytest.mark.parametrize("thinking", [False, True])
@pytest.mark.parametrize("preset", PRESETS)
def test_no_preset_cuts_it(preset: str, *, thinking: bool) -> None:
    """It comes back as the very object it was, although turns after it are gone."""
    given = history(thinking=thinking)
    fitted = fit_messages(given, budget=4_500, strategy=preset)
    assert len(fitted.messages) < len(given)
    assert any(message is COMPACTION for message in fitted.messages)


@pytest.mark.parametrize("thinking", [False, True])
@pytest.mark.parametrize("preset", PRESETS)
def test_the_laws_hold_around_it(preset: str, *, thinking: bool) -> None:
    """All ten."""
    context = parse(history(thinking=thinking)).context
    strategy, budget = PRESETS[preset](Options()), Budget(4_500)
    assert laws.broken_laws(strategy, context, budget) == []


def test_it_is_no_thinking() -> None:
    """A loop with a compaction alone may be cut anywhere; stripped of thinking, it keeps it."""
    turns = parse(history(thinking=True)).context.turns
    stripped = without_thinking(turns)
    kept = [turn.thinking for turn in stripped if isinstance(turn, AgentTurn) and turn.thinking]
    assert kept == [(COMPACTION,)]
    assert all(len(unit) == 1 for unit in units(stripped))
    assert not any(thoughts(turn) for turn in stripped if isinstance(turn, AgentTurn))
    written = emit(parse(history(thinking=True)).context, "responses")
    assert written == history(thinking=True)
