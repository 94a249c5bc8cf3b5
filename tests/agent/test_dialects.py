"""The same turns against the strict double, in each dialect and each profile."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from agent.office import asks, at_double, desk, results
from agent.prefixes import parted
from director.agent.turn import TurnResult, take_turn
from director.models.script_values import Emit, Say, Seen, Think
from director.profiles import load_profile
from director.store import Store
from director.testing.double import Double
from models.talk import MODELS, PROFILES

CODE = {"input": {"prices": [3, 5]}, "code": "min(prices)", "store": True}
STEPS: list[list[Emit]] = [
    [
        Think("First the nodes."),
        asks("create_node", type="transform", alias="cheapest", config=CODE),
        asks("get_workflow_summary"),
    ],
    [asks("test_single_node", node="cheapest")],
    [asks("ask_user", question="In which currency?")],
    [asks("set_variable", variableName="currency", value="EUR", reason="told")],
    [asks("get_workflow_variables"), asks("get_workflow_nodes")],
    [Say("Done: 3 EUR.")],
]


def brain(shown: Seen) -> Sequence[Emit]:
    """The step that follows the answers given so far."""
    ids = [item.call for item in shown.items if item.kind == "call"]
    ends = itertools.accumulate(sum(hasattr(e, "tool") for e in step) for step in STEPS)
    return STEPS[next(nth for nth, end in enumerate(ends) if len(ids) < end or nth == 5)]


@pytest.mark.promise("E6")
@pytest.mark.parametrize("wire", list(MODELS))
def test_a_looping_model_stops_when_it_has_cost_enough(store: Store, wire: str) -> None:
    """By the prices of the provider: one call more than the limit at the most."""
    usual = load_profile("structured")
    cheap = replace(usual, limits=replace(usual.limits, money=0.02))
    with Double(PROFILES[wire], lambda _: [asks("get_current_plan")]) as double:
        made = at_double(desk(store, brain), double, wire)

        async def looping() -> TurnResult:
            turn = await take_turn(made, "Go.", profile=cheap)
            await made.close()
            return turn

        turn = asyncio.run(looping())
        costs = [line.cost or Decimal(0) for line in double.ledger.lines]
    assert turn.ended == "money"
    assert "$0.02" in turn.text
    assert sum(costs[:-1]) < Decimal("0.02") <= turn.spent.money


@pytest.mark.promise("B6")
@pytest.mark.promise("B8")
@pytest.mark.parametrize("wire", list(MODELS))
@pytest.mark.parametrize("profile", ["structured", "structured_cached", "clean"])
def test_turns_break_no_rule_of_a_provider(store: Store, wire: str, profile: str) -> None:
    """Questions, results, sections and chains are valid; what is pushed is what is pulled."""
    with Double(PROFILES[wire], brain) as double:  # type: ignore[arg-type]
        made = at_double(desk(store, brain, profile=profile), double, wire)

        async def turns() -> list[str]:
            asked = await take_turn(made, "Find the cheapest.")
            said = await take_turn(made, "EUR")
            await made.close()
            return [asked.ended, said.text]

        assert asyncio.run(turns()) == ["asked", "Done: 3 EUR."]
        assert double.defects == []
        assert double.verdict() == []
        assert parted([one.seen for one in double.generations]) == []
        last = double.generations[-1].seen
        pulled = results(last)[-2:]
        pushed = {"structured": last.instructions, "structured_cached": last.items[-1].text}
        if profile in pushed:
            assert all(text in pushed[profile] for text in pulled)
