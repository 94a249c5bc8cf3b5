"""The Messages API through the official client: answers, usage, caching, edits, compaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import anthropic
import pytest
from anthropic import Anthropic
from anthropic.types import Message
from anthropic.types.beta import BetaMessage, BetaMessageTokensCount

from director.models.script_values import (
    Ask,
    Compact,
    Emit,
    Fail,
    Refuse,
    Say,
    Seen,
    Stop,
    Think,
    Wait,
)
from director.testing.double.double import Double
from director.testing.double.exchange import Fault
from double.strict import problems

SONNET = "claude-sonnet-5-5"
CLEARING = "context-management-2025-06-27"
COMPACTING = "compact-2026-01-12"
SUMMARIZING = "compact-2026-09-04"
USER: Any = {"role": "user", "content": "hello"}

Talk = Callable[..., tuple[Double, Anthropic]]


@pytest.fixture
def talk() -> Iterator[Talk]:
    """Opens a double with a brain, and a client to it; closes both in the end."""
    opened: list[tuple[Double, Anthropic]] = []

    def begin(brain: Any, **more: Any) -> tuple[Double, Anthropic]:
        double = Double("anthropic", brain, **more)
        double.open()
        client = Anthropic(base_url=double.anthropic_url, api_key="test", max_retries=0)
        opened.append((double, client))
        return double, client

    yield begin
    for double, client in opened:
        client.close()
        double.close()
        assert double.failures == []


def said(emits: Sequence[Emit]) -> Callable[[Seen], Sequence[Emit]]:
    """A brain that always says the same."""
    return lambda _: emits


def body_of(double: Double) -> Any:
    """The body of the last answer, as it was sent."""
    answer = double.exchanges[-1].answer
    assert answer is not None
    return json.loads(json.dumps(answer.body))


def used(count: int, size: int) -> list[Any]:
    """A conversation with so many results of that many tokens."""
    messages: list[Any] = [USER]
    for at in range(count):
        call = {"type": "tool_use", "id": f"toolu_{at}", "name": "look", "input": {"at": at}}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{at}", "content": "x" * size * 4}
        messages += [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
    return messages


def test_an_answer_ends_where_the_window_ends(talk: Talk) -> None:
    """What is read and what is said share one window; the rest is not said."""
    _, client = talk(said([Say("y" * 40)]))
    room = "x" * 4 * (200_000 - 4 - 5)
    answer = client.messages.create(
        model="claude-haiku-4-5", max_tokens=100, messages=[{"role": "user", "content": room}]
    )
    assert answer.stop_reason == "model_context_window_exceeded"
    assert answer.content[0].to_dict() == {"type": "text", "text": "y" * 20}


def test_everything_that_is_said_has_its_block(talk: Talk) -> None:
    """Thoughts, words and calls come in the order in which they were said."""
    emits = [Think("hm"), Say("Let me see."), Ask("look", '{"at": "door"}', "toolu_A"), Ask("go")]
    double, client = talk(said(emits))
    message = client.messages.create(model=SONNET, max_tokens=100, messages=[USER])
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use", "tool_use"]
    call = message.content[2]
    assert isinstance(call, anthropic.types.ToolUseBlock)
    assert (call.id, call.name, call.input) == ("toolu_A", "look", {"at": "door"})
    assert message.stop_reason == "tool_use"
    assert problems(body_of(double), Message) == []


def test_arguments_that_are_no_object_are_wrapped(talk: Talk) -> None:
    """An input is always an object, whatever the brain wrote."""
    _, client = talk(said([Ask("look", '{"at": ')]))
    message = client.messages.create(model=SONNET, max_tokens=100, messages=[USER])
    call = message.content[0]
    assert isinstance(call, anthropic.types.ToolUseBlock)
    assert call.input == {"INVALID_JSON": '{"at": '}


@pytest.mark.parametrize(
    ("emits", "reason"),
    [
        ([Say("done")], "end_turn"),
        ([], "end_turn"),
        ([Say("half"), Stop("max_tokens")], "max_tokens"),
        ([Say("half"), Stop("pause_turn")], "pause_turn"),
        ([Say("half"), Stop("window")], "model_context_window_exceeded"),
        ([Refuse("No.")], "refusal"),
        ([Say("long " * 1000)], "max_tokens"),
        ([Say("one two STOP three"), Ask("look")], "stop_sequence"),
    ],
)
def test_every_end_has_its_reason(talk: Talk, emits: list[Emit], reason: str) -> None:
    """The stop reason tells why an answer ended."""
    double, client = talk(said(emits))
    message = client.messages.create(
        model=SONNET, max_tokens=100, messages=[USER], stop_sequences=["STOP"]
    )
    assert message.stop_reason == reason
    assert message.usage.output_tokens <= 100
    assert problems(body_of(double), Message) == []


def test_an_answer_ends_before_its_stop_sequence(talk: Talk) -> None:
    """The sequence is named and not shown."""
    _, client = talk(said([Say("one two STOP three")]))
    message = client.messages.create(
        model=SONNET, max_tokens=100, messages=[USER], stop_sequences=["STOP"]
    )
    assert message.stop_sequence == "STOP"
    assert [block.to_dict()["text"] for block in message.content] == ["one two "]


@pytest.mark.parametrize(
    ("code", "status"),
    [("overloaded_error", 529), ("api_error", 500), ("rate_limit_error", 429)],
)
def test_a_failure_has_its_status(talk: Talk, code: str, status: int) -> None:
    """A failing brain is a failing provider, and no fault of the client."""
    double, client = talk(said([Say("well"), Fail(code, "not now")]))
    with pytest.raises(anthropic.APIStatusError) as caught:
        client.messages.create(model=SONNET, max_tokens=100, messages=[USER])
    assert caught.value.status_code == status
    assert isinstance(caught.value.body, dict)
    assert caught.value.body["error"] == {"type": code, "message": "not now"}
    assert double.defects == []


def test_waiting_takes_time(talk: Talk) -> None:
    """A wait moves the clock."""
    double, client = talk(said([Wait(42), Say("there")]))
    before = double.now()
    client.messages.create(model=SONNET, max_tokens=100, messages=[USER])
    assert double.now() == before + 42


def test_no_tokens_are_asked_for_to_warm_the_cache(talk: Talk) -> None:
    """With max_tokens 0 the brain is not asked, and the cache is written."""
    double, client = talk(said([Say("never")]))
    mark: Any = {"type": "ephemeral"}
    system: Any = [{"type": "text", "text": "x" * 8000, "cache_control": mark}]
    message = client.messages.create(model=SONNET, max_tokens=0, messages=[USER], system=system)
    assert (message.content, message.stop_reason) == ([], "max_tokens")
    assert message.usage.cache_creation_input_tokens == 2004
    assert double.generations == []


def test_the_model_sees_all_of_the_request(talk: Talk) -> None:
    """System, tools and every block, each as what it is."""
    double, client = talk(said([Say("ok")]))
    messages = used(1, 1)
    messages[0] = {
        "role": "user",
        "content": [
            {"type": "text", "text": "what is this?"},
            {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
        ],
    }
    tools: Any = [{"name": "look", "input_schema": {"type": "object"}}]
    system: Any = [{"type": "text", "text": "be"}, {"type": "text", "text": "brief"}]
    client.messages.create(
        model=SONNET, max_tokens=9, messages=messages, tools=tools, system=system
    )
    seen = double.generations[-1].seen
    assert (seen.form, seen.model, seen.tools) == ("anthropic", SONNET, ("look",))
    assert seen.instructions == "be\nbrief"
    assert [item.kind for item in seen.items] == ["user", "user", "call", "result"]
    assert (seen.items[1].images, seen.items[3].tool, seen.items[3].text) == (1, "look", "xxxx")


def test_input_tokens_do_not_count_what_was_cached(talk: Talk) -> None:
    """First written, then read; what is behind the mark is neither."""
    double, client = talk(said([Say("ok")]))
    mark: Any = {"type": "ephemeral", "ttl": "1h"}
    system: Any = [{"type": "text", "text": "x" * 8000, "cache_control": mark}]
    request: Any = {"model": SONNET, "max_tokens": 9, "messages": [USER], "system": system}
    first = client.messages.create(**request).usage
    second = client.messages.create(**request).usage
    assert (first.input_tokens, first.cache_creation_input_tokens) == (6, 2004)
    assert first.cache_creation is not None
    assert first.cache_creation.ephemeral_1h_input_tokens == 2004
    assert (second.input_tokens, second.cache_read_input_tokens) == (6, 2004)
    assert double.ledger.lines[0].parts == {"instructions": 2004, "new": 6}


def test_one_mark_for_the_request_caches_its_last_block(talk: Talk) -> None:
    """The top-level mark is a mark on the last block."""
    _, client = talk(said([Say("ok")]))
    long: Any = [{"role": "user", "content": "x" * 8000}]
    message = client.messages.create(
        model=SONNET, max_tokens=9, messages=long, cache_control={"type": "ephemeral"}
    )
    assert message.usage.input_tokens == 0
    assert message.usage.cache_creation_input_tokens == 2004


def test_counting_agrees_with_usage(talk: Talk) -> None:
    """The counter counts what the request is billed for, and books nothing."""
    double, client = talk(said([Say("ok")]))
    request: Any = {"model": SONNET, "messages": used(2, 10), "system": "be brief"}
    counted = client.messages.count_tokens(**request)
    assert double.ledger.lines == []
    message = client.messages.create(**request, max_tokens=9)
    assert counted.input_tokens == message.usage.input_tokens
    assert client.beta.messages.count_tokens(**request).input_tokens == counted.input_tokens


def test_both_addresses_are_the_same(talk: Talk) -> None:
    """With and without beta=true in the query."""
    _, client = talk(said([Say("ok")]))
    request: Any = {"model": SONNET, "messages": [USER], "extra_query": {"beta": "true"}}
    assert client.beta.messages.create(max_tokens=9, **request).type == "message"
    assert client.beta.messages.count_tokens(**request).input_tokens == 6


def test_a_paused_answer_can_be_sent_back(talk: Talk) -> None:
    """A pause is gone on with by sending the answer as the last message."""
    double, client = talk([[Say("half"), Stop("pause_turn")], [Say("way")]])
    paused = client.messages.create(model=SONNET, max_tokens=9, messages=[USER])
    more: Any = [USER, {"role": "assistant", "content": paused.content}]
    assert client.messages.create(model=SONNET, max_tokens=9, messages=more).content
    assert double.defects == []


def test_old_results_are_cleared_on_demand(talk: Talk) -> None:
    """The model does not see them, and the answer tells how much that saved."""
    double, client = talk(said([Say("ok")]))
    edit: Any = {
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "tool_uses", "value": 3},
        "keep": {"type": "tool_uses", "value": 2},
    }
    request: Any = {
        "model": SONNET,
        "messages": used(5, 100),
        "context_management": {"edits": [edit]},
        "betas": [CLEARING],
    }
    counted = client.beta.messages.count_tokens(**request)
    assert problems(body_of(double), BetaMessageTokensCount) == []
    message = client.beta.messages.create(max_tokens=9, **request)
    assert problems(body_of(double), BetaMessage) == []
    results = [item.text for item in double.generations[-1].seen.items if item.kind == "result"]
    assert [text.startswith("xxx") for text in results] == [False, False, False, True, True]
    assert message.context_management is not None
    applied = message.context_management.applied_edits[0].to_dict()
    assert applied["cleared_tool_uses"] == 3
    assert counted.input_tokens == message.usage.input_tokens
    assert counted.context_management is not None
    original = counted.context_management.original_input_tokens
    assert original - counted.input_tokens == applied["cleared_input_tokens"]


def test_clearing_waits_for_its_trigger_and_its_worth(talk: Talk) -> None:
    """Neither too early nor for too little, and never the tools that are spared."""
    double, client = talk(said([Say("ok")]))
    worthless = {"clear_at_least": {"type": "input_tokens", "value": 10_000}}
    spared = {"exclude_tools": ["look"]}
    early = {"trigger": {"type": "input_tokens", "value": 50_000}}
    for part in (worthless, spared, early):
        edit: Any = {
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "tool_uses", "value": 1},
            **part,
        }
        message = client.beta.messages.create(
            model=SONNET,
            max_tokens=9,
            messages=used(5, 100),
            context_management={"edits": [edit]},
            betas=[CLEARING],
        )
        assert message.context_management is not None
        assert message.context_management.applied_edits == []
    assert double.defects == []


def test_old_thoughts_are_cleared_on_demand(talk: Talk) -> None:
    """The thoughts of all turns but the last are not shown."""
    double, client = talk(said([Think("hm"), Say("ok")]))
    messages: list[Any] = [USER]
    edits: Any = {"edits": [{"type": "clear_thinking_20251015"}]}
    request: Any = {"model": SONNET, "max_tokens": 99, "betas": [CLEARING]}
    for _ in range(3):
        answer = client.beta.messages.create(messages=messages, context_management=edits, **request)
        messages += [{"role": "assistant", "content": answer.content}, USER]
    answer = client.beta.messages.create(messages=messages, context_management=edits, **request)
    assert problems(body_of(double), BetaMessage) == []
    assert answer.context_management is not None
    assert answer.context_management.applied_edits[0].to_dict()["cleared_thinking_turns"] == 2
    kinds = [item.kind for item in double.generations[-1].seen.items]
    assert kinds == ["user", "agent", "user", "agent", "user", "thinking", "agent", "user"]
    assert double.defects == []


def compacting(seen: Seen) -> list[Emit]:
    """Sums up when asked to, and tells what kinds it sees otherwise."""
    if seen.purpose == "compact":
        return [Compact(f"{len(seen.items)} things happened")]
    return [Think("so"), Say(" ".join(item.kind for item in seen.items))]


def over(value: int = 50_000, **more: Any) -> Any:
    """The request that compacts at so many tokens."""
    trigger = {"type": "input_tokens", "value": value}
    edit = {"type": "compact_20260112", "trigger": trigger, **more}
    return {
        "model": SONNET,
        "max_tokens": 99,
        "context_management": {"edits": [edit]},
        "betas": [COMPACTING],
    }


def test_a_long_context_is_compacted_on_the_way(talk: Talk) -> None:
    """The summary is written, told first, and billed beside what the usage says on top."""
    double, client = talk(compacting)
    messages = used(3, 20_000)
    answer = client.beta.messages.create(messages=messages, **over())
    assert problems(body_of(double), BetaMessage) == []
    assert [block.type for block in answer.content] == ["compaction", "thinking", "text"]
    assert answer.content[2].to_dict()["text"] == "compaction"
    assert answer.usage.iterations is not None
    assert [each.type for each in answer.usage.iterations] == ["compaction", "message"]
    assert answer.usage.iterations[0].input_tokens > 60_000 > answer.usage.input_tokens
    assert answer.usage.input_tokens == answer.usage.iterations[1].input_tokens
    assert len(double.ledger.lines) == 2

    messages += [{"role": "assistant", "content": answer.content}, USER]
    again = client.beta.messages.create(messages=messages, **over())
    assert again.content[-1].to_dict()["text"] == "compaction thinking agent user"
    assert again.usage.iterations is None
    shorter = client.beta.messages.create(messages=messages[-2:], **over())
    assert shorter.usage.input_tokens == again.usage.input_tokens
    assert double.defects == []


def test_a_compaction_can_be_paused_after(talk: Talk) -> None:
    """The block comes alone, and the conversation goes on behind it."""
    double, client = talk(compacting)
    messages = used(3, 20_000)
    answer = client.beta.messages.create(messages=messages, **over(pause_after_compaction=True))
    assert (answer.stop_reason, len(answer.content)) == ("compaction", 1)
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (0, 0)
    assert problems(body_of(double), BetaMessage) == []
    messages.append({"role": "assistant", "content": answer.content})
    onward = client.beta.messages.create(messages=messages, **over())
    assert onward.content[-1].to_dict()["text"] == "compaction"
    assert double.defects == []


def test_a_summary_on_demand_goes_back_first(talk: Talk) -> None:
    """The signed block stands for what it sums up, and for thoughts in the turns kept."""
    double, client = talk(compacting)
    fields: Any = {"model": SONNET, "max_tokens": 99, "betas": [SUMMARIZING]}
    first = client.beta.messages.create(messages=[USER], **fields)
    old: list[Any] = [USER, {"role": "assistant", "content": first.content}]
    second = client.beta.messages.create(messages=[*old, USER], **fields)
    kept: list[Any] = [USER, {"role": "assistant", "content": second.content}]
    compacted = client.beta.messages.create(
        messages=old, compaction={"type": "summarize"}, **fields
    )
    assert problems(body_of(double), BetaMessage) == []
    assert (compacted.stop_reason, len(compacted.content)) == ("compaction", 1)
    assert double.generations[-1].seen.purpose == "compact"
    assert compacted.content[0].to_dict()["content"] == "3 things happened"
    block: Any = {"role": "assistant", "content": compacted.content}
    answer = client.beta.messages.create(messages=[block, *kept, USER], **fields)
    assert answer.content[-1].to_dict()["text"] == "compaction user thinking agent user"
    assert double.defects == []


def code_of(client: Anthropic, **fields: Any) -> tuple[str | None, int]:
    """The code and the status with which a request is refused."""
    request = {"model": SONNET, "max_tokens": 99, "betas": [SUMMARIZING], **fields}
    with pytest.raises(anthropic.APIStatusError) as caught:
        client.beta.messages.create(**request)
    return caught.value.error_code, caught.value.status_code


def test_compaction_has_codes_for_what_is_wrong(talk: Talk) -> None:
    """M18: each mistake has its own code, and is counted."""
    double, client = talk(compacting)
    summarize: Any = {"type": "summarize"}
    made = client.beta.messages.create(
        model=SONNET, max_tokens=9, messages=[USER], compaction=summarize, betas=[SUMMARIZING]
    )
    block: Any = made.content[0].to_dict()
    call: Any = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}

    def sent(*blocks: Any) -> list[Any]:
        return [*({"role": "assistant", "content": [each]} for each in blocks), USER]

    wrong: dict[str, dict[str, Any]] = {
        "compaction_block_misplaced": {"messages": [USER, *sent(block)]},
        "compaction_block_ambiguous": {"messages": sent(block, block)},
        "compaction_content_mismatch": {"messages": sent({**block, "content": "else"})},
        "compaction_signature_invalid": {"messages": sent({**block, "signature": "Zm9v"})},
        "compaction_incomplete_turn": {
            "messages": [USER, {"role": "assistant", "content": [call]}],
            "compaction": summarize,
        },
        "compaction_nothing_to_summarize": {"messages": [], "compaction": summarize},
    }
    for code, fields in wrong.items():
        assert code_of(client, **fields) == (code, 400)
    assert [defect.rule for defect in double.defects] == ["M18"] * len(wrong)


def test_compaction_and_edits_do_not_mix(talk: Talk) -> None:
    """M18: a summary on demand excludes all edits."""
    double, client = talk(compacting)
    mixed: Any = {
        "messages": [USER],
        "compaction": {"type": "summarize"},
        "context_management": {"edits": []},
        "betas": [SUMMARIZING, CLEARING],
    }
    assert code_of(client, **mixed) == (None, 400)
    assert [defect.rule for defect in double.defects] == ["M18"]


def test_a_compaction_can_be_unavailable(talk: Talk) -> None:
    """M18: that is no fault of the client, and may be tried again."""
    double, client = talk(compacting, faults=[Fault("compaction_unavailable")])
    request: Any = {"messages": [USER], "compaction": {"type": "summarize"}}
    assert code_of(client, **request) == ("compaction_unavailable", 529)
    assert double.defects == []


def test_compaction_is_not_for_short_contexts(talk: Talk) -> None:
    """M18: the trigger has a lower bound."""
    double, client = talk(compacting)
    with pytest.raises(anthropic.BadRequestError) as caught:
        client.beta.messages.create(messages=[USER], **over(49_999))
    assert "Input should be greater than or equal to 50000" in str(caught.value)
    assert [defect.rule for defect in double.defects] == ["M18"]


def test_a_request_can_ask_why_the_cache_was_missed(talk: Talk) -> None:
    """The answer names the first part that changed since the request that is named."""
    double, client = talk(said([Say("ok")]))
    request: dict[str, Any] = {"model": SONNET, "max_tokens": 9, "system": "be brief"}
    tool: Any = {"name": "look", "input_schema": {"type": "object"}}
    first = client.messages.create(messages=[USER], **request)
    asked: Any = {"diagnostics": {"previous_message_id": first.id}}
    longer: Any = [USER, {"role": "assistant", "content": "ok"}, USER]
    changes: list[tuple[dict[str, Any], str | None]] = [
        ({"messages": longer}, None),
        ({"messages": [{"role": "user", "content": "bye"}]}, "messages_changed"),
        ({"system": "be long"}, "system_changed"),
        ({"tools": [tool]}, "tools_changed"),
        ({"model": "claude-opus-5-5"}, "model_changed"),
        ({"diagnostics": {"previous_message_id": "msg_9"}}, "previous_message_not_found"),
    ]
    for change, reason in changes:
        fields: Any = {"messages": [USER], **request, **asked, **change}
        told = client.messages.create(**fields).diagnostics
        assert problems(body_of(double), Message) == []
        missed = told.cache_miss_reason if told else None
        assert (missed.type if missed else None) == reason


def test_a_system_message_belongs_to_the_users_turn(talk: Talk) -> None:
    """It is shown as what it is, and breaks no pair that it follows."""
    double, client = talk(said([Say("ok")]))
    messages = [*used(1, 1), {"role": "system", "content": "hurry"}]
    client.beta.messages.create(model=SONNET, max_tokens=9, messages=messages)
    assert [item.kind for item in double.generations[-1].seen.items][-2:] == ["result", "system"]
    assert double.defects == []


def test_omitted_thoughts_are_signed_all_the_same(talk: Talk) -> None:
    """An empty thought goes back and is taken as it came."""
    double, client = talk(said([Think("secret"), Say("ok")]))
    request: Any = {
        "model": SONNET,
        "max_tokens": 99,
        "thinking": {"type": "adaptive", "display": "omitted"},
    }
    answer = client.messages.create(messages=[USER], **request)
    assert answer.content[0].to_dict()["thinking"] == ""
    messages: Any = [USER, {"role": "assistant", "content": answer.content}, USER]
    client.messages.create(messages=messages, **request)
    assert double.defects == []
