"""An edited context is still accepted by its provider, and nothing else changes."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.wire.histories import DICTS
from director.context.values import AgentTurn, Call, Context, Section, Summary, Turn, UserTurn
from director.context.wire import Wire, bare, emit, parse, problems

WIRES: tuple[Wire, ...] = ("chat", "responses", "anthropic")


def shrunk(call: Call, text: str) -> Call:
    """The call with a shorter result."""
    return replace(call, result=text, original=call.result)


def shrunk_first(messages: list[Any], wire: Wire, text: str, **changes: int) -> list[Any]:
    """The messages with the first result shrunk."""
    context = parse(messages, wire).context
    turns = list(context.turns)
    index = next(i for i, turn in enumerate(turns) if isinstance(turn, AgentTurn) and turn.calls)
    agent = turns[index]
    assert isinstance(agent, AgentTurn)
    call = replace(shrunk(agent.calls[0], text), **changes)  # type: ignore[arg-type]
    turns[index] = replace(agent, calls=(call, *agent.calls[1:]))
    return emit(replace(context, turns=tuple(turns)), wire)


@st.composite
def edited(draw: Any, context: Context) -> Context:
    """A context after what strategies do to one, and what they might."""
    turns: list[Turn] = []
    for turn in context.turns:
        edit = draw(st.sampled_from(["keep", "keep", "drop", "shrink", "unthink", "calls", "text"]))
        if edit == "drop":
            continue
        if isinstance(turn, UserTurn):
            turns.append(replace(turn, text="other", images=0) if edit == "text" else turn)
        elif edit == "shrink":
            less = tuple(replace(shrunk(call, "…"), images=0) for call in turn.calls)
            turns.append(replace(turn, calls=less))
        elif edit == "unthink":
            turns.append(replace(turn, thinking=()))
        elif edit == "calls":
            turns.append(replace(turn, calls=turn.calls[1:]))
        else:
            turns.append(replace(turn, text="other") if edit == "text" else turn)
    covers = draw(st.none() | st.lists(st.integers(0, 8), max_size=2))
    summary = None if covers is None else Summary("Earlier.", tuple(covers))
    return replace(context, turns=tuple(turns), summary=summary)


@pytest.mark.parametrize("wire", WIRES)
@given(data=st.data())
def test_any_edit_leaves_a_valid_history(wire: Wire, data: st.DataObject) -> None:
    """Whatever was dropped, shrunk or stripped; and reading it again needs no repair."""
    messages = data.draw(DICTS[wire])
    before = copy.deepcopy(messages)
    sent = emit(data.draw(edited(parse(messages, wire).context)), wire)
    assert problems(sent, wire, messages) == []
    assert messages == before
    again = parse(sent, wire)
    assert again.repairs == ()
    assert all(a is b for a, b in zip(emit(again.context, wire), sent, strict=True))


@pytest.mark.parametrize("target", WIRES)
@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=30)
@given(data=st.data())
def test_a_bare_context_can_be_sent_on_any_wire(
    wire: Wire, target: Wire, data: st.DataObject
) -> None:
    """Texts, calls and results arrive, ids that a wire refuses are changed."""
    context = bare(parse(data.draw(DICTS[wire]), wire).context)
    sent = emit(context, target)
    assert problems(sent, target) == []
    back = parse(sent, target).context
    calls = [c for t in context.turns if isinstance(t, AgentTurn) for c in t.calls]
    again = [c for t in back.turns if isinstance(t, AgentTurn) for c in t.calls]
    assert [(c.tool, c.result) for c in calls] == [(c.tool, c.result) for c in again]


def test_a_shrunk_result_is_a_copy_in_which_only_the_text_differs() -> None:
    """Unknown fields stay, the message received does not change, its neighbours are the same."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages: list[Any] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "long long", "name": "f"},
    ]
    sent = shrunk_first(messages, "chat", "short")
    assert sent[0] is messages[0]
    assert sent[1] == {"role": "tool", "tool_call_id": "a", "content": "short", "name": "f"}
    assert messages[1]["content"] == "long long"


def _result(content: object) -> list[Any]:
    block = {"type": "tool_result", "tool_use_id": "a", "content": content, "cache_control": {}}
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [block, {"type": "text", "text": "next?"}]},
    ]


@pytest.mark.parametrize("images", [0, 1])
def test_a_shrunk_list_has_one_text_and_its_images_only_if_they_count(images: int) -> None:
    """The cache mark of a text that is removed moves to the one that stays."""
    image = {"type": "image", "source": {}}
    mark = {"type": "ephemeral"}
    texts = [{"type": "text", "text": "1"}, {"type": "text", "text": "2", "cache_control": mark}]
    sent = shrunk_first(_result([texts[0], image, texts[1]]), "anthropic", "s", images=images)
    content = sent[2]["content"][0]["content"]
    assert content == [{"type": "text", "text": "s", "cache_control": mark}, *([image] * images)]
    assert sent[2]["content"][1] == {"type": "text", "text": "next?"}


def test_a_result_shrunk_to_nothing_leaves_no_empty_block() -> None:
    """Anthropic refuses empty texts."""
    sent = shrunk_first(_result([{"type": "text", "text": "1"}]), "anthropic", "")
    assert sent[2]["content"][0]["content"] == ""
    assert problems(sent, "anthropic") == []


def test_a_message_torn_in_two_is_rebuilt_from_the_part_that_stays() -> None:
    """Dropping the calls leaves the request that came with their results, and the reverse."""
    messages = _result("1")
    context = parse(messages, "anthropic").context
    first, agent, user = context.turns
    alone = emit(replace(context, turns=(first, user)), "anthropic")
    assert alone[1:] == [{"role": "user", "content": [{"type": "text", "text": "next?"}]}]
    called = emit(replace(context, turns=(first, agent)), "anthropic")
    assert called[2]["content"] == messages[2]["content"][:1]  # type: ignore[index]
    between = replace(context, summary=Summary("S", (1,)))
    assert emit(between, "anthropic")[3:] == [
        {"role": "user", "content": "S"},
        {"role": "user", "content": [{"type": "text", "text": "next?"}]},
    ]


def test_stripped_reasoning_takes_the_ids_of_its_items_along() -> None:
    """Also from a later turn of the same response, and when the whole turn is dropped."""
    key = "a" * 16
    items: list[Any] = [
        {"role": "user", "content": "go"},
        {"type": "reasoning", "id": f"rs_{key}{'1' * 34}", "summary": []},
        {"type": "function_call", "id": f"fc_{key}{'2' * 34}", "call_id": "a", "name": "f"},
        {"type": "function_call_output", "call_id": "a", "output": "1"},
        {"type": "function_call", "id": f"fc_{key}{'3' * 34}", "call_id": "b", "name": "f"},
        {"type": "function_call_output", "call_id": "b", "output": "2"},
    ]
    context = parse(items, "responses").context
    first, agent, last = context.turns
    assert isinstance(agent, AgentTurn)
    stripped = emit(replace(context, turns=(first, replace(agent, thinking=()), last)), "responses")
    assert [sorted(item) for item in stripped[1::2]] == [["call_id", "name", "type"]] * 2  # type: ignore[call-overload]
    dropped = emit(replace(context, turns=(first, last)), "responses")
    assert dropped[1:] == [{"type": "function_call", "call_id": "b", "name": "f"}, items[5]]
    assert problems([items[0], *items[4:]], "responses", items) != []


def test_a_compaction_is_thinking_that_is_never_stripped() -> None:
    """It stands for history, so losing it would lose more than thoughts."""
    items: list[Any] = [
        {"role": "user", "content": "go"},
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "e"},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": "hi"},
    ]
    context = parse(items, "responses").context
    agent = context.turns[1]
    assert isinstance(agent, AgentTurn)
    assert agent.thinking == (items[1],)
    stripped = replace(context, turns=(context.turns[0], replace(agent, thinking=())))
    assert emit(stripped, "responses") == items


def test_a_turn_of_thoughts_alone_is_not_sent_without_them() -> None:
    """An empty message would be refused."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    messages: list[Any] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [thought]},
        {"role": "user", "content": "well?"},
    ]
    context = parse(messages, "anthropic").context
    agent = context.turns[1]
    assert isinstance(agent, AgentTurn)
    stripped = replace(context.turns[1], thinking=())  # type: ignore[call-arg]
    turns = (context.turns[0], stripped, context.turns[2])
    assert emit(replace(context, turns=turns), "anthropic") == [messages[0], messages[2]]


@pytest.mark.parametrize(
    ("wire", "message"),
    [
        ("chat", {"role": "user", "content": "S"}),
        ("responses", {"type": "message", "role": "user", "content": "S"}),
        ("anthropic", {"role": "user", "content": "S"}),
    ],
)
def test_a_summary_stands_where_the_first_turn_it_covers_stood(wire: Wire, message: object) -> None:
    """After the instructions and the pinned request, before what came later."""
    turns = (UserTurn(0, "task"), UserTurn(3, "new"))
    context = Context((Section("system", "I"),), turns, Summary("S", (1, 2)))
    sent = emit(context, wire)
    assert sent[-2] == message
    assert len(sent) == (3 if wire == "anthropic" else 4)
    assert emit(replace(context, turns=turns[:1]), wire)[-1] == message


def test_a_changed_section_is_sent_changed() -> None:
    """Only its text differs from the message it came from."""
    message = {"role": "system", "content": [{"type": "text", "text": "I"}], "name": "n"}
    context = parse([message], "chat").context
    section = replace(context.sections[0], text="II")
    assert emit(replace(context, sections=(section,)), "chat") == [
        {"role": "system", "content": [{"type": "text", "text": "II"}], "name": "n"}
    ]


@pytest.mark.parametrize("wire", WIRES)
def test_changed_arguments_and_ids_are_sent_changed(wire: Wire) -> None:
    """In the call and in its result."""
    made = Context(turns=(UserTurn(0, "go"), AgentTurn(1, "", (Call("a", "f", "{}", "1"),))))
    context = parse(emit(made, wire), wire).context
    agent = context.turns[1]
    assert isinstance(agent, AgentTurn)
    call = replace(agent.calls[0], id="z", args='{"x": 2}')
    sent = emit(replace(context, turns=(UserTurn(0, "go"), replace(agent, calls=(call,)))), wire)
    back = parse(sent, wire)
    assert back.repairs == ()
    assert back.context.turns[1] == replace(agent, calls=(call,))


def test_a_custom_call_has_its_input_for_arguments() -> None:
    """On the chat and the Responses wire."""
    custom = {"id": "a", "type": "custom", "custom": {"name": "f", "input": "x"}}
    item = {"type": "custom_tool_call", "call_id": "a", "name": "f", "input": "x"}
    told = {"type": "custom_tool_call_output", "call_id": "a", "output": "1"}
    histories: dict[Wire, list[Any]] = {
        "chat": [
            {"role": "assistant", "content": None, "tool_calls": [custom]},
            {"role": "tool", "tool_call_id": "a", "content": "1"},
        ],
        "responses": [item, told],
    }
    for wire, messages in histories.items():
        context = parse(messages, wire).context
        agent = context.turns[0]
        assert isinstance(agent, AgentTurn)
        assert agent.calls == (Call("a", "f", "x", "1"),)
        other = replace(agent, calls=(replace(agent.calls[0], args="y"),))
        back = parse(emit(replace(context, turns=(other,)), wire), wire).context
        assert back.turns == (other,)


def test_an_approval_goes_with_the_turn_that_asked_for_it() -> None:
    """It has no call id, but must not outlive the request it answers."""
    asked = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}"}
    given = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
    items = [{"role": "user", "content": "go"}, asked, given]
    context = parse(items, "responses").context
    assert len(context.turns) == 2
    assert emit(context, "responses") == items
    assert emit(parse([given], "responses").context, "responses") == [given]


@pytest.mark.parametrize("wire", WIRES)
def test_a_turn_made_by_hand_is_built_from_its_values(wire: Wire) -> None:
    """Arguments that are no object still arrive."""
    calls = (Call("a", "f", '{"x": 1}', "1"), Call("b", "g", "not json", "2", failed=True))
    context = Context(turns=(UserTurn(0, "go"), AgentTurn(1, "I look.", calls)))
    sent = emit(context, wire)
    assert problems(sent, wire) == []
    back = parse(sent, wire).context.turns[1]
    assert isinstance(back, AgentTurn)
    assert back.text == "I look."
    assert back.calls[0].args == '{"x": 1}'
    assert "not json" in back.calls[1].args
