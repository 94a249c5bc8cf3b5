"""The agents of `ways.py`: one for each way in, all with the same tool and the same request.

Each runs raw, without Director, or managed, as its page in the documentation says. None is tuned:
where a provider caches only what is asked for, every one of them asks for it.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import director
from director import ContextConfig
from director.api import Fitted
from director.middleware.managed_threads import FittedThreads
from director.testing.double import Double

REQUEST = "Read every page of the shop, then tell me all codes."
SCHEMA = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
CACHED = {"type": "ephemeral"}
KEY = "sk-any"


def page(number: int, lines: int) -> str:
    """A page as a tool returns it: a list of wares, and one fact."""
    wares = random.Random(number)
    rows = [
        f"- link 'Mug {number}-{row}' [ref=e{row}]: price EUR {wares.randrange(900)}.50, "
        f"{wares.choice(['in stock', 'sold out', 'on order'])}"
        for row in range(lines)
    ]
    rows.insert(lines // 2, f"code_{number}=K{number * 37 + 11}")
    return "\n".join(rows)


@dataclass
class Gauge:
    """What our layer took: milliseconds of each call, the largest request, and what it holds."""

    budget: int
    took: list[float] = field(default_factory=list)
    before: int = 0
    after: int = 0
    holds: object = None

    def threads(self, wire: Any) -> FittedThreads:
        """Managed threads that note what they do."""
        self.holds = made = _Noting(self, wire)
        return made


class _Noting(FittedThreads):
    def __init__(self, gauge: Gauge, wire: Any) -> None:
        super().__init__(ContextConfig(strategy="hybrid", budget=gauge.budget), wire=wire)
        self._gauge = gauge

    def fit(self, messages: Sequence[object], *args: Any, **more: Any) -> Fitted:
        """The same, noted."""
        start = time.perf_counter()
        fitted = super().fit(messages, *args, **more)
        self._gauge.took.append((time.perf_counter() - start) * 1_000)
        self._gauge.before = max(self._gauge.before, fitted.report.before)
        self._gauge.after = max(self._gauge.after, fitted.report.after)
        return fitted


@dataclass(frozen=True)
class Setting:
    """One run: the double that plays the provider, the model, the pages; no gauge when raw."""

    double: Double
    model: str
    lines: int
    gauge: Gauge | None

    @property
    def anthropic(self) -> bool:
        """Whose model it is."""
        return self.model.startswith("claude")

    def tool(self) -> Callable[[int], str]:
        """The one tool of all agents."""

        def open_page(number: int) -> str:
            """Open a page of the shop and read it."""
            return page(number, self.lines)

        return open_page


Agent: TypeAlias = Callable[[Setting], Awaitable[str]]


def _chat_model(setting: Setting) -> Any:
    from langchain_anthropic import ChatAnthropic  # noqa: PLC0415
    from langchain_openai import ChatOpenAI  # noqa: PLC0415

    if setting.anthropic:
        return ChatAnthropic(
            model=setting.model,
            base_url=setting.double.anthropic_url,
            api_key=KEY,
            model_kwargs={"cache_control": CACHED},
        )
    return ChatOpenAI(model=setting.model, base_url=setting.double.openai_url, api_key=KEY)


async def _finished(agent: Any) -> str:
    asked = {"messages": [("user", REQUEST)]}
    result = await agent.ainvoke(asked, {"recursion_limit": 1_000})
    return str(result["messages"][-1].text)


async def create_agent(setting: Setting) -> str:
    """LangChain's `create_agent` with our middleware."""
    from langchain import agents  # noqa: PLC0415

    from director.middleware.langchain import ContextMiddleware  # noqa: PLC0415

    gauge = setting.gauge
    middleware = [ContextMiddleware(gauge.threads("langchain"))] if gauge is not None else []
    model = _chat_model(setting)
    return await _finished(agents.create_agent(model, [setting.tool()], middleware=middleware))


async def pre_model_hook(setting: Setting) -> str:
    """The older `create_react_agent` with our hook."""
    from langgraph.prebuilt import create_react_agent  # noqa: PLC0415

    from director.middleware import langchain  # noqa: PLC0415

    gauge = setting.gauge
    hook = langchain.pre_model_hook(gauge.threads("langchain")) if gauge is not None else None
    model = _chat_model(setting)
    return await _finished(create_react_agent(model, [setting.tool()], pre_model_hook=hook))


async def managed_agent(setting: Setting) -> str:
    """A compiled graph in our wrapper."""
    from langchain import agents  # noqa: PLC0415

    from director.middleware.langchain import ContextManagedAgent  # noqa: PLC0415

    agent: Any = agents.create_agent(_chat_model(setting), [setting.tool()])
    if setting.gauge is not None:
        agent = ContextManagedAgent(agent, setting.gauge.threads("langchain"))
    return await _finished(agent)


async def openai_agents(setting: Setting) -> str:
    """OpenAI's Agents SDK with our filter."""
    from agents import Agent, OpenAIResponsesModel, RunConfig, Runner, function_tool  # noqa: PLC0415
    from openai import AsyncOpenAI  # noqa: PLC0415

    from director.middleware.openai_agents import InputFilter  # noqa: PLC0415

    gauge = setting.gauge
    fit = InputFilter(gauge.threads("responses")) if gauge is not None else None
    async with AsyncOpenAI(base_url=setting.double.openai_url, api_key=KEY) as used:
        model = OpenAIResponsesModel(setting.model, used)
        agent = Agent(name="reader", tools=[function_tool(setting.tool())], model=model)
        config = RunConfig(call_model_input_filter=fit, tracing_disabled=True)
        result = await Runner.run(agent, REQUEST, max_turns=500, run_config=config)
    return str(result.final_output)


async def pydantic_ai(setting: Setting) -> str:
    """pydantic-ai with our capability."""
    from pydantic_ai import Agent  # noqa: PLC0415
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415
    from pydantic_ai.usage import UsageLimits  # noqa: PLC0415

    from director.middleware.pydantic_ai import ContextCapability  # noqa: PLC0415

    double, gauge = setting.double, setting.gauge
    made: Any
    if setting.anthropic:
        provider: Any = AnthropicProvider(api_key=KEY, base_url=double.anthropic_url)
        made = AnthropicModel(setting.model, provider=provider)
    else:
        provider = OpenAIProvider(double.openai_url, api_key=KEY)
        made = OpenAIChatModel(setting.model, provider=provider)
    settings: Any = {"anthropic_cache": True} if setting.anthropic else None
    capabilities = [ContextCapability(gauge.threads("anthropic"))] if gauge is not None else []
    agent = Agent(made, tools=[setting.tool()], capabilities=capabilities, model_settings=settings)
    return str((await agent.run(REQUEST, usage_limits=UsageLimits(request_limit=500))).output)


def _bare_client(setting: Setting, url: str | None = None) -> Any:
    from anthropic import Anthropic  # noqa: PLC0415
    from openai import OpenAI  # noqa: PLC0415

    if setting.anthropic:
        return Anthropic(base_url=url or setting.double.anthropic_url, api_key=KEY)
    return OpenAI(base_url=f"{url}/v1" if url else setting.double.openai_url, api_key=KEY)


async def client(setting: Setting) -> str:
    """A loop by hand over a wrapped client."""
    used = _bare_client(setting)
    if setting.gauge is not None:
        wire = "anthropic" if setting.anthropic else "chat"
        used = director.wrap(used, setting.gauge.threads(wire))
    with used:
        return await _by_hand(setting, used)


async def proxy(setting: Setting) -> str:
    """The same loop, with no more than its address changed."""
    from director.middleware.proxy import Proxy  # noqa: PLC0415

    if setting.gauge is None:
        return await client(setting)
    passing = Proxy(setting.gauge.budget, setting.double.url)
    wire: Any = "anthropic" if setting.anthropic else "chat"
    passing.threads[wire] = setting.gauge.threads(wire)
    await passing.open()
    try:
        with _bare_client(setting, passing.url) as used:
            return await _by_hand(setting, used)
    finally:
        await passing.close()


async def mcp(setting: Setting) -> str:
    """The same loop, which asks the MCP server before each request what to send."""
    from director.mcp import make_server  # noqa: PLC0415
    from director.mcp.engine_tools import Fitting  # noqa: PLC0415
    from mcp import Client  # noqa: PLC0415

    gauge = setting.gauge
    if gauge is None:
        return await client(setting)
    fitting = gauge.holds = Fitting(gauge.budget)
    with _bare_client(setting) as used:
        async with Client(make_server(fitting)) as server:

            async def fit(messages: list[Any]) -> list[Any]:
                start = time.perf_counter()
                given = await server.call_tool("fit", {"messages": messages})
                gauge.took.append((time.perf_counter() - start) * 1_000)
                sent: list[Any] = json.loads(given.content[0].text)["messages"]
                return sent

            return await _by_hand(setting, used, fit)


async def _as_they_are(messages: list[Any]) -> list[Any]:
    return messages


async def _by_hand(
    setting: Setting,
    used: Any,
    fit: Callable[[list[Any]], Awaitable[list[Any]]] = _as_they_are,
) -> str:
    messages: list[Any] = [{"role": "user", "content": REQUEST}]
    step = _messages_step if setting.anthropic else _chat_step
    while True:
        sent = await fit(messages)
        new, said = await asyncio.to_thread(step, setting, used, sent)
        if said is not None:
            return said
        messages += new


def _chat_step(setting: Setting, used: Any, messages: list[Any]) -> tuple[list[Any], str | None]:
    """A step over Chat Completions: what it added, or what was said at the end."""
    tool = {"type": "function", "function": {"name": "open_page", "parameters": SCHEMA}}
    said = used.chat.completions.create(model=setting.model, messages=messages, tools=[tool])
    message, open_page = said.choices[0].message, setting.tool()
    if not message.tool_calls:
        return [], str(message.content)
    results = [
        {
            "role": "tool",
            "tool_call_id": call.id,
            "content": open_page(**json.loads(call.function.arguments)),
        }
        for call in message.tool_calls
    ]
    return [message.model_dump(exclude_none=True), *results], None


def _messages_step(
    setting: Setting, used: Any, messages: list[Any]
) -> tuple[list[Any], str | None]:
    """A step over Anthropic's Messages."""
    tool = {"name": "open_page", "input_schema": SCHEMA}
    said = used.messages.create(
        model=setting.model, max_tokens=4_000, messages=messages, tools=[tool], cache_control=CACHED
    )
    uses = [block for block in said.content if block.type == "tool_use"]
    if not uses:
        return [], "".join(block.text for block in said.content if block.type == "text")
    open_page = setting.tool()
    results = [
        {"type": "tool_result", "tool_use_id": use.id, "content": open_page(**use.input)}
        for use in uses
    ]
    spoken = {"role": "assistant", "content": [block.model_dump() for block in said.content]}
    return [spoken, {"role": "user", "content": results}], None
