"""Messages of LangChain, the real ones, come back as they were."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.wire.histories import ARGS, DRAW, NAMES, WORDS, chance
from director.context.values import AgentTurn, Call, Context, Section, Summary, UserTurn
from director.context.wire import bare, detect, emit, parse, problems

lc = pytest.importorskip("langchain_core.messages")


def _step(draw: DRAW, number: int) -> list[Any]:
    blocks = [{"type": "text", "text": draw(WORDS)}, {"type": "image", "url": "data:,"}]
    content = draw(st.sampled_from(["plain", blocks, ["bare", *blocks]]))
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    plain: dict[str, list[Any]] = {
        "user": [lc.HumanMessage(content, id=f"h{number}", name="Ann")],
        "system": [lc.SystemMessage("Be brief.")],
        "chat": [lc.ChatMessage(draw(WORDS), role=draw(st.sampled_from(["user", "critic"])))],
        "remove": [lc.RemoveMessage(id="h0")],
        "say": [lc.AIMessage([thought, *blocks], response_metadata={"x": 1})],
        "old": [
            lc.AIMessage("", additional_kwargs={"function_call": {"name": "f", "arguments": "{}"}}),
            lc.FunctionMessage("1", name="f"),
        ],
    }
    kind = draw(st.sampled_from(["call", "call", *plain]))
    if kind in plain:
        return plain[kind]
    ids = [f"call_{number}_{n}" for n in range(draw(st.integers(1, 3)))]
    calls = [{"name": draw(NAMES), "args": draw(ARGS), "id": one} for one in ids]
    bad = [{"name": "f", "args": "{", "id": f"bad_{number}", "error": None}]
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    kind_of = lc.AIMessageChunk if chance(draw) else lc.AIMessage
    said = kind_of(
        draw(st.sampled_from(["", "I look.", [thought]])),
        tool_calls=calls,
        invalid_tool_calls=bad if kind_of is lc.AIMessage and chance(draw) else [],
        additional_kwargs={"reasoning_content": "because"} if chance(draw) else {},
        usage_metadata=usage,
        id=f"run-{number}",
    )
    status = draw(st.sampled_from(["success", "error"]))
    results = [
        lc.ToolMessage(content, tool_call_id=one, artifact={"raw": 1}, status=status, name="f")
        for one in draw(st.permutations(ids))
    ]
    return [said, *results]


@st.composite
def histories(draw: DRAW) -> list[Any]:
    """Histories of LangChain messages."""
    steps = draw(st.integers(0, 5))
    return [message for number in range(steps) for message in _step(draw, number)]


@given(messages=histories())
def test_a_valid_history_comes_back_object_for_object(messages: list[Any]) -> None:
    """Nothing is repaired, copied or changed, and the shape is recognised."""
    assert detect(messages) == ("langchain" if messages else "chat")
    before = [message.model_copy(deep=True) for message in messages]
    parsed = parse(messages, "langchain")
    assert parsed.repairs == ()
    sent = emit(parsed.context, "langchain")
    assert all(a is b for a, b in zip(sent, messages, strict=True))
    assert messages == before
    assert problems(messages, "langchain") == []


@given(messages=histories(), data=st.data())
def test_an_edited_or_mangled_history_is_valid(messages: list[Any], data: st.DataObject) -> None:
    """Messages are lost before reading, thoughts, calls and texts after it."""
    messages = [message for message in messages if data.draw(st.integers(0, 5))]
    context = parse(messages, "langchain").context
    turns = [turn for turn in context.turns if data.draw(st.integers(0, 5))]
    for index, turn in enumerate(turns):
        if isinstance(turn, AgentTurn):
            less = tuple(replace(call, result="…", images=0) for call in turn.calls[::2])
            turns[index] = replace(turn, calls=less, thinking=())
    sent = emit(replace(context, turns=tuple(turns)), "langchain")
    assert problems(sent, "langchain") == []
    assert parse(sent, "langchain").repairs == ()


@given(messages=histories())
def test_a_bare_history_can_be_sent_elsewhere_and_back(messages: list[Any]) -> None:
    """Also to a wire that knows dictionaries only."""
    context = bare(parse(messages, "langchain").context)
    for wire in ("chat", "responses", "anthropic", "langchain"):
        assert problems(emit(context, wire), wire) == []


def test_a_tool_message_tells_its_result_and_whether_it_failed() -> None:
    """The arguments are JSON text, the images are counted."""
    image = {"type": "image", "url": "data:,"}
    messages = [
        lc.AIMessage("I look.", tool_calls=[{"name": "f", "args": {"q": "ü"}, "id": "a"}]),
        lc.ToolMessage(["one", image], tool_call_id="a", status="error"),
    ]
    turn = parse(messages).context.turns[0]
    assert turn == AgentTurn(
        0, "I look.", (Call("a", "f", '{"q": "ü"}', "one", failed=True, images=1),)
    )


def test_a_shrunk_result_keeps_id_artifact_and_status() -> None:
    """Only its content differs."""
    told = lc.ToolMessage("long", tool_call_id="a", artifact=[1], id="t1", name="f")
    messages = [lc.AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "a"}]), told]
    context = parse(messages).context
    agent = context.turns[0]
    assert isinstance(agent, AgentTurn)
    call = replace(agent.calls[0], result="s", original="long")
    sent = emit(replace(context, turns=(replace(agent, calls=(call,)),)), "langchain")
    assert sent[0] is messages[0]
    assert sent[1] == told.model_copy(update={"content": "s"})
    assert told.content == "long"


def test_changed_arguments_and_ids_are_sent_changed() -> None:
    """In the call and in its result."""
    said = lc.AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "a"}])
    context = parse([said, lc.ToolMessage("1", tool_call_id="a")]).context
    agent = context.turns[0]
    assert isinstance(agent, AgentTurn)
    other = replace(agent, calls=(replace(agent.calls[0], id="z", args='{"x": 2}'),))
    sent = emit(replace(context, turns=(other,)), "langchain")
    assert parse(sent).context.turns == (other,)


def test_dictionaries_among_the_messages_are_read_too() -> None:
    """LangChain accepts them."""
    function = {"name": "f", "arguments": "{}"}
    call = {"id": "a", "type": "function", "function": function}
    messages = [
        lc.HumanMessage("go"),
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
    ]
    parsed = parse(messages)
    assert parsed.repairs == ()
    agent = parsed.context.turns[1]
    assert isinstance(agent, AgentTurn)
    other = replace(agent, calls=(replace(agent.calls[0], args='{"x": 2}'),))
    sent = emit(replace(parsed.context, turns=(parsed.context.turns[0], other)), "langchain")
    assert parse(sent, "langchain").context.turns[1] == other


def test_what_is_missing_is_repaired_with_messages_of_the_library() -> None:
    """An empty message goes, a call without a result gets one."""
    old = {"function_call": {"name": "g", "arguments": "{}"}}
    messages = [
        lc.AIMessage(""),
        lc.AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "a"}]),
        lc.AIMessage("", additional_kwargs=old),
    ]
    parsed = parse(messages)
    assert [repair.kind for repair in parsed.repairs] == [
        "empty_message",
        "unanswered_call",
        "unanswered_call",
    ]
    sent: Any = emit(parsed.context, "langchain")
    assert [message.type for message in sent] == ["ai", "tool", "ai", "function"]
    assert sent[1].status == "error"


def test_a_dropped_call_leaves_every_place_it_stood_in() -> None:
    """The list of calls, the blocks of the content and the raw payload."""
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    raw = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said = lc.AIMessage(
        [{"type": "text", "text": "I look."}, use],
        tool_calls=[{"name": "f", "args": {}, "id": "a"}],
        additional_kwargs={"tool_calls": [raw]},
    )
    context = parse([said, lc.ToolMessage("1", tool_call_id="a")]).context
    agent = context.turns[0]
    assert isinstance(agent, AgentTurn)
    (sent,) = emit(replace(context, turns=(replace(agent, calls=()),)), "langchain")
    assert sent.tool_calls == []  # type: ignore[attr-defined]
    assert sent.content == [{"type": "text", "text": "I look."}]  # type: ignore[attr-defined]
    assert sent.additional_kwargs == {"tool_calls": []}  # type: ignore[attr-defined]


def test_stripped_reasoning_takes_the_ids_of_openai_items_along() -> None:
    """OpenAI refuses an item that is split from its reasoning."""
    said = lc.AIMessage(
        [
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "text", "text": "hi", "id": "msg_1"},
        ],
        id="msg_1",
    )
    context = parse([said]).context
    agent = context.turns[0]
    assert isinstance(agent, AgentTurn)
    (sent,) = emit(replace(context, turns=(replace(agent, thinking=()),)), "langchain")
    assert sent.content == [{"type": "text", "text": "hi"}]  # type: ignore[attr-defined]
    assert sent.id is None  # type: ignore[attr-defined]


def test_what_is_new_is_made_of_messages_of_the_library() -> None:
    """Instructions, requests, calls, results and summaries."""
    calls = (Call("a", "f", '{"x": 1}', "1", failed=True),)
    turns = (UserTurn(0, "go"), AgentTurn(2, "I look.", calls))
    context = Context((Section("system", "I"),), turns, Summary("S", (1,)))
    sent = emit(context, "langchain")
    assert sent == [
        lc.SystemMessage("I"),
        lc.HumanMessage("go"),
        lc.HumanMessage("S"),
        lc.AIMessage("I look.", tool_calls=[{"name": "f", "args": {"x": 1}, "id": "a"}]),
        lc.ToolMessage("1", tool_call_id="a", name="f", status="error"),
    ]


def test_the_library_is_not_imported_before_it_is_needed() -> None:
    """Reading and writing any other wire does without it."""
    program = (
        "import sys; from director.context.wire import emit, parse;"
        "emit(parse([{'role': 'user', 'content': 'x'}]).context, 'responses');"
        "sys.exit('langchain_core' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
