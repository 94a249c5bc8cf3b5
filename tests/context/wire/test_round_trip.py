"""What was not edited comes back as the very objects that were received."""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.wire.histories import DICTS
from director.context.values import AgentTurn, UserTurn
from director.context.wire import Parser, Wire, detect, emit, parse, problems

WIRES: tuple[Wire, ...] = ("chat", "responses", "anthropic")


def identical(one: list[Any], other: list[Any]) -> bool:
    """Whether two lists hold the same objects."""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("wire", WIRES)
@given(data=st.data())
def test_a_valid_history_comes_back_object_for_object(wire: Wire, data: st.DataObject) -> None:
    """Nothing is repaired, copied or changed."""
    messages = data.draw(DICTS[wire])
    before = copy.deepcopy(messages)
    parsed = parse(messages, wire)
    assert parsed.repairs == ()
    assert identical(emit(parsed.context, wire), messages)
    assert messages == before
    assert problems(messages, wire) == []


@pytest.mark.parametrize("wire", WIRES)
@given(data=st.data())
def test_turns_are_numbered_and_know_where_they_begin(wire: Wire, data: st.DataObject) -> None:
    """Numbers are consecutive from the first, beginnings rise."""
    messages, first = data.draw(DICTS[wire]), data.draw(st.integers(0, 3))
    parsed = parse(messages, wire, first)
    turns = parsed.context.turns
    assert [turn.at for turn in turns] == list(range(first, first + len(turns)))
    assert len(parsed.starts) == len(turns)
    assert all(a <= b for a, b in pairwise(parsed.starts))


@pytest.mark.parametrize("wire", WIRES)
@given(data=st.data())
def test_reading_as_it_grows_is_reading_at_once(wire: Wire, data: st.DataObject) -> None:
    """Any way to cut a history, even a broken one, gives the same turns and repairs."""
    messages = data.draw(DICTS[wire])
    messages = [m for m in messages if data.draw(st.integers(0, 9))]
    parser = Parser(wire)
    turns: list[Any] = []
    rest = list(messages)
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        kept, new = parser.extend(rest[:size])
        turns[kept:] = new
        rest = rest[size:]
    whole = parse(messages, wire)
    assert tuple(turns) == whole.context.turns
    assert parser.finish() == whole
    assert identical(emit(parser.finish().context, wire), emit(whole.context, wire)) or (
        whole.repairs
    )


@pytest.mark.parametrize("wire", WIRES)
@given(data=st.data())
def test_a_tail_read_from_where_a_turn_begins_is_the_same(wire: Wire, data: st.DataObject) -> None:
    """Only the mark of the first request belongs to the whole."""
    messages = data.draw(DICTS[wire])
    whole = parse(messages, wire)
    if not whole.starts:
        return
    number = data.draw(st.integers(1, len(whole.starts)))
    shared = number < len(whole.starts) and whole.starts[number - 1] == whole.starts[number]
    if number == len(whole.starts) or shared:
        return
    # A message that holds results and a request begins no turn on its own.
    if wire == "anthropic" and "tool_result" in str(messages[whole.starts[number]]):
        return
    tail = parse(messages[whole.starts[number] :], wire, number)
    pairs = zip(tail.context.turns, whole.context.turns[number:], strict=True)
    assert all(a.text == b.text and a.at == b.at for a, b in pairs)


@pytest.mark.parametrize("wire", WIRES)
@given(data=st.data())
def test_a_history_reveals_its_wire(wire: Wire, data: st.DataObject) -> None:
    """Read by the wire that its shape shows, it comes back all the same."""
    messages = data.draw(DICTS[wire])
    assert identical(emit(parse(messages).context, detect(messages)), messages)


def test_an_empty_history_is_an_empty_chat() -> None:
    """Nothing in, nothing out."""
    assert detect([]) == "chat"
    assert emit(parse([]).context, "chat") == []


@pytest.mark.parametrize(
    ("message", "wire"),
    [
        ({"role": "user", "content": "x"}, "chat"),
        ({"role": "tool", "tool_call_id": "a", "content": "x"}, "chat"),
        ({"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}, "responses"),
        ({"role": "user", "content": [{"type": "input_text", "text": "x"}]}, "responses"),
        ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}, "anthropic"),
        ({"role": "assistant", "content": [{"type": "thinking", "thinking": ""}]}, "anthropic"),
    ],
)
def test_a_telling_message_decides_the_wire(message: object, wire: Wire) -> None:
    """Plain messages before it do not."""
    assert detect([{"role": "user", "content": "hello"}, message]) == wire


@pytest.mark.parametrize("wire", ["chat", "responses"])
def test_leading_instructions_are_sections_and_later_ones_pinned_turns(wire: Wire) -> None:
    """The first request never leaves either, later ones may."""
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": "first"},
        {"role": "system", "content": "Be quick."},
        {"role": "user", "content": "second"},
    ]
    context = parse(messages, wire).context
    assert [(s.name, s.text, s.trust, s.pinned) for s in context.sections] == [
        ("system", "Be brief.", "system", True),
        ("system", "Be kind.", "system", True),
    ]
    assert context.sections[0].native is messages[0]
    users = [turn for turn in context.turns if isinstance(turn, UserTurn)]
    assert [turn.pinned for turn in users] == [False, True, False]
    assert [turn.request for turn in users] == [True, False, False]


def test_a_model_response_is_one_turn_with_its_results_in_its_calls() -> None:
    """Parallel calls of the Responses wire share a turn; a call after an output starts one."""
    items: list[Any] = [
        {"role": "user", "content": "go"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "f", "arguments": "{}"},
        {
            "type": "function_call",
            "id": "fc_2",
            "call_id": "b",
            "name": "g",
            "arguments": '{"x":1}',
        },
        {"type": "function_call_output", "call_id": "b", "output": "2"},
        {"type": "function_call_output", "call_id": "a", "output": "1"},
        {"type": "function_call", "id": "fc_3", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "3"},
    ]
    parsed = parse(items, "responses")
    _, first, second = parsed.context.turns
    assert isinstance(first, AgentTurn)
    assert isinstance(second, AgentTurn)
    assert [(call.id, call.tool, call.args, call.result) for call in first.calls] == [
        ("a", "f", "{}", "1"),
        ("b", "g", '{"x":1}', "2"),
    ]
    assert first.thinking[0] is items[1]
    assert [call.id for call in second.calls] == ["c"]
    assert parsed.starts == (0, 1, 6)


def test_a_message_with_results_and_text_is_both() -> None:
    """The results live in their calls, the text is a request, the order of results is kept."""
    answer = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "b", "content": "2", "is_error": True},
            {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "1"}]},
            {"type": "text", "text": "and now?"},
        ],
    }
    uses = [{"type": "tool_use", "id": one, "name": "f", "input": {"q": "ü"}} for one in "ab"]
    messages: list[Any] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": uses},
        answer,
    ]
    context = parse(messages, "anthropic").context
    _, agent, user = context.turns
    assert isinstance(agent, AgentTurn)
    assert [(c.id, c.result, c.failed, c.trust) for c in agent.calls] == [
        ("a", "1", False, "web"),
        ("b", "2", True, "web"),
    ]
    assert agent.calls[0].args == '{"q": "ü"}'
    assert user.text == "and now?"
    assert emit(context, "anthropic")[2] is answer
