"""Measures the engine through each integration: `.venv/bin/python bench/ways.py`.

The same loop of thirty and a hundred tool calls by the same scripted mind, through every way in, against the
double in this process: is every fact still known at the end, how many tokens were sent, what the
run would cost at the prices of 2026 with the provider's cache, what our own work took, and how much
memory it holds. Prints tables and writes `bench/results/ways.json`; no model, no network.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import statistics
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import director
from director import ContextConfig
from director.api import Fitted
from director.middleware.threads import Threads
from director.models.brains import Mind
from director.models.brains.mind import Task
from director.testing.double import Double

RESULTS = Path(__file__).parent / "results" / "ways.json"
MODELS = ("gpt-6.1-terra", "gpt-6-sol", "claude-sonnet-5-5")
REQUEST = "Read every page of the shop, then tell me all codes."
SCHEMA = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
Row: TypeAlias = dict[str, Any]
Run: TypeAlias = Callable[[Double, str, "Timed | None"], Awaitable[str]]


class Timed(Threads):
    """Threads that note how long each fit took."""

    def __init__(self, budget: int, wire: Any = None) -> None:
        super().__init__(ContextConfig(strategy="hybrid", budget=budget), wire=wire)
        self.took: list[float] = []

    def fit(self, messages: Sequence[object], *args: Any, **more: Any) -> Fitted:
        """The same, timed."""
        start = time.perf_counter()
        try:
            return super().fit(messages, *args, **more)
        finally:
            self.took.append((time.perf_counter() - start) * 1_000)


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


LINES = 40


def open_page(number: int) -> str:
    """Open a page of the shop and read it."""
    return page(number, LINES)


def reader(steps: int) -> Mind:
    """The model: it opens page after page, then tells the codes that it still sees."""
    tasks = [Task("open_page", json.dumps({"number": n}), gives=f"code_{n}") for n in range(steps)]
    return Mind(tasks, " ".join(f"code_{n}={{code_{n}}}" for n in range(steps)))


def answer(steps: int) -> str:
    """What it says if it still sees every code."""
    return " ".join(f"code_{n}=K{n * 37 + 11}" for n in range(steps))


def is_anthropic(model: str) -> bool:
    """Whose model it is."""
    return model.startswith("claude")


async def langchain(double: Double, model: str, timed: Timed | None) -> str:
    """LangChain's `create_agent` with our middleware, or without."""
    from langchain.agents import create_agent  # noqa: PLC0415
    from langchain_anthropic import ChatAnthropic  # noqa: PLC0415
    from langchain_openai import ChatOpenAI  # noqa: PLC0415

    from director.middleware.langchain import ContextMiddleware  # noqa: PLC0415

    chat: Any = (
        ChatAnthropic(model=model, base_url=double.anthropic_url, api_key="sk-any")
        if is_anthropic(model)
        else ChatOpenAI(model=model, base_url=double.openai_url, api_key="sk-any")
    )
    middleware = [ContextMiddleware(timed)] if timed is not None else []
    agent = create_agent(chat, [open_page], middleware=middleware)
    asked = {"messages": [("user", REQUEST)]}
    result = await agent.ainvoke(asked, {"recursion_limit": 1_000})
    return str(result["messages"][-1].text)


async def langgraph(double: Double, model: str, timed: Timed | None) -> str:
    """A compiled graph in our wrapper."""
    from langchain.agents import create_agent  # noqa: PLC0415
    from langchain_anthropic import ChatAnthropic  # noqa: PLC0415
    from langchain_openai import ChatOpenAI  # noqa: PLC0415

    from director.middleware.langchain import ContextManagedAgent  # noqa: PLC0415

    chat: Any = (
        ChatAnthropic(model=model, base_url=double.anthropic_url, api_key="sk-any")
        if is_anthropic(model)
        else ChatOpenAI(model=model, base_url=double.openai_url, api_key="sk-any")
    )
    agent: Any = create_agent(chat, [open_page])
    managed = ContextManagedAgent(agent, timed) if timed is not None else agent
    asked = {"messages": [("user", REQUEST)]}
    result = await managed.ainvoke(asked, {"recursion_limit": 1_000})
    return str(result["messages"][-1].text)


async def pydantic_ai(double: Double, model: str, timed: Timed | None) -> str:
    """pydantic-ai with our capability."""
    from pydantic_ai import Agent  # noqa: PLC0415
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415
    from pydantic_ai.usage import UsageLimits  # noqa: PLC0415

    from director.middleware.pydantic_ai import ContextCapability  # noqa: PLC0415

    made: Any = (
        AnthropicModel(model, provider=AnthropicProvider("sk-any", base_url=double.anthropic_url))
        if is_anthropic(model)
        else OpenAIChatModel(model, provider=OpenAIProvider(double.openai_url, api_key="sk-any"))
    )
    capabilities = [ContextCapability(timed)] if timed is not None else []
    agent = Agent(made, tools=[open_page], capabilities=capabilities)
    return str((await agent.run(REQUEST, usage_limits=UsageLimits(request_limit=500))).output)


async def openai_agents(double: Double, model: str, timed: Timed | None) -> str:
    """OpenAI's Agents SDK with our filter."""
    from agents import Agent, OpenAIResponsesModel, RunConfig, Runner, function_tool  # noqa: PLC0415
    from openai import AsyncOpenAI  # noqa: PLC0415

    from director.middleware.openai_agents import InputFilter  # noqa: PLC0415

    if is_anthropic(model):
        return "-"
    async with AsyncOpenAI(base_url=double.openai_url, api_key="sk-any") as client:
        agent = Agent(
            name="reader",
            tools=[function_tool(open_page)],
            model=OpenAIResponsesModel(model, client),
        )
        fit = InputFilter(timed) if timed is not None else None
        config = RunConfig(call_model_input_filter=fit, tracing_disabled=True)
        result = await Runner.run(agent, REQUEST, max_turns=500, run_config=config)
    return str(result.final_output)


async def client(double: Double, model: str, timed: Timed | None) -> str:
    """A loop by hand over a wrapped client."""
    from anthropic import Anthropic  # noqa: PLC0415
    from openai import OpenAI  # noqa: PLC0415

    if is_anthropic(model):
        bare: Any = Anthropic(base_url=double.anthropic_url, api_key="sk-any")
        loop = messages_loop
    else:
        bare = OpenAI(base_url=double.openai_url, api_key="sk-any")
        loop = chat_loop
    with director.wrap(bare, timed) if timed is not None else bare as used:
        return await asyncio.to_thread(loop, used, model)


def chat_loop(used: Any, model: str) -> str:
    """A tool loop over Chat Completions."""
    tool = {"type": "function", "function": {"name": "open_page", "parameters": SCHEMA}}
    messages: list[Any] = [{"role": "user", "content": REQUEST}]
    while True:
        said = used.chat.completions.create(model=model, messages=messages, tools=[tool])
        message = said.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return str(message.content)
        for call in message.tool_calls:
            result = open_page(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def messages_loop(used: Any, model: str) -> str:
    """A tool loop over Anthropic's Messages, without cache marks."""
    tool = {"name": "open_page", "input_schema": SCHEMA}
    messages: list[Any] = [{"role": "user", "content": REQUEST}]
    while True:
        said = used.messages.create(model=model, max_tokens=4_000, messages=messages, tools=[tool])
        messages.append({"role": "assistant", "content": [b.model_dump() for b in said.content]})
        uses = [block for block in said.content if block.type == "tool_use"]
        if not uses:
            return "".join(block.text for block in said.content if block.type == "text")
        results = [
            {"type": "tool_result", "tool_use_id": use.id, "content": open_page(**use.input)}
            for use in uses
        ]
        messages.append({"role": "user", "content": results})


WAYS: dict[str, tuple[Run, Any]] = {
    "create_agent, middleware": (langchain, "langchain"),
    "LangGraph, wrapper": (langgraph, "langchain"),
    "OpenAI Agents, filter": (openai_agents, "responses"),
    "pydantic-ai, capability": (pydantic_ai, "anthropic"),
    "client, wrapped": (client, None),
}


def measure(way: str, model: str, budget: int | None, steps: int) -> Row | None:
    """One run through one way."""
    run, wire = WAYS[way]
    timed = Timed(budget, wire) if budget else None
    with Double("anthropic" if is_anthropic(model) else "openai", reader(steps)) as double:
        said = asyncio.run(run(double, model, timed))
        if said == "-":
            return None
        totals, defects = double.ledger.totals(), len(double.defects)
        peak, rate = double.ledger.high_water(), double.ledger.hit_rate()
    took = sorted(timed.took) if timed is not None else []
    return {
        "way": way,
        "model": model,
        "budget": budget,
        "steps": steps,
        "right": said == answer(steps),
        "defects": defects,
        "requests": totals.requests,
        "tokens": totals.input,
        "largest": peak,
        "cached": round(rate, 3),
        "dollars": float(totals.cost) if totals.cost is not None else None,
        "fit_p50_ms": round(statistics.median(took), 2) if took else None,
        "fit_p99_ms": round(took[int(len(took) * 0.99)], 2) if took else None,
    }


def held_kb(budget: int, steps: int) -> tuple[int, int]:
    """Memory that our layer holds of the history of a whole run, and that history's own, in KB."""
    messages: list[Any] = [{"role": "user", "content": REQUEST}]
    timed = Timed(budget, "chat")
    tracemalloc.start()
    for number in range(steps):
        function = {"name": "open_page", "arguments": json.dumps({"number": number})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        result = {"role": "tool", "tool_call_id": f"c{number}", "content": open_page(number)}
        messages.append(result)
        timed.fit(messages, "one")
    gc.collect()
    whole = tracemalloc.get_traced_memory()[0]
    timed._threads.clear()  # noqa: SLF001  to see what they held
    gc.collect()
    left = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return round((whole - left) / 1_024), round(len(json.dumps(messages)) / 1_024)


def written(row: Row) -> str:
    """A row of the table."""
    cost = "-" if row["dollars"] is None else f"{row['dollars']:.3f}"
    cells = (
        row["way"],
        row["model"],
        row["steps"],
        row["budget"] or "raw",
        "yes" if row["right"] else "no",
        row["defects"],
        f"{row['tokens']:,}",
        f"{row['largest']:,}",
        f"{row['cached']:.0%}",
        cost,
        f"{row['fit_p50_ms']} / {row['fit_p99_ms']}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Every way with every model, raw and managed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--budget", type=int, default=20_000)
    options.add_argument("--steps", type=int, nargs="*", default=(30, 100))
    options.add_argument("--ways", nargs="*", default=tuple(WAYS))
    options.add_argument("--models", nargs="*", default=MODELS)
    options.add_argument("--dry", action="store_true", help="write nothing")
    chosen = options.parse_args()
    rows: list[Row] = []
    print(
        "| way | model | steps | budget | right | defects | tokens | largest | cached | $ | fit |"
    )
    budgets = (None, chosen.budget)
    for way, model, steps, budget in product(chosen.ways, chosen.models, chosen.steps, budgets):
        row = measure(way, model, budget, steps)
        if row is not None:
            rows.append(row)
            print(written(row), flush=True)
    held, own = held_kb(chosen.budget, max(chosen.steps))
    print(f"{held} KB are held for a history of {own} KB")
    if not chosen.dry:
        found = {"runs": rows, "held_kb": held, "history_kb": own}
        RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
