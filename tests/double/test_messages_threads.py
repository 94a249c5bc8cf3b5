"""Message threads: made, continued once, and gone five minutes after their last use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anthropic
import pytest
from anthropic import Anthropic

from director.models.script_values import Ask, Emit, Refuse, Say, Seen, Think
from director.testing.double.double import Double
from director.testing.double.exchange import Fault
from director.testing.double.messages import checks as messages_checks

BETA = "message-threads-2026-08-12"
LOOK: Any = {"name": "look", "input_schema": {"type": "object"}}


def brain(seen: Seen) -> list[Emit]:
    """Thinks and tells what it sees; looks or refuses when it is told to."""
    last = seen.items[-1]
    if last.text == "look":
        return [Think("hm"), Ask("look")]
    if last.text == "harm":
        return [Refuse("No.")]
    kinds = " ".join(item.kind for item in seen.items)
    return [Think("hm"), Say(f"{seen.instructions}|{','.join(seen.tools)}|{kinds}")]


@pytest.fixture
def double() -> Iterator[Double]:
    """A strict double of Anthropic."""
    with Double("anthropic", brain) as double:
        yield double


@pytest.fixture
def client(double: Double) -> Iterator[Anthropic]:
    """The official client against it."""
    with Anthropic(base_url=double.anthropic_url, api_key="test", max_retries=0) as client:
        yield client


def ask(client: Anthropic, content: Any, after: str = "", **more: Any) -> Any:
    """One turn of a thread: the first, or the one after an answer."""
    thread: Any = (
        {"type": "continue", "previous_message_id": after} if after else {"type": "create"}
    )
    request: Any = {
        "model": "claude-sonnet-5-5",
        "max_tokens": 500,
        "messages": [{"role": "user", "content": content}],
        "thread": thread,
        "betas": [BETA],
        **more,
    }
    return client.beta.messages.create(**request)


def code(client: Anthropic, content: Any, after: str = "", **more: Any) -> tuple[str | None, int]:
    """The code and the status with which a turn is refused."""
    with pytest.raises(anthropic.APIStatusError) as caught:
        ask(client, content, after, **more)
    return caught.value.error_code, caught.value.status_code


def words(message: Any) -> str:
    """What an answer says at its end."""
    return str(message.content[-1].text)


def test_a_thread_keeps_system_tools_and_messages(double: Double, client: Anthropic) -> None:
    """Only what is new is sent; the model sees all of it, thoughts included."""
    first = ask(client, "a", system="be brief", tools=[LOOK])
    second = ask(client, "b", first.id)
    third = ask(client, "c", second.id)
    assert words(second) == "be brief|look|user thinking agent user"
    assert words(third).count("user") == 3
    assert third.usage.input_tokens > second.usage.input_tokens > first.usage.input_tokens
    assert double.defects == []


def test_tools_are_used_within_a_thread(double: Double, client: Anthropic) -> None:
    """The result alone is sent to answer a call that the thread keeps."""
    first = ask(client, "look", tools=[LOOK])
    result = {"type": "tool_result", "tool_use_id": first.content[-1].id, "content": "seen"}
    second = ask(client, [result], first.id)
    assert words(second).endswith("user thinking call result")
    assert double.defects == []


def test_rules_hold_across_a_thread(double: Double, client: Anthropic) -> None:
    """M1: a call that the thread keeps must be answered first."""
    first = ask(client, "look", tools=[LOOK])
    assert code(client, "never mind", first.id) == (None, 400)
    assert [defect.rule for defect in double.defects] == ["M1"]
    result = {"type": "tool_result", "tool_use_id": first.content[-1].id, "content": "seen"}
    assert ask(client, [result], first.id)


def test_an_answer_is_continued_once(double: Double, client: Anthropic) -> None:
    """M17: the second continuation is refused."""
    first = ask(client, "a")
    ask(client, "b", first.id)
    assert code(client, "b", first.id) == ("thread_already_continued", 400)
    assert [defect.rule for defect in double.defects] == ["M17"]


def test_an_unknown_thread_is_not_found(double: Double, client: Anthropic) -> None:
    """M17: 404."""
    assert code(client, "a", "msg_unknown") == ("thread_not_found", 404)
    assert [defect.rule for defect in double.defects] == ["M17"]


def test_an_answer_outside_of_threads_cannot_be_continued(
    double: Double, client: Anthropic
) -> None:
    """M17: nothing was kept."""
    plain = client.beta.messages.create(
        model="claude-sonnet-5-5", max_tokens=99, messages=[{"role": "user", "content": "a"}]
    )
    assert code(client, "b", plain.id) == ("thread_not_found", 404)
    assert [defect.rule for defect in double.defects] == ["M17"]


def test_a_thread_lives_for_five_minutes_after_its_last_use(
    double: Double, client: Anthropic
) -> None:
    """M17: each answer begins the five minutes anew."""
    first = ask(client, "a")
    double.advance(300)
    second = ask(client, "b", first.id)
    double.advance(299)
    third = ask(client, "c", second.id)
    double.advance(301)
    assert code(client, "d", third.id) == ("thread_not_found", 404)
    assert [defect.rule for defect in double.defects] == ["M17"]


def test_a_thread_that_expires_amid_a_run_is_nobodys_fault(
    double: Double, client: Anthropic
) -> None:
    """M17: the fault looks the same, and is not counted against the client."""
    first = ask(client, "a")
    double.strike(Fault("thread_expired"))
    assert code(client, "b", first.id) == ("thread_not_found", 404)
    assert code(client, "b", first.id) == ("thread_not_found", 404)
    assert [defect.exchange for defect in double.defects] == [3]


def test_a_thread_can_be_busy(double: Double, client: Anthropic) -> None:
    """M17: another request is still at it; later it goes on."""
    first = ask(client, "a")
    double.strike(Fault("thread_in_flight"))
    assert code(client, "b", first.id) == ("thread_continue_in_flight", 400)
    assert ask(client, "b", first.id)
    assert double.defects == []


@pytest.mark.parametrize(
    "change",
    [
        {"model": "claude-opus-5-5"},
        {"system": "be long"},
        {"tools": [LOOK]},
        {"output_config": {"effort": "low"}},
    ],
)
def test_what_a_thread_is_made_of_cannot_change(
    double: Double, client: Anthropic, change: dict[str, Any]
) -> None:
    """M17: the field is named."""
    first = ask(client, "a", system="be brief")
    with pytest.raises(anthropic.BadRequestError) as caught:
        ask(client, "b", first.id, **change)
    assert caught.value.error_code == "thread_fingerprint_mismatch"
    assert f"differing field(s): {next(iter(change))}." in str(caught.value)
    assert [defect.rule for defect in double.defects] == ["M17"]


def test_the_same_system_may_be_sent_again(double: Double, client: Anthropic) -> None:
    """M17: what is equal does not differ."""
    first = ask(client, "a", system="be brief")
    assert ask(client, "b", first.id, system="be brief")
    assert double.defects == []


def test_threads_and_edits_do_not_mix(double: Double, client: Anthropic) -> None:
    """M17: the details name what is not supported."""
    betas = [BETA, "context-management-2025-06-27"]
    with pytest.raises(anthropic.BadRequestError) as caught:
        ask(client, "a", context_management={"edits": []}, betas=betas)
    assert caught.value.error_code == "thread_unsupported_request"
    assert isinstance(caught.value.body, dict)
    assert caught.value.body["error"]["details"]["unsupported"] == ["context_management"]
    assert [defect.rule for defect in double.defects] == ["M17"]


def test_a_refusal_is_not_kept(client: Anthropic) -> None:
    """There is nothing to continue from after one."""
    refusal = ask(client, "harm")
    assert refusal.stop_reason == "refusal"
    assert code(client, "b", refusal.id) == ("thread_not_found", 404)


def test_the_clients_own_threads_work(double: Double, client: Anthropic) -> None:
    """The official helper makes, continues, and replays when a thread is gone."""
    thread = client.beta.messages.thread(
        model="claude-sonnet-5-5", max_tokens=500, system="be brief", tools=[LOOK]
    )
    thread.send({"role": "user", "content": "a"})
    assert words(thread.send({"role": "user", "content": "b"})).endswith("user thinking agent user")
    double.strike(Fault("thread_expired"))
    assert (
        words(thread.send({"role": "user", "content": "c"}))
        == "be brief|look|" + "user thinking agent " * 2 + "user"
    )
    kinds = [exchange.asked.body["thread"] for exchange in double.exchanges]
    assert [dict(kind)["type"] for kind in kinds if isinstance(kind, dict)] == [
        "create",
        "continue",
        "continue",
        "create",
    ]
    assert double.defects == []


def test_the_fields_that_are_known_are_those_of_the_client() -> None:
    """What is refused as unknown is what the official client's types do not have."""
    types = anthropic.types.beta
    sent_as_headers = {"betas", "user_profile_id", "workspace_id"}
    gone = {"temperature", "top_p", "top_k", "stream"}
    create = set(types.message_create_params.MessageCreateParamsBase.__annotations__)
    assert create - sent_as_headers == messages_checks.FIELDS.keys() - gone
    count = set(types.message_count_tokens_params.MessageCountTokensParams.__annotations__)
    assert count - sent_as_headers == messages_checks.COUNT_FIELDS.keys()
    blocks = {
        "text": types.BetaTextBlockParam,
        "thinking": types.BetaThinkingBlockParam,
        "tool_use": types.BetaToolUseBlockParam,
        "tool_result": types.BetaToolResultBlockParam,
        "image": types.BetaImageBlockParam,
        "document": types.BetaRequestDocumentBlockParam,
        "compaction": types.BetaCompactionBlockParam,
    }
    for kind, declared in blocks.items():
        known = {"type", *" ".join(messages_checks.BLOCKS[kind]).split()}
        assert set(declared.__annotations__) == known
    assert set(types.BetaToolParam.__annotations__) == messages_checks.TOOL_FIELDS
