"""Brains behind the double, met through the vendors' clients: what they are for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from openai import OpenAI
from openai.types.responses import FunctionToolParam, Response, ResponseInputItemParam

from director.models.script_engines import (
    Adversary,
    Machine,
    Mind,
    Summariser,
    load_script_engine,
    score_facts,
)
from director.models.script_values import ScriptEngine
from director.testing.double import Double

SCRIPTS = Path(__file__).parent.parent.parent / "docs" / "scripts"
MODEL = "gpt-6-sol"
TRUTH = {"order": "A-7", "city": "Rome", "seat": "12c"}


def _tools(*names: str) -> list[FunctionToolParam]:
    schema: dict[str, object] = {"type": "object", "properties": {}, "additionalProperties": False}
    return [
        {"type": "function", "name": name, "parameters": schema, "strict": False} for name in names
    ]


def _drive(client: OpenAI, results: Iterator[str], tools: list[FunctionToolParam]) -> list[str]:
    """Answer every call until there is none; the names of all calls, and then the last text."""
    named: list[str] = []
    answer = client.responses.create(model=MODEL, input="Go.", tools=tools)
    while calls := [item for item in answer.output if item.type == "function_call"]:
        named += [call.name for call in calls]
        outputs: list[ResponseInputItemParam] = [
            {"type": "function_call_output", "call_id": call.call_id, "output": next(results)}
            for call in calls
        ]
        answer = client.responses.create(
            model=MODEL, previous_response_id=answer.id, input=outputs, tools=tools
        )
    return [*named, answer.output_text]


def _ask(client: OpenAI, items: list[ResponseInputItemParam]) -> list[str]:
    said = client.responses.create(
        model=MODEL, input=[*items, {"role": "user", "content": "ask: order, city, seat"}]
    )
    return said.output_text.splitlines()


def test_a_machine_drives_a_whole_run() -> None:
    """The first try fails, the second works, and the client did nothing wrong."""
    brain = load_script_engine(SCRIPTS / "build.json")
    assert isinstance(brain, Machine)
    results = iter(["<main>", "node 1", "Error: not found", "<main>", "node 2", "clicked"])
    with Double("openai", brain) as double:
        with OpenAI(base_url=double.openai_url, api_key="sk-x", max_retries=0) as client:
            went = _drive(client, results, _tools("get_dom", "create_node", "execute"))
        assert double.defects == []
    work = ["get_dom", "create_node", "execute"]
    assert went == [*work, *work, "The step works: clicked"]


@pytest.mark.parametrize(("loss", "kept"), [("keep_all", 1.0), ("keep_last_k", 1 / 3)])
def test_retention_over_a_compaction_can_be_measured(
    loss: Literal["keep_all", "keep_last_k"], kept: float
) -> None:
    """What the mind still knows after a compaction is what the compaction kept."""
    told: list[ResponseInputItemParam] = [
        {"role": "assistant", "content": f"I note {key}={value}"} for key, value in TRUTH.items()
    ]
    brain = Summariser(Mind(), loss, keep=1)
    with (
        Double("openai", brain) as double,
        OpenAI(base_url=double.openai_url, api_key="sk-x", max_retries=0) as client,
    ):
        compacted = client.responses.compact(model=MODEL, input=told)
        window = json.loads(compacted.model_dump_json(exclude_none=True))["output"]
        assert score_facts(TRUTH, _ask(client, window)) == pytest.approx(kept)


@pytest.mark.parametrize(("profile", "told"), [("openai", "order=A-7"), ("ollama", "UNKNOWN")])
def test_a_server_that_silently_forgets_is_found_out(profile: str, told: str) -> None:
    """The same chained question is answered where the chain is kept, and only there."""
    with (
        Double(profile, Mind()) as double,
        OpenAI(base_url=double.openai_url, api_key="sk-x", max_retries=0) as client,
    ):
        first = client.responses.create(model=MODEL, input="order=A-7")
        second = client.responses.create(
            model=MODEL, input="What is order?", previous_response_id=first.id
        )
        assert second.output_text == told


def test_an_agent_gets_through_the_whole_menu_of_misbehaviour() -> None:
    """Every call is answered, whatever it is, and the run comes to its end."""
    brain: ScriptEngine = Adversary()
    with Double("openai", brain) as double:
        with OpenAI(base_url=double.openai_url, api_key="sk-x", max_retries=0) as client:
            answer: Response | None = None
            items: list[ResponseInputItemParam] = [{"role": "user", "content": "Go."}]
            for _ in range(12):
                answer = client.responses.create(model=MODEL, input=items, tools=_tools("click"))
                items += json.loads(answer.model_dump_json(exclude_none=True))["output"]
                items += [
                    {"type": "function_call_output", "call_id": item.call_id, "output": "no"}
                    for item in answer.output
                    if item.type == "function_call"
                ]
                items += [{"role": "user", "content": "Go on."}]
        assert answer is not None
        assert answer.output_text == "Done."
        assert double.defects == []
