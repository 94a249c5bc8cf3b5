"""What left is read back by the agent itself, through every way in, against the strict double."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    SQLiteSession,
    function_tool,
)
from anthropic import Anthropic, AsyncAnthropic
from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import create_react_agent
from openai import AsyncOpenAI, OpenAI
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.openai import OpenAIResponsesModel as PydanticResponses
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

import director
from director import ContextConfig
from director.context.notices import reference_of
from director.middleware.langchain import (
    ContextManagedAgent,
    ContextMiddleware,
    pre_model_hook,
    recall_tool,
)
from director.middleware.openai_agents import ContextManagedSession, InputFilter
from director.middleware.openai_agents import recall_tool as agents_recall_tool
from director.middleware.proxy import Proxy
from director.middleware.pydantic_ai import ContextCapability, history_processor
from director.middleware.recall_tool import (
    answer_recall_calls,
    offer_recall_tool,
    read_recalled,
    read_recalled_turn,
)
from director.models.script_values import Say
from director.testing.double import Double
from middleware import loops
from middleware.rereader import BUDGET, STEPS, Rereader, check
from middleware.test_clients import SCHEMA
from middleware.test_proxy import proxied

CONFIG = ContextConfig(strategy="hybrid", budget=BUDGET)
LIMIT = {"recursion_limit": 120}
NAMES_ONE = re.compile(r"recall (?:t|[0-9a-f]{8})")


def chat(double: Double, **more: Any) -> ChatOpenAI:
    """A chat model of OpenAI at the double."""
    return ChatOpenAI(model="gpt-6-sol", base_url=double.openai_url, api_key="sk-any", **more)


def claude(double: Double) -> ChatAnthropic:
    """A chat model of Anthropic at the double."""
    return ChatAnthropic(
        model="claude-sonnet-5", base_url=double.anthropic_url, api_key="sk-any", max_retries=0
    )


def asked() -> dict[str, Any]:
    """What an agent is given."""
    return {"messages": [HumanMessage(loops.REQUEST)]}


def names_none(double: Double) -> bool:
    """Whether no request named a reference, although something left."""
    seen = [each.seen for each in double.generations]
    last = "\n".join(item.text for item in seen[-1].items)
    assert loops.page(0) not in last
    texts = [item.text for one in seen for item in one.items] + [one.instructions for one in seen]
    return not any(NAMES_ONE.search(text) for text in texts)


def old(model: Any, *tools: Any, **more: Any) -> Any:
    """The older prebuilt agent, which warns that it is old."""
    with pytest.warns(DeprecationWarning, match="create_react_agent"):
        return create_react_agent(model, [loops.open_page, *tools], **more)


LANGCHAIN: dict[str, Callable[[Any], Any]] = {
    "middleware": lambda m: create_agent(
        m, [loops.open_page], middleware=[ContextMiddleware(CONFIG)]
    ),
    "hook": lambda m: old(m, recall_tool, pre_model_hook=pre_model_hook(CONFIG, recall=True)),
    "wrapped": lambda m: ContextManagedAgent(
        create_agent(m, [loops.open_page, recall_tool]), CONFIG
    ),
}


@pytest.mark.parametrize("way", LANGCHAIN)
def test_an_agent_of_langchain_reads_back_what_left(way: str) -> None:
    """By the reference of its notice, beside another call; the state keeps the whole history."""
    with Double("openai", Rereader()) as double:
        result = LANGCHAIN[way](chat(double)).invoke(asked(), LIMIT)
        assert loops.page(0) in result["messages"][-1].text
        check(double)


def test_an_agent_of_langchain_reads_back_over_anthropics_messages_in_a_stream() -> None:
    """The same on the strictest wire, async and streamed."""
    with Double("anthropic", Rereader()) as double:
        agent = LANGCHAIN["middleware"](claude(double))

        async def run() -> None:
            async for _ in agent.astream(asked(), LIMIT, stream_mode="messages"):
                pass

        asyncio.run(run())
        check(double)


AGENTS = {"responses": OpenAIResponsesModel, "chat": OpenAIChatCompletionsModel}


def run_agents(double: Double, kind: str, *tools: Any, fit: Any = None, **more: Any) -> Any:
    """Runs of an agent of OpenAI's SDK, streamed; the result of the last."""
    texts = more.pop("texts", (loops.REQUEST,))

    async def run() -> Any:
        async with AsyncOpenAI(
            base_url=double.openai_url, api_key="sk-any", max_retries=0
        ) as client:
            agent = Agent(
                name="reader",
                tools=[function_tool(loops.open_page), *tools],
                model=AGENTS[kind]("gpt-6-sol", client),
            )
            settings = RunConfig(tracing_disabled=True, call_model_input_filter=fit)
            for text in texts:
                result = Runner.run_streamed(agent, text, max_turns=60, run_config=settings, **more)
                async for _ in result.stream_events():
                    pass
            return result

    return asyncio.run(run())


@pytest.mark.parametrize("kind", AGENTS)
def test_an_agent_of_openais_sdk_reads_back_what_left(kind: str) -> None:
    """The filter answers the call from the items of the run."""
    with Double("openai", Rereader()) as double:
        result = run_agents(double, kind, agents_recall_tool(), fit=InputFilter(CONFIG))
        assert loops.page(0) in result.final_output
        check(double)


@pytest.mark.parametrize("kind", AGENTS)
def test_a_session_reads_back_what_its_notices_name(kind: str) -> None:
    """The first run is kept whole behind the session; the second asks for its first page."""
    with Double("openai", _two_runs()) as double:
        session = ContextManagedSession(SQLiteSession("one"), CONFIG)
        tool = agents_recall_tool(session)
        texts = (loops.REQUEST, "What did the first page say?")
        result = run_agents(double, kind, tool, session=session, texts=texts)
        assert loops.page(0) in result.final_output
        assert double.defects == []


def _two_runs() -> Any:
    reread = Rereader(STEPS)

    def brain(seen: Any) -> Any:
        if reread.answers == STEPS and seen.items[-1].kind == "result":
            return (Say("Done."),)
        return reread(seen)

    return brain


def run_pydantic(double: Double, kind: str, capability: Any, **more: Any) -> Any:
    """A run of an agent of pydantic-ai by the API that its model speaks."""

    async def run() -> Any:
        if kind == "anthropic":
            async with AsyncAnthropic(base_url=double.anthropic_url, api_key="sk-any") as client:
                provider = AnthropicProvider(anthropic_client=client)
                return await go(AnthropicModel("claude-sonnet-5", provider=provider))
        made: Any = PydanticResponses if kind == "responses" else OpenAIChatModel
        async with AsyncOpenAI(base_url=double.openai_url, api_key="sk-any") as client:
            return await go(made("gpt-6-sol", provider=OpenAIProvider(openai_client=client)))

    async def go(model: Any) -> Any:
        agent = PydanticAgent(model, tools=[loops.open_page], capabilities=[capability])
        return await agent.run(loops.REQUEST, **more)

    return asyncio.run(run())


@pytest.mark.parametrize("kind", ["chat", "responses", "anthropic"])
def test_an_agent_of_pydantic_ai_reads_back_what_left(kind: str) -> None:
    """The capability brings the tool; the answer is read from the run's own messages."""

    async def listen(_: Any, events: Any) -> None:
        async for _event in events:
            pass

    with Double("anthropic" if kind == "anthropic" else "openai", Rereader()) as double:
        capability = ContextCapability(CONFIG)
        result = run_pydantic(double, kind, capability, event_stream_handler=listen)
        assert loops.page(0) in result.output
        check(double)


UNKNOWN = "Error: there is no such tool."


def run_tool(name: str, args: Any) -> str:
    """A client that knows its own tool only."""
    return loops.page(**args) if name == "open_page" else UNKNOWN


def chat_client(client: Any, *, stream: bool = False) -> str:
    """A loop over Chat Completions; the last text."""
    tool = {"type": "function", "function": {"name": "open_page", "parameters": SCHEMA}}
    messages: list[Any] = [{"role": "user", "content": loops.REQUEST}]
    while True:
        body = {"model": "gpt-6-sol", "messages": messages, "tools": [tool]}
        if stream:
            with client.chat.completions.stream(**body) as events:
                message = events.get_final_completion().choices[0].message
        else:
            message = client.chat.completions.create(**body).choices[0].message
        messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
        if not message.tool_calls:
            return str(message.content)
        for call in message.tool_calls:
            said = run_tool(call.function.name, json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": said})


def responses_client(client: Any) -> str:
    """A loop over Responses, streamed; the last text."""
    tool = {"type": "function", "name": "open_page", "parameters": SCHEMA}
    items: list[Any] = [{"role": "user", "content": loops.REQUEST}]
    while True:
        body = {"model": "gpt-6-sol", "input": items, "tools": [tool], "store": False}
        with client.responses.stream(**body) as stream:
            said = stream.get_final_response()
        items += [
            item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in said.output
        ]
        calls = [item for item in said.output if item.type == "function_call"]
        if not calls:
            return str(said.output_text)
        for call in calls:
            output = run_tool(call.name, json.loads(call.arguments))
            items.append(
                {"type": "function_call_output", "call_id": call.call_id, "output": output}
            )


def messages_client(client: Any) -> str:
    """A loop over Anthropic's Messages; a failed call is told as such."""
    tool = {"name": "open_page", "input_schema": SCHEMA}
    messages: list[Any] = [{"role": "user", "content": loops.REQUEST}]
    while True:
        with client.messages.stream(
            model="claude-sonnet-5", max_tokens=4_000, messages=messages, tools=[tool]
        ) as stream:
            said = stream.get_final_message()
        messages.append(
            {
                "role": "assistant",
                "content": [b.model_dump(exclude={"parsed_output"}) for b in said.content],
            }
        )
        uses = [block for block in said.content if block.type == "tool_use"]
        if not uses:
            return "".join(block.text for block in said.content if block.type == "text")
        results = []
        for use in uses:
            text = run_tool(use.name, use.input)
            failed = {"is_error": True} if text == UNKNOWN else {}
            results.append(
                {"type": "tool_result", "tool_use_id": use.id, "content": text, **failed}
            )
        messages.append({"role": "user", "content": results})


CLIENTS: dict[str, Callable[[Any], str]] = {
    "chat": chat_client,
    "chat, streamed": lambda client: chat_client(client, stream=True),
    "responses": responses_client,
    "anthropic": messages_client,
}


def open_client(loop: str, double: Double, url: str = "") -> Any:
    """The client of a loop at the double, or at a proxy before it."""
    more: Any = {"api_key": "sk-any", "max_retries": 0}
    if loop == "anthropic":
        return Anthropic(base_url=url or double.anthropic_url, **more)
    return OpenAI(base_url=f"{url}/v1" if url else double.openai_url, **more)


@pytest.mark.parametrize("loop", CLIENTS)
def test_a_wrapped_client_answers_the_call_for_a_loop_that_does_not_know_it(loop: str) -> None:
    """Whatever the loop answers gives way to the original that its own history holds."""
    with Double("anthropic" if loop == "anthropic" else "openai", Rereader()) as double:
        with director.wrap(open_client(loop, double), CONFIG) as client:
            assert loops.page(0) in CLIENTS[loop](client)
        check(double)


def test_an_async_wrapped_client_answers_the_call() -> None:
    """The same with an async client; usage is what the provider counted."""

    async def run(double: Double) -> tuple[str, int]:
        tool: Any = {"type": "function", "function": {"name": "open_page", "parameters": SCHEMA}}
        messages: list[Any] = [{"role": "user", "content": loops.REQUEST}]
        used = 0
        async with AsyncOpenAI(base_url=double.openai_url, api_key="sk-any") as bare:
            client = director.wrap(bare, CONFIG)
            while True:
                said = await client.chat.completions.create(
                    model="gpt-6-sol", messages=messages, tools=[tool]
                )
                message = said.choices[0].message
                used += said.usage.prompt_tokens if said.usage else 0
                messages.append(message.model_dump(exclude_none=True))
                if not message.tool_calls:
                    return str(message.content), used
                for call in message.tool_calls:
                    function: Any = call.function  # type: ignore[union-attr]
                    text = run_tool(function.name, json.loads(function.arguments))
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": text})

    with Double("openai", Rereader()) as double:
        text, used = asyncio.run(run(double))
        assert loops.page(0) in text
        assert used == double.ledger.totals().input
        check(double)


@pytest.mark.parametrize("loop", CLIENTS)
def test_the_proxy_offers_the_tool_where_an_option_asks_for_it(loop: str) -> None:
    """A client that never heard of the tool answers with an error, and the model reads the page."""
    with Double("anthropic" if loop == "anthropic" else "openai", Rereader()) as double:
        made = Proxy(CONFIG, double.url, recall=True)
        with proxied(None, made=made) as proxy, open_client(loop, double, proxy.url) as client:
            assert loops.page(0) in CLIENTS[loop](client)
        check(double)


def _unoffered(way: str, double: Double) -> None:
    off = ContextConfig(strategy="hybrid", budget=BUDGET, recall=False)
    tools = [loops.open_page]
    if way == "hook":
        old(chat(double), pre_model_hook=pre_model_hook(CONFIG)).invoke(asked(), LIMIT)
    elif way == "wrapped":
        ContextManagedAgent(create_agent(chat(double), tools), CONFIG).invoke(asked(), LIMIT)
    elif way == "middleware, off":
        agent = create_agent(chat(double), tools, middleware=[ContextMiddleware(off)])
        agent.invoke(asked(), LIMIT)
    elif way == "filter":
        run_agents(double, "responses", fit=InputFilter(CONFIG))
    elif way == "processor":
        run_pydantic(double, "chat", ProcessHistory(history_processor(CONFIG)))
    elif way == "client, off":
        chat_client(director.wrap(open_client("chat", double), off))
    else:
        with proxied(double.url, CONFIG) as proxy:
            chat_client(open_client("chat", double, proxy.url))


@pytest.mark.parametrize(
    "way",
    ["hook", "wrapped", "middleware, off", "filter", "processor", "client, off", "proxy"],
)
def test_where_no_tool_is_offered_no_reference_is_named(way: str) -> None:
    """A notice never names what nobody can open."""
    with Double("openai", loops.reader(STEPS)) as double:
        _unoffered(way, double)
        assert not any("recall" in each.seen.tools for each in double.generations)
        assert names_none(double)


def test_two_conversations_without_names_read_only_their_own() -> None:
    """One middleware, two histories; the same reference is another turn in each."""
    middleware = ContextMiddleware(CONFIG)
    for first in (100, 200):
        with Double("openai", Rereader(reference="t1")) as double:

            def open_page(number: int, first: int = first) -> str:
                """Open a page of this conversation's own."""
                return loops.page(first + number)

            agent = create_agent(chat(double), [open_page], middleware=[middleware])
            result = agent.invoke(asked(), LIMIT)
            assert loops.page(first) in result["messages"][-1].text
    known = read_recalled_turn([{"role": "user", "content": "Hello?"}], "chat")
    assert "nothing is known" in read_recalled(known, "t1")


def test_what_left_before_a_restart_is_read_back_after_it() -> None:
    """Nothing is stored beside the host's own checkpoints: other objects answer as well."""
    saver, brain = InMemorySaver(), Rereader()
    thread: Any = {"configurable": {"thread_id": "one"}, **LIMIT}

    def agent(double: Double) -> Any:
        middleware: Any = [ContextMiddleware(CONFIG)]
        return create_agent(
            chat(double), [loops.open_page], middleware=middleware, checkpointer=saver
        )

    with Double("openai", _pause_after(brain)) as double:
        agent(double).invoke(asked(), thread)
    with Double("openai", brain) as double:
        result = agent(double).invoke(asked(), thread)
        assert loops.page(0) in result["messages"][-1].text
        assert double.defects == []


def _pause_after(brain: Rereader) -> Any:
    return lambda seen: (Say("Later."),) if brain.answers == STEPS else brain(seen)


def test_a_part_that_was_read_back_can_be_read_back_again() -> None:
    """The answer of an earlier call has a reference of its own, also where the client wrote none."""
    call = {"id": "c9", "type": "function"}
    function = {"name": "recall", "arguments": '{"reference": "t1", "start": 20, "length": 900}'}
    history = [
        {"role": "user", "content": loops.REQUEST},
        *loops.turns(2),
        {"role": "assistant", "content": "", "tool_calls": [{**call, "function": function}]},
        {"role": "tool", "tool_call_id": "c9", "content": UNKNOWN},
    ]
    answered = answer_recall_calls(history, "chat")
    assert answered[:-1] == history[:-1]
    part: Any = answered[-1]
    assert len(part["content"]) == 900
    resolve = read_recalled_turn(answered, "chat")
    assert part["content"] in f'open_page {{"number": 0}}\n{loops.page(0)}'
    assert read_recalled(resolve, reference_of(part["content"])) == part["content"]
    assert part["content"] in read_recalled(resolve, "t1–t2")


def test_a_tool_of_the_same_name_that_is_not_ours_is_left_alone() -> None:
    """No second one is offered, no reference named, and its results are the client's own."""
    theirs = {"type": "function", "function": {"name": "recall", "parameters": SCHEMA}}
    body = {"messages": [], "tools": [theirs]}
    assert offer_recall_tool(body, "chat") == (body, False)
    once, offered = offer_recall_tool(
        {"messages": [], "tools": [{**theirs, "function": {"name": "x"}}]}, "chat"
    )
    assert offered
    assert offer_recall_tool(once, "chat") == (once, True)


@pytest.mark.parametrize(
    ("asked_for", "says"),
    [
        (("[t99]",), "nothing is known"),
        (("t1", 10**9), "characters: start below that"),
    ],
)
def test_what_a_model_asks_for_wrongly_is_answered_in_words(
    asked_for: tuple[Any, ...], says: str
) -> None:
    """An answer that it can act on, never an error."""
    history = [{"role": "user", "content": loops.REQUEST}, *loops.turns(1)]
    assert says in read_recalled(read_recalled_turn(history, "chat"), *asked_for)
