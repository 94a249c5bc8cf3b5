"""The requirements S4.8 and S4.9 on a context manager for ReAct agents; the others stand beside it.

Shown with a real LangGraph agent and on plain messages, of OpenAI and of Anthropic.
"""

from __future__ import annotations

import asyncio
import dataclasses
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

from chats import Message
from director import ContextConfig, ContextManager, counter_for
from director.middleware.langchain import ContextManagedAgent
from director.testing.double import Double
from middleware import loops
from test_faithful import FORMS, call, task
from test_requirements import on_both


def chat_model(double: Double, form: str) -> Any:
    """LangChain's chat model of a provider, at the double."""
    if form == "openai":
        return ChatOpenAI(
            model="gpt-6-sol", base_url=double.openai_url, api_key="sk-any", max_retries=0
        )
    url = double.anthropic_url
    return ChatAnthropic(model="claude-sonnet-5", base_url=url, api_key="sk-any", max_retries=0)


@on_both
def test_s4_8_a_langgraph_agent_streams_through_the_wrapper(form: str) -> None:
    """`astream` gives the chunks of the agent itself; the originals are whole."""

    async def stream(managed: ContextManagedAgent) -> list[str]:
        given: Any = {"messages": [HumanMessage(loops.REQUEST)]}
        return [name async for chunk in managed.astream(given) for name in chunk]

    with Double(form, loops.reader(8)) as double:
        config = ContextConfig(strategy="hybrid", budget=3_000)
        plain = create_agent(chat_model(double, form), [loops.open_page])
        managed = ContextManagedAgent(plain, ContextManager(config))
        assert asyncio.run(stream(managed)) == ["model", "tools"] * 8 + ["model"]
        assert double.defects == []
    kept = [m.text for m in managed.original_messages if isinstance(m, ToolMessage)]
    assert kept == [loops.page(number) for number in range(8)]
    assert managed.original_messages[-1].text == loops.answer(8)
    assert managed.latest is not None
    assert managed.latest.report.after < managed.latest.report.before


def test_s4_8_all_of_the_configuration_is_there_with_its_defaults() -> None:
    """Names and values as they were asked for."""
    fields = {field.name for field in dataclasses.fields(ContextConfig)}
    asked: dict[str, object] = {
        "enabled": True,
        "strategy": "sliding_window",
        "window_size": 15,
        "preserve_errors": True,
        "preserve_screenshots": True,
        "compression_level": "medium",
        "truncate_snapshots": True,
        "max_snapshot_depth": 3,
        "summarize_console": True,
        "auto_checkpoint": True,
        "checkpoint_phases": ["login", "cart", "checkout"],
        "max_checkpoint_size": 500,
        "importance_threshold": 0.3,
        "merge_similar": True,
        "keep_error_context": 5,
    }
    assert asked.keys() <= fields
    config = ContextConfig()
    assert {name: getattr(config, name) for name in asked} == asked


def steps(form: str, count: int) -> Iterator[list[Message]]:
    """The history of a long run before each of its last calls."""
    messages = task("Check every order.")
    for n in range(count):
        messages += call(n, "check", {"order": f"A-{n}"}, f"A-{n} is fine, total {n}.50")
    messages = FORMS[form](messages)
    yield from (messages[:end] for end in range(len(messages) - 8, len(messages) + 1, 2))


@on_both
def test_s4_9_a_call_costs_what_is_new_and_memory_what_is_there(form: str) -> None:
    """Overhead and reduction, in texts and tokens that any machine counts alike; see `bench/`."""
    counter_for()("A vocabulary is read once, and that is not measured.")
    peaks = []
    for count in (60, 240):
        manager = ContextManager(ContextConfig())
        histories = list(steps(form, count))
        tracemalloc.start()
        manager.fit(histories[0])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        parsed = [manager.metrics.parsed]
        for history in histories[1:]:
            fitted = manager.fit(history)
            parsed.append(manager.metrics.parsed)
        assert [after - before for before, after in pairwise(parsed)] == [2, 2, 2, 2]
        assert fitted.report.after < fitted.report.before / 3
    assert peaks[1] < 8 * peaks[0]
