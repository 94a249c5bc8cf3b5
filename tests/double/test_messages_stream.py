"""Streams of the Messages API: their order, their pieces, and what the official client makes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import anthropic
import pytest
from anthropic import Anthropic
from anthropic.types import RawMessageStreamEvent
from anthropic.types.beta import BetaRawMessageStreamEvent

from director.models.script_values import Ask, Compact, Emit, Fail, Refuse, Say, Seen, Stop, Think
from director.testing.double.double import Double
from double.strict import problems

SONNET = "claude-sonnet-5-5"
USER: Any = {"role": "user", "content": "hello"}
LONG = "All that I have to say about it is said in this one sentence."


def said(emits: Sequence[Emit]) -> Callable[[Seen], Sequence[Emit]]:
    """A brain that always says the same."""
    return lambda _: emits


def client_of(double: Double) -> Anthropic:
    """The official client against a double."""
    return Anthropic(base_url=double.anthropic_url, api_key="test", max_retries=0)


def events_of(double: Double) -> list[Any]:
    """The events of the last answer, as they were sent."""
    answer = double.exchanges[-1].answer
    assert answer is not None
    assert all(isinstance(event.data, dict) for event in answer.events)
    events = [json.loads(json.dumps(event.data)) for event in answer.events]
    assert [event.name for event in answer.events] == [event["type"] for event in events]
    return events


def strictly(events: list[Any], type_: object) -> list[str]:
    """What is wrong with the events; a ping is no event to the client."""
    wrong = (problems(event, type_) for event in events if event["type"] != "ping")
    return [problem for found in wrong for problem in found]


EVERYTHING: list[Emit] = [
    Think("first I think"),
    Say(LONG),
    Ask("look", '{"at": "the door at the far end of the hall"}', "toolu_A"),
]


def test_the_order_of_events_is_the_vendors() -> None:
    """Start, one ping, blocks from start to stop one after the other, delta, stop."""
    with Double("anthropic", said(EVERYTHING)) as double, client_of(double) as client:
        request: Any = {"model": SONNET, "max_tokens": 100, "messages": [USER]}
        types = [event.type for event in client.messages.create(stream=True, **request)]
        events = events_of(double)
    assert [event["type"] for event in events if event["type"] != "ping"] == types
    assert [event["type"] for event in events[:3]] == [
        "message_start",
        "content_block_start",
        "ping",
    ]
    assert sum(event["type"] == "ping" for event in events) == 1
    assert [event["type"] for event in events[-3:]] == [
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    indexes = [event["index"] for event in events if "index" in event]
    assert indexes == sorted(indexes)
    assert strictly(events, RawMessageStreamEvent) == []


def test_the_pieces_of_a_block_make_it_whole() -> None:
    """Words, thoughts, signatures and inputs come in parts."""
    with Double("anthropic", said(EVERYTHING)) as double, client_of(double) as client:
        request: Any = {"model": SONNET, "max_tokens": 100, "messages": [USER]}
        with client.messages.stream(**request) as stream:
            streamed = stream.get_final_message()
        deltas = [
            event["delta"] for event in events_of(double) if "index" in event and "delta" in event
        ]
        plain = client.messages.create(**request)
    assert sum(delta["type"] == "text_delta" for delta in deltas) > 1
    assert sum(delta["type"] == "input_json_delta" for delta in deltas) > 2
    assert [delta["type"] for delta in deltas].count("signature_delta") == 1
    assert [block.to_dict() for block in streamed.content] == [
        block.to_dict() for block in plain.content
    ]
    assert streamed.stop_reason == plain.stop_reason == "tool_use"


def test_the_usage_at_the_end_is_the_whole_usage() -> None:
    """The last delta counts input and output, as the plain answer does."""
    with Double("anthropic", said(EVERYTHING)) as double, client_of(double) as client:
        request: Any = {"model": SONNET, "max_tokens": 100, "messages": [USER]}
        with client.messages.stream(**request) as stream:
            streamed = stream.get_final_message().usage
        begun = events_of(double)[0]["message"]["usage"]
        plain = client.messages.create(**request).usage
    assert begun["output_tokens"] == 1
    assert begun["input_tokens"] == plain.input_tokens
    assert (streamed.input_tokens, streamed.output_tokens) == (
        plain.input_tokens,
        plain.output_tokens,
    )


@pytest.mark.parametrize(
    "emits",
    [[], [Refuse("No.")], [Say("half"), Stop("window")], [Ask("go"), Ask("stop", "{oops")]],
)
def test_every_kind_of_end_is_streamed(emits: list[Emit]) -> None:
    """Whatever is said, the stream is strictly what the client declares."""
    with Double("anthropic", said(emits)) as double, client_of(double) as client:
        request: Any = {"model": SONNET, "max_tokens": 100, "messages": [USER]}
        with client.messages.stream(**request) as stream:
            streamed = stream.get_final_message()
        events = events_of(double)
        plain = client.messages.create(**request)
    assert streamed.stop_reason == plain.stop_reason
    assert len(streamed.content) == len(plain.content)
    assert strictly(events, RawMessageStreamEvent) == []


def test_a_failure_amid_the_stream_is_an_event() -> None:
    """The client raises it with the status of the stream, which was good."""
    emits = [Say("well"), Fail("overloaded_error", "Overloaded")]
    with Double("anthropic", said(emits)) as double, client_of(double) as client:
        request: Any = {"model": SONNET, "max_tokens": 100, "messages": [USER]}
        stream = client.messages.create(stream=True, **request)
        with pytest.raises(anthropic.APIStatusError) as caught:
            list(stream)
        events = events_of(double)
    assert caught.value.status_code == 200
    assert events[-1]["error"] == {"type": "overloaded_error", "message": "Overloaded"}
    assert "message_stop" not in [event["type"] for event in events]


def test_a_failure_before_anything_is_said_is_a_status() -> None:
    """No stream is begun."""
    with (
        Double("anthropic", said([Fail("overloaded_error")])) as double,
        client_of(double) as client,
    ):
        with pytest.raises(anthropic.APIStatusError) as caught:
            client.messages.create(model=SONNET, max_tokens=9, messages=[USER], stream=True)
        assert double.defects == []
    assert caught.value.status_code == 529


def test_a_refused_request_is_no_stream() -> None:
    """Rules come before the first event."""
    with Double("anthropic", said([])) as double, client_of(double) as client:
        with pytest.raises(anthropic.BadRequestError):
            client.messages.create(
                model=SONNET,
                max_tokens=9,
                messages=[USER, {"role": "assistant", "content": "I"}],
                stream=True,
            )
        assert [defect.rule for defect in double.defects] == ["M10"]


def test_a_compaction_is_streamed_whole() -> None:
    """The block comes in one delta, and the iterations with the last one."""

    def brain(seen: Seen) -> list[Emit]:
        return [Compact("summed up") if seen.purpose == "compact" else Say("on we go")]

    edit: Any = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}}
    request: Any = {
        "model": SONNET,
        "max_tokens": 99,
        "messages": [{"role": "user", "content": "x" * 240_000}],
        "context_management": {"edits": [edit]},
        "betas": ["compact-2026-01-12"],
    }
    with Double("anthropic", brain) as double, client_of(double) as client:
        with client.beta.messages.stream(**request) as stream:
            message = stream.get_final_message()
        events = events_of(double)
    assert strictly(events, BetaRawMessageStreamEvent) == []
    assert [block.type for block in message.content] == ["compaction", "text"]
    assert message.content[0].to_dict()["content"] == "summed up"
    usage = events[-2]["usage"]
    assert [each["type"] for each in usage["iterations"]] == ["compaction", "message"]
    assert message.context_management is not None


def test_a_signed_compaction_keeps_its_signature_in_a_stream() -> None:
    """What was streamed can be sent back."""
    request: Any = {"model": SONNET, "max_tokens": 99, "betas": ["compact-2026-09-04"]}
    with Double("anthropic", said([Say("short")])) as double, client_of(double) as client:
        with client.beta.messages.stream(
            messages=[USER], compaction={"type": "summarize"}, **request
        ) as stream:
            message = stream.get_final_message()
        assert strictly(events_of(double), BetaRawMessageStreamEvent) == []
        back: Any = [{"role": "assistant", "content": message.content}, USER]
        client.beta.messages.create(messages=back, **request)
        assert double.defects == []
