"""What a provider would refuse is repaired, and every repair is reported."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.wire.histories import DICTS
from director.context.wire import WIRES, Parser, Wire, emit, parse, problems

NO_RESULT = "[no result was recorded for this call]"
USER = {"role": "user", "content": "go"}


def asks(*ids: str) -> Any:
    """A chat message with calls."""
    function = {"name": "f", "arguments": "{}"}
    calls = [{"id": one, "type": "function", "function": function} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def tells(one: str, text: str = "1") -> Any:
    """A chat message with a result."""
    return {"role": "tool", "tool_call_id": one, "content": text}


def uses(*ids: str) -> Any:
    """An Anthropic message with calls."""
    blocks = [{"type": "tool_use", "id": one, "name": "f", "input": {}} for one in ids]
    return {"role": "assistant", "content": blocks}


def result(one: str, text: str = "1") -> Any:
    """An Anthropic result."""
    return {"type": "tool_result", "tool_use_id": one, "content": text}


def call(one: str, name: str = "") -> Any:
    """A call of the Responses wire."""
    item = {"type": "function_call", "call_id": one, "name": "f", "arguments": "{}"}
    return {**item, "id": name} if name else item


def output(one: str) -> Any:
    """A result of the Responses wire."""
    return {"type": "function_call_output", "call_id": one, "output": "1"}


def text(words: str) -> Any:
    """A text block."""
    return {"type": "text", "text": words}


THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}
MESSAGE = {"type": "message", "id": "msg_1", "role": "assistant", "content": "hi"}
EMPTY = {"role": "assistant", "content": ""}
UNANSWERED = {**result("a", NO_RESULT), "is_error": True}
OLD = {"name": "f", "arguments": "{}"}


CASES: dict[str, tuple[Wire, list[Any], list[tuple[str, int]], list[Any]]] = {
    "orphan": ("chat", [USER, tells("x")], [("orphan_result", 1)], [USER]),
    "duplicate result": (
        "chat",
        [asks("a"), tells("a"), tells("a", "2")],
        [("duplicate_result", 2)],
        [asks("a"), tells("a")],
    ),
    "unanswered": (
        "chat",
        [asks("a", "b"), tells("b"), USER],
        [("unanswered_call", 0)],
        [asks("a", "b"), tells("b"), tells("a", NO_RESULT), USER],
    ),
    "trailing": (
        "chat",
        [USER, asks("a")],
        [("unanswered_call", 1)],
        [USER, asks("a"), tells("a", NO_RESULT)],
    ),
    "late": (
        "chat",
        [asks("a"), USER, tells("a")],
        [("misplaced_result", 2)],
        [asks("a"), tells("a"), USER],
    ),
    "ids used again with results are fine": (
        "chat",
        [asks("a"), tells("a"), asks("a"), tells("a", "2")],
        [],
        [asks("a"), tells("a"), asks("a"), tells("a", "2")],
    ),
    "ids used again without a result": (
        "chat",
        [asks("a"), tells("a"), asks("b", "a"), tells("b")],
        [("duplicate_call", 2)],
        [asks("a"), tells("a"), asks("b"), tells("b")],
    ),
    "a turn of nothing but such a call": (
        "chat",
        [asks("a"), tells("a"), asks("a"), USER],
        [("duplicate_call", 2)],
        [asks("a"), tells("a"), USER],
    ),
    "empty": ("chat", [USER, EMPTY, USER], [("empty_message", 1)], [USER, USER]),
    "old call": (
        "chat",
        [{"role": "assistant", "content": None, "function_call": OLD}],
        [("unanswered_call", 0)],
        [
            {"role": "assistant", "content": None, "function_call": OLD},
            {"role": "function", "name": "f", "content": NO_RESULT},
        ],
    ),
    "no message": (
        "chat",
        [None, 3, "x", ["y"], USER],
        [("unknown_message", n) for n in range(4)],
        [USER],
    ),
    "text before a result": (
        "anthropic",
        [USER, uses("a"), {"role": "user", "content": [text("x"), result("a")]}],
        [("misplaced_result", 2)],
        [USER, uses("a"), {"role": "user", "content": [result("a"), text("x")]}],
    ),
    "partly answered": (
        "anthropic",
        [USER, uses("a", "b"), {"role": "user", "content": [result("b"), text("x")]}],
        [("unanswered_call", 1)],
        [USER, uses("a", "b"), {"role": "user", "content": [result("b"), UNANSWERED, text("x")]}],
    ),
    "an orphan beside text": (
        "anthropic",
        [{"role": "user", "content": [result("a"), text("x")]}],
        [("orphan_result", 0)],
        [{"role": "user", "content": [text("x")]}],
    ),
    "an id that is not unique": (
        "anthropic",
        [
            *[USER, uses("a"), {"role": "user", "content": [result("a")]}],
            *[uses("a"), {"role": "user", "content": [result("a", "2")]}],
        ],
        [("duplicate_call", 3)],
        [
            *[USER, uses("a"), {"role": "user", "content": [result("a")]}],
            *[uses("a_2"), {"role": "user", "content": [result("a_2", "2")]}],
        ],
    ),
    "a message sent twice": (
        "anthropic",
        [USER, uses("a"), uses("a"), {"role": "user", "content": [result("a")]}],
        [("duplicate_call", 2)],
        [USER, uses("a"), {"role": "user", "content": [result("a")]}],
    ),
    "no beginning": (
        "anthropic",
        [{"role": "assistant", "content": "hi"}],
        [("missing_user", 0)],
        [
            {"role": "user", "content": "[the beginning of this conversation is not shown]"},
            {"role": "assistant", "content": "hi"},
        ],
    ),
    "empty blocks": (
        "anthropic",
        [
            {"role": "user", "content": [text("x"), text("")]},
            {"role": "assistant", "content": [text(""), text("y")]},
            {"role": "assistant", "content": [text("")]},
            {"role": "user", "content": ""},
        ],
        [("empty_block", 0), ("empty_block", 1), ("empty_message", 2), ("empty_message", 3)],
        [{"role": "user", "content": [text("x")]}, {"role": "assistant", "content": [text("y")]}],
    ),
    "an empty text in a result": (
        "anthropic",
        [USER, uses("a"), {"role": "user", "content": [{**result("a"), "content": [text("")]}]}],
        [("empty_block", 2)],
        [USER, uses("a"), {"role": "user", "content": [result("a", "")]}],
    ),
    "bare reasoning": ("responses", [THOUGHT, USER], [("bare_thinking", 0)], [USER]),
    "custom call": (
        "responses",
        [{"type": "custom_tool_call", "call_id": "a", "name": "f", "input": "x"}],
        [("unanswered_call", 0)],
        [
            {"type": "custom_tool_call", "call_id": "a", "name": "f", "input": "x"},
            {"type": "custom_tool_call_output", "call_id": "a", "output": NO_RESULT},
        ],
    ),
    "a hosted call needs no answer": (
        "responses",
        [{"type": "shell_call", "call_id": "a", "id": "sh_1"}],
        [],
        [{"type": "shell_call", "call_id": "a", "id": "sh_1"}],
    ),
    "an item sent twice": (
        "responses",
        [THOUGHT, MESSAGE, THOUGHT, MESSAGE],
        [("duplicate_item", 2), ("duplicate_item", 3)],
        [THOUGHT, MESSAGE],
    ),
    "an id for two items": (
        "responses",
        [call("a", "fc_1"), call("b", "fc_1"), output("a"), output("b")],
        [("duplicate_item", 1)],
        [call("a", "fc_1"), call("b"), output("a"), output("b")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_broken_history_is_repaired_and_reported(name: str) -> None:
    """By kind and message; what is sent is valid and what is valid needs no repair."""
    wire, messages, repairs, wanted = CASES[name]
    parsed = parse(messages, wire)
    assert [(repair.kind, repair.where) for repair in parsed.repairs] == repairs
    assert all(repair.action.endswith(".") for repair in parsed.repairs)
    sent = emit(parsed.context, wire)
    assert sent == wanted
    assert problems(sent, wire) == []
    assert bool(problems(messages, wire)) == bool(repairs) or name == "no message"


def test_an_answer_that_comes_after_all_takes_the_place_of_the_notice() -> None:
    """The turn is made anew, and the repair is forgotten."""
    parser = Parser("chat")
    parser.extend([USER, asks("a")])
    assert parser.finish().repairs[0].kind == "unanswered_call"
    kept, turns = parser.extend([tells("a", "here")])
    assert kept == 1
    assert turns[0].calls[0].result == "here"  # type: ignore[union-attr]
    assert parser.finish().repairs == ()


def test_a_result_taken_for_that_of_a_hidden_call_goes_to_its_own_when_that_appears() -> None:
    """A reference may stand for a call, so a result after it is kept until it is claimed."""
    hidden = {"type": "item_reference", "id": "fc_9"}
    items = [hidden, output("a"), output("b"), call("a"), output("b")]
    parsed = parse(items, "responses")
    assert [(repair.kind, repair.where) for repair in parsed.repairs] == [
        ("misplaced_result", 3),
        ("duplicate_result", 4),
    ]
    sent = emit(parsed.context, "responses")
    assert sent == [hidden, output("b"), call("a"), output("a")]


@pytest.mark.parametrize("wire", ["chat", "responses", "anthropic"])
@given(data=st.data())
def test_a_mangled_history_is_sent_repaired(wire: Wire, data: st.DataObject) -> None:
    """Messages dropped, doubled and swapped at will: what is sent is valid, and stays as it is."""
    messages = data.draw(DICTS[wire])
    for _ in range(data.draw(st.integers(1, 4))):
        if not messages:
            break
        one = data.draw(st.integers(0, len(messages) - 1))
        two = data.draw(st.integers(0, len(messages) - 1))
        how = data.draw(st.sampled_from(["drop", "double", "swap", "junk"]))
        if how == "drop":
            del messages[one]
        elif how == "double":
            messages.insert(two, messages[one])
        elif how == "swap":
            messages[one], messages[two] = messages[two], messages[one]
        else:
            messages.insert(one, data.draw(st.sampled_from([None, 7, "x", EMPTY])))
    parsed = parse(messages, wire)
    sent = emit(parsed.context, wire)
    assert problems(sent, wire) == []
    again = parse(sent, wire)
    assert again.repairs == ()
    assert all(a is b for a, b in zip(emit(again.context, wire), sent, strict=True))
    valid = all(isinstance(message, dict) for message in messages)
    assert parsed.repairs or (valid and all(a is b for a, b in zip(sent, messages, strict=True)))


FIELDS = ["role", "type", "content", "tool_calls", "function_call", "id", "call_id", "output"]
FIELDS += ["tool_call_id", "tool_use_id", "input", "text", "additional_kwargs", "arguments"]
WORDS = ["user", "assistant", "tool", "system", "function", "tool_use", "tool_result", "text"]
WORDS += ["thinking", "reasoning", "function_call", "function_call_output", "message", "a", ""]
JUNK = st.recursive(
    st.sampled_from([*WORDS, None, 0, 1.5, float("nan"), b"x", object()]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("wire", [*WIRES, None])
@given(messages=st.lists(JUNK, max_size=5))
def test_any_list_is_read_and_what_a_wire_may_hold_is_kept(
    wire: Wire | None, messages: list[Any]
) -> None:
    """Nothing raises, and nothing that was kept is changed."""
    parsed = parse(messages, wire)
    if parsed.wire != "langchain":
        emit(parsed.context, parsed.wire)
        parse(messages, wire, 3)


class Unreadable:
    """An object whose attributes cannot be read."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)


@pytest.mark.parametrize("wire", WIRES)
def test_an_unknown_message_comes_back_verbatim(wire: Wire) -> None:
    """Whatever it is, if it can be a message at all."""
    strange = [{"role": "banana", "content": {"x": 1}}, {"deep": [1]}, {}, Unreadable(), object()]
    parsed = parse(strange, wire)
    assert parsed.repairs == ()
    assert all(a is b for a, b in zip(emit(parsed.context, wire), strange, strict=True))
    assert parse(strange).repairs == ()


def test_a_pause_parts_what_would_be_one_turn() -> None:
    """Whatever follows is a turn of its own; an answer that comes late still finds its call."""
    parser = Parser("chat", first=1)
    parser.extend([asks("a")])
    parser.pause()
    kept, turns = parser.extend([asks("b")])
    assert (kept, len(turns)) == (1, 1)
    kept, turns = parser.extend([tells("a", "here"), tells("b", "there")])
    assert kept == 0
    found = [call.result for turn in turns for call in turn.calls]  # type: ignore[union-attr]
    assert found == ["here", "there"]
