"""What users of other context managers reported, as cases against ours, by the peer's issue.

Each goes through the layer that an agent would use. Whether a provider would take what is sent is
judged by the oracle of the wires.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from director import ContextConfig
from director.context.wire import Wire, problems
from director.middleware.managed_threads import FittedThreads
from director.middleware.pydantic_ai import ContextCapability
from middleware import loops

LIMIT = 3_000


def threads(wire: Wire | None = None, limit: int = LIMIT, writes: Any = None) -> FittedThreads:
    """Threads of a small limit."""
    return FittedThreads(ContextConfig(strategy="hybrid", budget=limit), wire=wire, writes=writes)


def lc(steps: int) -> list[Any]:
    """LangChain's messages of a one-request agent."""
    messages: list[Any] = [SystemMessage("Be careful."), HumanMessage(loops.REQUEST)]
    for step in range(steps):
        call = {"name": "open_page", "args": {"number": step}, "id": f"c{step}"}
        messages.append(AIMessage("", tool_calls=[call]))
        messages.append(ToolMessage(loops.page(step), tool_call_id=f"c{step}"))
    return messages


def responses(steps: int, *, reasoning: bool = False) -> list[Any]:
    """Responses items, with ids as OpenAI gives them."""
    items: list[Any] = [{"role": "user", "content": loops.REQUEST}]
    for step in range(steps):
        key = f"{step:016x}" + "0" * 34
        if reasoning:
            thought = {"type": "reasoning", "id": f"rs_{key}", "summary": []}
            items.append({**thought, "encrypted_content": "sealed"})
        call = {"type": "function_call", "id": f"fc_{key}", "call_id": f"call_{step}"}
        items.append({**call, "name": "open_page", "arguments": f'{{"number": {step}}}'})
        output = {"type": "function_call_output", "call_id": f"call_{step}"}
        items.append({**output, "output": loops.page(step)})
    return items


def anthropic(steps: int, *, thinking: bool = False) -> list[Any]:
    """Anthropic's messages, with thinking if asked for."""
    messages: list[Any] = [{"role": "user", "content": loops.REQUEST}]
    for step in range(steps):
        thought = {"type": "thinking", "thinking": "Hm.", "signature": "sealed"}
        use = {"type": "tool_use", "id": f"t{step}", "name": "open_page", "input": {"number": step}}
        content = [thought, use] if thinking else [use]
        messages.append({"role": "assistant", "content": content})
        result = {"type": "tool_result", "tool_use_id": f"t{step}", "content": loops.page(step)}
        messages.append({"role": "user", "content": [result]})
    return messages


def grown(made: FittedThreads, build: Any, steps: int, wire: Wire) -> list[list[Any]]:
    """What was sent at every step of a growing history, each checked."""
    sent = []
    for step in range(1, steps + 1):
        messages = made.fit(build(step), "one").messages
        assert problems(messages, wire) == []
        sent.append(messages)
    return sent


def test_langchain_38352_and_34282_an_orphan_among_good_results_is_not_kept() -> None:
    """A result whose call is gone would be refused for ever; it leaves, and is reported."""
    messages = lc(6)
    messages.insert(3, ToolMessage("of a call that is not there", tool_call_id="gone"))
    fitted = threads("langchain").fit(messages)
    ids = [m.tool_call_id for m in fitted.messages if isinstance(m, ToolMessage)]
    assert "gone" not in ids
    assert problems(fitted.messages, "langchain") == []
    assert fitted.report.repairs


def test_deepagents_270_and_5781_a_cut_leaves_no_call_in_the_blocks_of_a_content() -> None:
    """Calls that also stand among content blocks leave with their results."""
    messages: list[Any] = [HumanMessage(loops.REQUEST)]
    for step in range(12):
        block = {
            "type": "function_call",
            "id": f"fc_{step}",
            "call_id": f"c{step}",
            "name": "open_page",
            "arguments": "{}",
        }
        call = {"name": "open_page", "args": {}, "id": f"c{step}"}
        messages.append(AIMessage([block], tool_calls=[call]))
        messages.append(ToolMessage(loops.page(step), tool_call_id=f"c{step}"))
    sent = threads("langchain").fit(messages).messages
    answered = {m.tool_call_id for m in sent if isinstance(m, ToolMessage)}
    blocks = [b for m in sent if isinstance(m.content, list) for b in m.content]
    assert {b["call_id"] for b in blocks if b.get("type") == "function_call"} == answered
    assert len(sent) < len(messages)


def test_pydantic_ai_2050_and_4728_a_processor_never_parts_a_call_from_its_return() -> None:
    """Calls and returns that are kept are the same."""
    messages: list[Any] = [ModelRequest(parts=[UserPromptPart(loops.REQUEST)])]
    for step in range(12):
        call = ToolCallPart("open_page", {"number": step}, tool_call_id=f"c{step}")
        messages.append(ModelResponse(parts=[call]))
        result = ToolReturnPart("open_page", loops.page(step), tool_call_id=f"c{step}")
        messages.append(ModelRequest(parts=[result]))
    sent = ContextCapability(LIMIT)._fitting.fit(messages)
    parts = [part for message in sent for part in message.parts]
    calls = [part.tool_call_id for part in parts if isinstance(part, ToolCallPart)]
    returns = [part.tool_call_id for part in parts if isinstance(part, ToolReturnPart)]
    assert calls == returns
    assert len(sent) < len(messages)


def test_openai_agents_673_every_call_keeps_its_output() -> None:
    """No request of a long run is met with "No tool output found for function call"."""
    grown(threads("responses"), responses, 30, "responses")


def test_openai_agents_2727_no_item_keeps_its_id_without_its_reasoning() -> None:
    """An item under its id, whose reasoning was cut, would be refused."""
    made = threads("responses")
    for sent in grown(made, lambda steps: responses(steps, reasoning=True), 20, "responses"):
        thoughts = {item["id"][3:] for item in sent if item.get("type") == "reasoning"}
        named = {i["id"][3:] for i in sent if i.get("type") == "function_call" and "id" in i}
        assert named <= thoughts


def test_opencode_31188_thinking_is_whole_or_gone() -> None:
    """A loop never begins in the middle of its thinking."""
    grown(threads("anthropic"), lambda steps: anthropic(steps, thinking=True), 20, "anthropic")


def test_langchain_39261_38867_and_smart_second_brain_435_an_error_never_becomes_the_summary() -> (
    None
):
    """The summariser is down: its error is shown to nobody, and no fact is lost."""

    def down(_: str) -> str:
        raise ConnectionError("Error code: 529 overloaded_error")

    made = threads("langchain", writes=down)
    assert made.summaries is not None
    for step in range(1, 21):
        sent = made.fit(lc(step), "one").messages
        made.summaries.settle(20)
    text = "\n".join(message.text for message in sent)
    assert "overloaded" not in text
    assert all(f"code_{n}=" in text for n in range(20))


def test_langchain_one_user_turn_is_never_too_long_to_summarise() -> None:
    """One request and thirty results: every fact is kept, where the peer keeps one sentence."""
    text = "\n".join(m.text for m in threads("langchain", 6_000).fit(lc(30)).messages)
    assert "too long to summarize" not in text
    assert all(f"code_{n}=K{n * 37 + 11}" in text for n in range(30))


@pytest.mark.parametrize("build", [lc, responses, anthropic])
def test_claude_code_9796_and_opencode_6535_the_task_and_the_rules_are_never_lost(
    build: Any,
) -> None:
    """The request stands word for word at every step, first among the user's."""
    wire: Wire = {lc: "langchain", responses: "responses"}.get(build, "anthropic")  # type: ignore[assignment]
    for sent in grown(threads(wire), build, 25, wire):
        first = next(m for m in sent if not isinstance(m, SystemMessage))
        content = first.content if isinstance(first, HumanMessage) else first["content"]
        assert content == loops.REQUEST
        if build is lc:
            assert sent[0].content == "Be careful."


def test_codex_13279_13946_and_openhands_8630_rewrites_do_not_feed_on_themselves() -> None:
    """A hundred steps: few rewrites, each followed by growth, and never one without need."""
    made = threads("responses", 12_000)
    sent = grown(made, responses, 100, "responses")
    rewrites = sum(later[: len(earlier)] != earlier for earlier, later in pairwise(sent))
    assert 0 < rewrites < 20
    assert made.fit(responses(100), "one").messages == sent[-1]


def test_kimi_code_2498_what_cannot_be_cut_is_sent_once_and_said() -> None:
    """The fixed part alone is over the limit: no loop, no error, an explained floor."""
    messages = [{"role": "system", "content": "rule " * 5_000}, *anthropic(0)]
    made = threads(limit=1_000)
    first = made.fit(messages, "one")
    assert not first.report.fits
    assert first.report.floor[0][1] > 1_000
    assert made.fit(messages, "one").messages == first.messages


def test_langchain_37815_a_manager_does_not_fire_at_every_turn() -> None:
    """Most requests only extend the one before, so that the provider's cache holds."""
    sent = grown(threads("langchain", 12_000), lc, 60, "langchain")
    extends = [later[: len(early)] == early for early, later in pairwise(sent)]
    assert sum(extends) > 0.8 * len(extends)


def test_langchain_clear_at_least_a_run_stays_within_its_limit() -> None:
    """Where the peer grew to six times its trigger, no request passes the limit."""
    made = threads("responses")
    assert all(made.fit(responses(step), "one").report.fits for step in range(1, 101))


def test_langchainjs_11304_other_scripts_are_counted_as_they_are() -> None:
    """Chinese text is not taken for a third of its tokens."""
    chinese = [{"role": "user", "content": "看"}]
    for step in range(20):
        chinese.append(
            {"role": "assistant", "content": f"第{step}页：" + "红色马克杯价格便宜" * 40}
        )
        chinese.append({"role": "user", "content": "继续"})
    fitted = threads("chat").fit(chinese)
    assert fitted.report.fits
    # Characters through four would call the whole history small enough already.
    assert sum(len(str(message["content"])) for message in chinese) / 4 < LIMIT
    assert fitted.report.before > LIMIT


def test_headroom_389_1809_and_1077_every_handle_leads_to_its_original() -> None:
    """What a notice names can be read back, however often what was recalled is cut again."""
    made = threads("responses")
    items = responses(12)
    fitted = made.fit(items, "one")
    for loss in fitted.report.losses:
        assert made.recall(loss.handle, "one")
    recalled = made.recall(fitted.report.losses[0].handle, "one")
    call = {"type": "function_call", "call_id": "again", "name": "recall", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "again", "output": recalled}
    again = made.fit([*items, call, output], "one")
    assert all(made.recall(loss.handle, "one") for loss in again.report.losses)


def test_headroom_2836_a_foreign_marker_is_not_ours() -> None:
    """A handle that stands in a result, but that we never gave, leads nowhere."""
    made = threads("chat")
    made.fit([{"role": "user", "content": "[12 lines left out; recall deadbeef]"}], "one")
    with pytest.raises(KeyError, match="deadbeef"):
        made.recall("deadbeef", "one")


def test_kiro_lb_35_a_long_history_is_read_once() -> None:
    """A hundred requests of a growing history parse each message a single time."""
    made = threads("responses", 100_000)
    for step in range(1, 101):
        made.fit(responses(step), "one")
    assert made.metrics.parsed == len(responses(100))
