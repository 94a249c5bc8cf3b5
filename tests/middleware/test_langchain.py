"""LangChain and LangGraph agents with managed context, against the strict double."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, SummarizationMiddleware
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, trim_messages
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import create_react_agent
from langgraph.types import Command, interrupt

from director import ContextConfig, ContextManager
from director.middleware.langchain import (
    ContextManagedAgent,
    ContextMiddleware,
    pre_model_hook,
)
from director.models.script_values import Ask, Say
from director.testing.double import Double, Fault
from middleware import loops

Build = Callable[[Any], Any]
LIMIT = {"recursion_limit": 120}


def managing(budget: int = loops.BUDGET, **more: Any) -> ContextManager:
    """A manager of a small budget."""
    return ContextManager(ContextConfig(strategy="hybrid", budget=budget, **more))


def old(model: Any, **more: Any) -> Any:
    """The older prebuilt agent, which warns that it is old."""
    with pytest.warns(DeprecationWarning, match="create_react_agent"):
        return create_react_agent(model, [loops.open_page], **more)


def new(model: Any, **more: Any) -> Any:
    """The agent of today."""
    return create_agent(model, [loops.open_page], **more)


def openai(double: Double, **more: Any) -> ChatOpenAI:
    """A chat model of OpenAI at the double."""
    return ChatOpenAI(
        model="gpt-6-sol", base_url=double.openai_url, api_key="sk-any", max_retries=0, **more
    )


def anthropic(double: Double) -> ChatAnthropic:
    """A chat model of Anthropic at the double."""
    return ChatAnthropic(
        model="claude-sonnet-5", base_url=double.anthropic_url, api_key="sk-any", max_retries=0
    )


def asked(text: str = loops.REQUEST) -> dict[str, Any]:
    """What an agent is given."""
    return {"messages": [HumanMessage(text)]}


@pytest.fixture
def provider() -> Iterator[Double]:
    """A provider that must have no complaint at the end."""
    with Double("openai", loops.reader()) as double:
        yield double
        assert double.defects == []
        assert double.verdict() == []


WAYS: dict[str, Build] = {
    "middleware": lambda model: new(model, middleware=[ContextMiddleware(managing())]),
    "hook": lambda model: old(model, pre_model_hook=pre_model_hook(managing())),
    "wrapped": lambda model: ContextManagedAgent(new(model), managing()),
    "wrapped, older": lambda model: ContextManagedAgent(old(model), managing()),
}


@pytest.mark.parametrize("way", WAYS)
def test_thirty_steps_end_with_the_answer_of_the_unmanaged_agent(
    provider: Double, way: str
) -> None:
    """The mind still sees all thirty facts, in a quarter of the tokens, and no call is repeated."""
    result = WAYS[way](openai(provider)).invoke(asked(), LIMIT)
    assert result["messages"][-1].text == loops.answer()
    assert len(provider.exchanges) == loops.STEPS + 1
    largest = max(len(repr(each.seen)) for each in provider.generations)
    assert largest < len(repr(result["messages"])) / 3
    shown = {item.kind for each in provider.generations for item in each.seen.items}
    assert shown == {"user", "call", "result"}


@pytest.mark.parametrize("way", ["middleware", "wrapped"])
def test_thirty_steps_over_anthropics_messages_break_no_rule(way: str) -> None:
    """The same loop on the strictest wire."""
    with Double("anthropic", loops.reader()) as double:
        result = WAYS[way](anthropic(double)).invoke(asked(), LIMIT)
        assert result["messages"][-1].text == loops.answer()
        assert double.defects == []
        assert double.verdict() == []


def test_thirty_steps_over_responses_break_no_rule(provider: Double) -> None:
    """The same loop through OpenAI's Responses."""
    model = openai(provider, use_responses_api=True)
    result = WAYS["middleware"](model).invoke(asked(), LIMIT)
    assert result["messages"][-1].text == loops.answer()


def _trimmed(state: dict[str, Any]) -> dict[str, Any]:
    kept = trim_messages(
        state["messages"],
        max_tokens=loops.BUDGET // 2,
        token_counter="approximate",  # noqa: S106
    )
    return {"llm_input_messages": kept}


def test_langchains_trimming_loses_the_request_and_repeats_calls_where_ours_does_not() -> None:
    """Cut to the same budget by `trim_messages`, pages are read again until it is stopped."""
    with Double("openai", loops.reader(16)) as double:
        agent = old(openai(double), pre_model_hook=_trimmed)
        result = agent.invoke(asked(), {"recursion_limit": 72})
        assert result["messages"][-1].text == "Sorry, need more steps to process this request."
        shown = double.generations[-1].seen.items
        assert not any(loops.REQUEST in item.text for item in shown)


def test_langchains_summarisation_repeats_calls_where_ours_does_not() -> None:
    """With its defaults the summary holds no facts, so pages are read again until it is stopped."""
    with Double("openai", loops.reader()) as double:
        model = openai(double)
        theirs = SummarizationMiddleware(model, trigger=("tokens", loops.BUDGET))
        with pytest.raises(GraphRecursionError):
            new(model, middleware=[theirs]).invoke(asked(), {"recursion_limit": 80})


class _Watching(AgentMiddleware[Any, Any, Any]):
    """Keeps the requests that pass it."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[Any] = []

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        self.requests.append(request)
        return handler(request)


@pytest.mark.promise("B10")
@pytest.mark.parametrize("manager", [managing(enabled=False), managing(1_000_000)])
def test_off_and_nothing_to_do_pass_the_identical_request(manager: ContextManager) -> None:
    """The very request object that came is handed on."""
    before, after = _Watching(), _Watching()
    after.__class__ = type("_After", (_Watching,), {})
    with Double("openai", loops.reader(3)) as double:
        agent = new(openai(double), middleware=[before, ContextMiddleware(manager), after])
        agent.invoke(asked())
    assert len(before.requests) == 4
    assert all(map(lambda one, two: one is two, before.requests, after.requests))


@pytest.mark.promise("B10")
def test_a_wrapper_that_is_off_is_the_agent_itself() -> None:
    """Nothing is copied and nothing looked at."""
    agent = create_agent(openai_nowhere(), [loops.open_page])
    managed = ContextManagedAgent(agent, managing(enabled=False))
    assert managed._managed is agent


def openai_nowhere() -> ChatOpenAI:
    """A model that is never asked."""
    return ChatOpenAI(model="gpt-6-sol", base_url="http://127.0.0.1:1/v1", api_key="sk-any")


def test_a_graph_without_a_model_node_is_refused_with_the_names_of_its_nodes() -> None:
    """The message says what to give."""
    graph = StateGraph(MessagesState)
    graph.add_node("thinker", lambda _: {"messages": []})
    graph.add_edge(START, "thinker")
    with pytest.raises(ValueError, match=r"'thinker'.*nodes="):
        ContextManagedAgent(graph.compile(), managing())


def _shape(chunk: Any) -> Any:
    """What a chunk looks like, without ids and texts."""
    if isinstance(chunk, dict):
        return {key: _shape(value) for key, value in chunk.items()}
    if isinstance(chunk, tuple):
        return tuple(map(_shape, chunk))
    if isinstance(chunk, list):
        return [_shape(each) for each in chunk]
    return chunk if isinstance(chunk, str) and len(chunk) < 12 else type(chunk).__name__


@pytest.mark.parametrize("build", [new, old])
@pytest.mark.parametrize("mode", ["updates", "values", "messages", ["updates", "custom"]])
def test_chunks_have_the_shapes_of_the_unmanaged_agent(build: Build, mode: Any) -> None:
    """agent/tools and model/tools, in every stream mode, chunk for chunk."""
    chunks: list[list[Any]] = []
    for wrapped in (False, True):
        with Double("openai", loops.reader(6)) as double:
            agent = build(openai(double, streaming=mode == "messages"))
            managed = ContextManagedAgent(agent, managing(3_000)) if wrapped else agent
            found = [_shape(chunk) for chunk in managed.stream(asked(), stream_mode=mode)]
            chunks.append(found)
            assert double.defects == []
    assert chunks[0] == chunks[1]
    assert chunks[0]


def test_astream_and_ainvoke_keep_the_originals() -> None:
    """All messages of a run are there, whole, whatever the model was shown of them."""

    async def both(double: Double) -> ContextManagedAgent:
        managed = ContextManagedAgent(new(openai(double)), managing(3_000))
        names = [name async for chunk in managed.astream(asked()) for name in chunk]
        assert names == ["model", "tools"] * 8 + ["model"]
        streamed = [message.text for message in managed.original_messages]
        await managed.ainvoke(asked())
        assert [message.text for message in managed.original_messages] == streamed
        return managed

    with Double("openai", loops.reader(8)) as double:
        managed = asyncio.run(both(double))
    results = [m for m in managed.original_messages if isinstance(m, ToolMessage)]
    assert [result.text for result in results] == [loops.page(number) for number in range(8)]
    assert managed.latest is not None
    assert managed.latest.report.after < managed.latest.report.before


def test_what_was_cut_is_recalled_by_its_handle() -> None:
    """Every loss that is reported can be read back, word for word."""
    with Double("openai", loops.reader(12)) as double:
        managed = ContextManagedAgent(new(openai(double)), managing(3_000))
        managed.invoke(asked(), LIMIT)
    assert managed.latest is not None
    losses = managed.latest.report.losses
    assert losses
    assert all(managed.recall(loss.handle) for loss in losses)


def test_parallel_calls_stay_with_their_results() -> None:
    """Five calls at once, again and again, through rewrites: no call loses its result."""
    steps = [[Ask("open_page", f'{{"number": {n}}}') for n in range(s, s + 5)] for s in (0, 5, 10)]
    with Double("openai", [*steps, [Say("Done.")]]) as double:
        agent = new(openai(double), middleware=[ContextMiddleware(managing(4_000))])
        result = agent.invoke(asked())
        assert result["messages"][-1].text == "Done."
        assert double.defects == []
        assert double.verdict() == []


def test_a_tool_that_fails_and_a_provider_that_refuses_pass_through() -> None:
    """The error is the framework's own, and the thread goes on after it."""
    with Double("openai", loops.reader(10), faults=[Fault("server_error", nth=6)]) as double:
        saver = InMemorySaver()
        agent = new(
            openai(double), middleware=[ContextMiddleware(managing(3_000))], checkpointer=saver
        )
        config = {"configurable": {"thread_id": "one"}, **LIMIT}
        with pytest.raises(Exception, match="500"):
            agent.invoke(asked(), config)
        result = agent.invoke(None, config)
        assert result["messages"][-1].text == loops.answer(10)
        assert double.defects == []


def test_an_interrupt_is_resumed_with_the_history_whole() -> None:
    """A tool asks a person amid a managed loop; the run goes on where it stopped."""

    def buy(number: int) -> str:
        """Buy what a page offers, if a person agrees."""
        return f"bought {number}: {interrupt('May I?')}"

    steps = [[Ask("open_page", f'{{"number": {n}}}')] for n in range(8)]
    script = [*steps, [Ask("buy", '{"number": 7}')], [Say("Bought.")]]
    with Double("openai", script) as double:
        agent = create_agent(openai(double), [loops.open_page, buy], checkpointer=InMemorySaver())
        managed = ContextManagedAgent(agent, managing(3_000))
        config = {"configurable": {"thread_id": "one"}, **LIMIT}
        stopped = managed.invoke(asked(), config)
        assert stopped["__interrupt__"][0].value == "May I?"
        result = managed.invoke(Command(resume="yes"), config)
        assert result["messages"][-1].text == "Bought."
        assert result["messages"][-2].text == "bought 7: yes"
        assert len(managed.get_state(config).values["messages"]) == 20
        assert len(managed.original_messages) == 20
        assert double.defects == []


def test_a_checkpoint_is_resumed_by_another_wrapper() -> None:
    """State kept by a checkpointer is whole, so a new process manages it as the old one did."""
    saver = InMemorySaver()
    config = {"configurable": {"thread_id": "one"}, **LIMIT}
    with Double("openai", loops.reader(10)) as double:
        for text in (loops.REQUEST, "And again?"):
            agent = new(openai(double), checkpointer=saver)
            managed = ContextManagedAgent(agent, managing(3_000))
            result = managed.invoke(asked(text), config)
        assert result["messages"][-1].text == loops.answer(10)
        assert len(result["messages"]) == 24
        assert double.defects == []


def test_an_agent_within_a_graph_is_managed_too() -> None:
    """The model node of a sub-graph sees a fitted history; the outer state stays whole."""
    with Double("openai", loops.reader(10)) as double:
        graph = StateGraph(MessagesState)
        graph.add_node("shopper", new(openai(double)))
        graph.add_edge(START, "shopper")
        managed = ContextManagedAgent(graph.compile(), managing(3_000))
        chunks = list(managed.stream(asked(), LIMIT, subgraphs=True, stream_mode="updates"))
        assert managed.threads.metrics.compression_events
        assert double.defects == []
    assert [*chunks[-1][1]] == ["shopper"]
    assert len(managed.original_messages) == 22


def test_threads_have_managers_of_their_own() -> None:
    """Two conversations in turn: neither is read anew because of the other."""
    with Double("openai", loops.reader(6)) as double:
        middleware = ContextMiddleware(managing(100_000))
        agent = new(openai(double), middleware=[middleware], checkpointer=InMemorySaver())
        for name in ("one", "two"):
            agent.invoke(asked(), {"configurable": {"thread_id": name}})
        assert len(middleware.threads) == 2
        metrics = middleware.threads.metrics
        assert metrics.calls == 14
        # 13 messages of each, and the tools, were read; none twice.
        assert metrics.parsed == 28


def test_the_last_answer_is_an_ai_message_with_its_usage() -> None:
    """What the framework returns is what the model said, not a copy of ours."""
    with Double("openai", loops.reader(2)) as double:
        agent = new(openai(double), middleware=[ContextMiddleware(managing())])
        last = agent.invoke(asked())["messages"][-1]
    assert isinstance(last, AIMessage)
    assert last.usage_metadata is not None
