"""The oracle finds each broken rule, and nothing in what is valid."""

from __future__ import annotations

from typing import Any

import pytest

from director.context.wire import Wire, problems

CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ASKS = {"role": "assistant", "tool_calls": [CALL]}
TELLS = {"role": "tool", "tool_call_id": "a", "content": "1"}
USER = {"role": "user", "content": "go"}
USE = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "1"}
TEXT = {"type": "text", "text": "x"}
HOLLOW = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": ""}]}
ITEM = {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "f", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "a", "output": "1"}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}


def said(*blocks: Any) -> Any:
    """An Anthropic message of the model."""
    return {"role": "assistant", "content": list(blocks)}


def heard(*blocks: Any) -> Any:
    """An Anthropic message of a user."""
    return {"role": "user", "content": list(blocks)}


@pytest.mark.parametrize(
    ("wire", "messages", "found"),
    [
        ("chat", [USER, ASKS, TELLS], []),
        ("chat", [TELLS], ["0: orphan result a"]),
        ("chat", [ASKS, TELLS, TELLS], ["2: duplicate result a"]),
        ("chat", [ASKS, USER, TELLS], ["1: unanswered call a", "2: orphan result a"]),
        ("chat", [ASKS], ["1: unanswered call a"]),
        ("chat", [{"role": "assistant", "content": None}], ["0: empty assistant message"]),
        ("anthropic", [USER, said(USE), heard(RESULT, TEXT)], []),
        ("anthropic", [USER, said(USE), heard(RESULT), heard(TEXT)], []),
        ("anthropic", [USER, said(USE), heard(TEXT, RESULT)], ["2: result a does not come first"]),
        ("anthropic", [USER, heard(RESULT)], ["0: orphan result a"]),
        ("anthropic", [USER, said(USE)], ["end: unanswered call a"]),
        ("anthropic", [USER, said(USE), heard(TEXT)], ["2: unanswered call a"]),
        ("anthropic", [USER, said(USE), heard(RESULT, RESULT)], ["2: duplicate result a"]),
        ("anthropic", [USER, said(USE), heard(HOLLOW)], ["2: empty text block"]),
        ("anthropic", [said(TEXT)], ["0: the first message is not a user's"]),
        ("anthropic", [said({"type": "compaction", "content": "c"}), USER], []),
        (
            "anthropic",
            [USER, said(USE), heard(RESULT), said(USE), heard(RESULT)],
            ["3: tool_use id a is not unique"],
        ),
        ("responses", [THOUGHT, ITEM, OUTPUT], []),
        ("responses", [OUTPUT], ["0: orphan result a"]),
        ("responses", [ITEM, OUTPUT, OUTPUT], ["2: duplicate result a"]),
        ("responses", [ITEM], ["end: unanswered call a"]),
        ("responses", [USER, THOUGHT, USER], ["1: reasoning without a following item"]),
        ("responses", [THOUGHT, ITEM, OUTPUT, THOUGHT, ITEM], None),
        (
            "responses",
            [{"type": "compaction_trigger"}, USER],
            ["0: compaction_trigger is not last"],
        ),
    ],
)
def test_a_broken_rule_is_named(wire: Wire, messages: list[Any], found: list[str] | None) -> None:
    """By message and id; None stands for any complaint."""
    named = problems(messages, wire)
    assert named if found is None else named == found


def test_an_item_is_torn_from_its_reasoning_only_under_its_id() -> None:
    """What the history was before shows which reasoning an item came with."""
    before = [THOUGHT, ITEM, OUTPUT]
    assert problems([ITEM, OUTPUT], "responses", before) == [
        "0: fc_1 is shown without its reasoning rs_1"
    ]
    nameless = {name: value for name, value in ITEM.items() if name != "id"}
    assert problems([nameless, OUTPUT], "responses", before) == []
