"""A provider's own compaction: opaque, kept where it is, a boundary that no strategy moves."""

from __future__ import annotations

import json
import random

import pytest

from director import fit_messages
from director.context import laws
from director.context.excerpt_choice import select
from director.context.excerpts import Excerpt
from director.context.presets import PRESETS, Options
from director.context.units import thoughts, units, without_thinking
from director.context.values import AgentTurn, Budget, chars4
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
    assert laws.find_broken_laws(strategy, context, budget) == []


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


def said(messages: list[object]) -> str:
    """All that a model would read."""
    return json.dumps(messages, ensure_ascii=False)


def ask(at: int, tool: str, result: str) -> list[object]:
    """One call with its result, as Chat Completions writes them."""
    function = {"name": tool, "arguments": json.dumps({"at": at})}
    call = {"id": f"c{at}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{at}", "content": result},
    ]


def test_a_new_result_takes_its_shorter_notation_before_what_is_known_leaves() -> None:
    """Forty flights as JSON do not fit, as a table they do: the booking stays known."""
    flights = [
        {"flight_number": f"HAT{n}", "origin": "ATL", "status": "available", "price": 100 + n}
        for n in range(40)
    ]
    messages: list[object] = [
        {"role": "system", "content": "You book flights."},
        {"role": "user", "content": "Move my booking to another day."},
        *ask(1, "booking", json.dumps({"id": "M05KNL", "paid_with": "gift_card_8887175"})),
        *ask(2, "flights", json.dumps(flights)),
    ]
    sent = said(fit_messages(messages, budget=Budget(800)).messages)
    assert all(flight["flight_number"] in sent for flight in flights)
    assert "gift_card_8887175" in sent


def test_a_budget_that_no_provider_caches_is_filled() -> None:
    """Below the smallest cached prefix a smaller request saves nothing but what it says."""
    messages: list[object] = [{"role": "user", "content": "Look at every shelf and add them up."}]
    for n in range(40):
        messages += ask(n, "look", f"Shelf {n} of hall {n % 7}: {n * 13} boxes, label lot-{n * 17}")
    fitted = fit_messages(messages, budget=Budget(600))
    assert 540 < fitted.report.after <= 600


def test_an_excerpt_is_no_heading_without_what_stands_below_it() -> None:
    """A row of a record may stand without its heading, a heading not without a row."""
    row = "id: card_477, brand: visa, ends: 4404, since: 2019-04-11, held by: Mia Li of Austin"
    found = [
        Excerpt(3, "→", text, 1.0) for text in ("payment_methods:", row, "saved_passengers:", row)
    ]
    texts = [[piece.text for piece in select(found, room, chars4)] for room in range(16, 120)]
    assert [] in texts
    assert ["payment_methods:", row] in texts
    assert not any(chosen and row not in chosen for chosen in texts)


TALK = (
    ("user", 475), ("call", 160), ("tool", 27), ("call", 144), ("tool", 55), ("assistant", 5),
    ("user", 231), ("call", 56), ("tool", 196), ("assistant", 5), ("user", 221), ("call", 88),
    ("tool", 142), ("assistant", 5), ("user", 344), ("call", 48), ("tool", 17), ("call", 76),
    ("tool", 129), ("assistant", 5), ("user", 163), ("call", 56), ("tool", 23),
)  # fmt: skip


@pytest.mark.parametrize("limit", [476, 480, 484])
def test_a_kept_summary_gives_way_where_it_would_pass_the_limit(limit: int) -> None:
    """What the user said and the earlier summary do not fit together: within the limit still."""
    messages: list[object] = [{"role": "system", "content": "Serve the user with these tools."}]
    for at, (role, size) in enumerate(TALK, start=1):
        text = (f"item {at} has lot-{at * 17} and bay-{at * 31}. " * 40)[:size]
        if role == "call":
            function = {"name": "look", "arguments": json.dumps({"a": f"x{at} " * (size // 4)})}
            call = {"id": f"c{at}", "type": "function", "function": function}
            messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        elif role == "tool":
            messages.append({"role": role, "tool_call_id": f"c{at - 1}", "content": text})
        else:
            messages.append({"role": role, "content": text})
    assert fit_messages(messages, budget=Budget(limit)).report.fits
