"""Agents of pydantic-ai with managed context, against the strict double."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai import Agent, BinaryContent, ModelRetry
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits

from director import ContextConfig
from director.middleware.pydantic_ai import ContextCapability, history_processor
from director.middleware.pydantic_messages import read_pydantic_blocks, write_pydantic_messages
from director.models.script_values import Ask, Say
from director.testing.double import Double
from middleware import loops

CONFIG = ContextConfig(strategy="hybrid", budget=loops.BUDGET)


def ask(double: Double, kind: str = "chat", limit: int = 50, **more: Any) -> Any:
    """One run of an agent, by the API that its model speaks."""

    async def run() -> Any:
        if kind == "anthropic":
            async with AsyncAnthropic(base_url=double.anthropic_url, api_key="sk-any") as client:
                provider = AnthropicProvider(anthropic_client=client)
                return await go(AnthropicModel("claude-sonnet-5", provider=provider))
        made = OpenAIResponsesModel if kind == "responses" else OpenAIChatModel
        async with AsyncOpenAI(base_url=double.openai_url, api_key="sk-any") as client:
            return await go(made("gpt-6-sol", provider=OpenAIProvider(openai_client=client)))

    async def go(model: Any) -> Any:
        tools = more.pop("tools", [loops.open_page])
        heard = more.pop("heard", None)
        limits = UsageLimits(request_limit=limit)
        agent = Agent(model, tools=tools, **more)
        return await agent.run(loops.REQUEST, usage_limits=limits, event_stream_handler=heard)

    return asyncio.run(run())


@pytest.mark.parametrize("kind", ["chat", "responses", "anthropic"])
def test_thirty_steps_end_with_every_fact(kind: str) -> None:
    """The capability fits each request; all messages of the run stay whole."""
    with Double("anthropic" if kind == "anthropic" else "openai", loops.reader()) as double:
        capability = ContextCapability(CONFIG)
        result = ask(double, kind, capabilities=[capability], instructions="Be careful.")
        assert result.output == loops.answer()
        assert len(result.all_messages()) == 62
        assert len(double.exchanges) == loops.STEPS + 1
        assert double.defects == []
        assert double.verdict() == []


def test_a_streamed_run_is_managed_as_a_plain_one() -> None:
    """Every request streams its answer; what is sent fits and breaks no rule."""
    heard: list[Any] = []

    async def listen(_: Any, events: Any) -> None:
        heard.extend([event async for event in events])

    with Double("openai", loops.reader(12)) as double:
        capability = ContextCapability(4_000)
        result = ask(double, capabilities=[capability], heard=listen)
        assert result.output == loops.answer(12)
        assert capability.metrics.checkpoint_events
        assert double.defects == []
    assert any(isinstance(event, PartDeltaEvent) for event in heard)


def test_a_history_processor_goes_on_from_the_originals() -> None:
    """pydantic-ai keeps what a processor returns; ours still fits the whole history each time."""
    processor: Any = history_processor(CONFIG)
    with Double("openai", loops.reader()) as double:
        result = ask(double, capabilities=[ProcessHistory(processor)])
        assert result.output == loops.answer()
        assert double.defects == []
    assert len(processor.originals) == 61


def _latest(messages: list[Any]) -> list[Any]:
    return [messages[0], *messages[-6:]] if len(messages) > 7 else messages


def test_a_processor_that_keeps_the_latest_fails_where_ours_passes() -> None:
    """The recipe of the documentation, first and latest messages, reads pages for ever."""
    with Double("openai", loops.reader(12)) as double, pytest.raises(UsageLimitExceeded):
        ask(double, limit=20, capabilities=[ProcessHistory(_latest)])


@pytest.mark.promise("B10")
@pytest.mark.parametrize("config", [ContextConfig(enabled=False), ContextConfig(budget=10**6)])
def test_off_and_nothing_to_do_pass_the_identical_list(config: ContextConfig) -> None:
    """The very messages that came go on."""
    messages: list[Any] = [ModelRequest(parts=[UserPromptPart("Hello?")])]
    assert ContextCapability(config)._fitting.fit(messages) is messages


def test_messages_come_back_as_the_objects_they_were() -> None:
    """System, pictures, thinking, calls and results, read and written without a change."""
    given: list[Any] = [
        ModelRequest(
            parts=[
                SystemPromptPart("Be careful."),
                UserPromptPart(["Look:", BinaryContent(b"x", media_type="image/png")]),
            ]
        ),
        ModelResponse(
            parts=[
                ThinkingPart("Hm.", signature="s"),
                TextPart("I look."),
                ToolCallPart("open_page", {"number": 1}, tool_call_id="c1"),
            ]
        ),
        ModelRequest(
            parts=[ToolReturnPart("open_page", {"a": 1}, tool_call_id="c1"), UserPromptPart("Go.")]
        ),
    ]
    blocks = [block for message in given for block in read_pydantic_blocks(message)]
    back = write_pydantic_messages(blocks, given)
    assert all(map(lambda one, other: one is other, back, given))
    assert len(back) == 3


def test_a_tool_that_asks_to_be_retried_and_parallel_calls_break_no_rule() -> None:
    """Failed and repeated calls amid rewrites keep their answers."""
    tried: list[int] = []

    def shaky(number: int) -> str:
        """Open a page that fails at first."""
        tried.append(number)
        if tried.count(number) == 1 and number % 4 == 0:
            raise ModelRetry("Not yet.")
        return loops.page(number)

    asks = [[Ask("shaky", f'{{"number": {n}}}') for n in range(s, s + 4)] for s in (0, 4, 8)]
    again = [[Ask("shaky", f'{{"number": {n}}}')] for n in (0, 4, 8)]
    steps = [step for pair in zip(asks, again, strict=True) for step in pair]
    with Double("openai", [*steps, [Say("Done.")]]) as double:
        result = ask(double, tools=[shaky], capabilities=[ContextCapability(3_000)])
        assert result.output == "Done."
        assert double.defects == []
        assert double.verdict() == []
