"""Objects of a provider's library may stand wherever its dictionaries may."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from director.context.values import AgentTurn
from director.context.wire import detect, emit, parse, problems


class Model:
    """An object with fields that can be dumped, as the libraries of providers make them."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def model_dump(self, **_: object) -> dict[str, Any]:
        """The fields as they are sent."""
        return {
            name: [part.model_dump() if isinstance(part, Model) else part for part in value]
            if isinstance(value, list)
            else value
            for name, value in self.__dict__.items()
        }


def test_blocks_of_a_response_are_read_and_come_back() -> None:
    """Appending `response.content` is the usual way to go on."""
    thought = Model(type="thinking", thinking="hm", signature="s")
    use = Model(type="tool_use", id="a", name="f", input={"x": 1})
    messages: list[Any] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [thought, use]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "1"}]},
    ]
    assert detect(messages) == "anthropic"
    parsed = parse(messages)
    agent = parsed.context.turns[1]
    assert isinstance(agent, AgentTurn)
    assert agent.thinking[0] is thought
    assert (agent.calls[0].args, agent.calls[0].result) == ('{"x": 1}', "1")
    assert all(a is b for a, b in zip(emit(parsed.context, "anthropic"), messages, strict=True))
    turns = (parsed.context.turns[0], replace(agent, thinking=()))
    sent: Any = emit(replace(parsed.context, turns=turns), "anthropic")
    assert sent[1]["content"][0] is use


def test_an_item_that_loses_its_id_becomes_what_is_sent() -> None:
    """An id of null would be refused, so the object is dumped without it."""
    items: list[Any] = [
        Model(type="reasoning", id="rs_1", summary=[]),
        Model(type="function_call", id="fc_1", call_id="a", name="f", arguments="{}"),
        {"type": "function_call_output", "call_id": "a", "output": "1"},
    ]
    assert detect(items) == "responses"
    context = parse(items).context
    assert all(a is b for a, b in zip(emit(context, "responses"), items, strict=True))
    agent = context.turns[0]
    assert isinstance(agent, AgentTurn)
    sent = emit(replace(context, turns=(replace(agent, thinking=()),)), "responses")
    wanted = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
    assert sent == [wanted, items[2]]


def test_a_message_of_a_completion_is_read_and_comes_back() -> None:
    """Appending `choices[0].message` is the usual way to go on."""
    call = Model(id="a", type="function", function=Model(name="f", arguments="{}"))
    said = Model(role="assistant", content=None, refusal=None, tool_calls=[call])
    messages = [said, {"role": "tool", "tool_call_id": "a", "content": "1"}]
    assert detect(messages) == "chat"
    parsed = parse(messages)
    assert parsed.repairs == ()
    assert emit(parsed.context, "chat")[0] is said
    assert problems(messages, "chat") == []
