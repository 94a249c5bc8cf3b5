"""Agents of OpenAI's Agents SDK with managed context, against the strict double."""

from __future__ import annotations

import asyncio
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
from agents.exceptions import MaxTurnsExceeded
from agents.extensions.tool_output_trimmer import ToolOutputTrimmer
from agents.run import CallModelData, ModelInputData
from openai import AsyncOpenAI

from director import ContextConfig
from director.middleware.openai_agents import ContextManagedSession, InputFilter
from director.models.script import Ask, Say
from director.testing.double import Double, Fault
from middleware import loops

CONFIG = ContextConfig(strategy="hybrid", budget=loops.BUDGET)


def agent(double: Double, kind: Any = OpenAIResponsesModel) -> Agent[Any]:
    """An agent that reads pages."""
    client = AsyncOpenAI(base_url=double.openai_url, api_key="sk-any", max_retries=0)
    return Agent(
        name="reader",
        instructions="Be careful.",
        tools=[function_tool(loops.open_page)],
        model=kind("gpt-6-sol", client),
    )


def run(whose: Agent[Any], text: str = loops.REQUEST, *, session: Any = None, **config: Any) -> Any:
    """One run, with a filter if one is given."""
    settings = RunConfig(tracing_disabled=True, **config)
    return asyncio.run(Runner.run(whose, text, session=session, max_turns=60, run_config=settings))


@pytest.mark.parametrize("kind", [OpenAIResponsesModel, OpenAIChatCompletionsModel])
def test_thirty_steps_end_with_every_fact(kind: Any) -> None:
    """The filter fits each call; the run's own items stay whole."""
    with Double("openai", loops.reader()) as double:
        result = run(agent(double, kind), call_model_input_filter=InputFilter(CONFIG))
        assert result.final_output == loops.answer()
        assert len(result.to_input_list()) == 62
        assert len(double.exchanges) == loops.STEPS + 1
        assert double.defects == []
        assert double.verdict() == []


@pytest.mark.parametrize("kind", [OpenAIResponsesModel, OpenAIChatCompletionsModel])
def test_a_session_gives_what_fits_and_keeps_everything(kind: Any) -> None:
    """The second run starts from a fitted history; the session behind holds every item."""
    with Double("openai", loops.reader(12)) as double:
        session = ContextManagedSession(SQLiteSession("one"), 4_000)
        fit = InputFilter(ContextConfig(strategy="hybrid", budget=4_000))
        run(agent(double, kind), session=session, call_model_input_filter=fit)
        result = run(
            agent(double, kind), "And again?", session=session, call_model_input_filter=fit
        )
        assert result.final_output == loops.answer(12)
        whole = asyncio.run(session.whole.get_items())
        fitted = asyncio.run(session.get_items())
        assert len(whole) == 28
        assert len(repr(fitted)) < len(repr(whole)) / 2
        assert asyncio.run(session.get_items(limit=3)) == whole[-3:]
        assert double.defects == []


def test_the_sdks_own_trimmer_fails_where_ours_passes() -> None:
    """Tool outputs of old turns are cut to 200 characters, which hold no fact: read again."""
    with Double("openai", loops.reader(12)) as double:
        theirs = ToolOutputTrimmer(recent_turns=1, max_output_chars=500)

        def last_request(given: CallModelData[Any]) -> ModelInputData:
            # The trimmer counts user turns; an agent at work has one, so each step is made one.
            items = [*given.model_data.input, {"role": "user", "content": "Go on."}]
            data = ModelInputData(input=items, instructions=given.model_data.instructions)
            return theirs(CallModelData(data, given.agent, given.context))

        with pytest.raises(MaxTurnsExceeded):
            asyncio.run(
                Runner.run(
                    agent(double),
                    loops.REQUEST,
                    max_turns=20,
                    run_config=RunConfig(
                        tracing_disabled=True, call_model_input_filter=last_request
                    ),
                )
            )


@pytest.mark.parametrize("config", [ContextConfig(enabled=False), ContextConfig(budget=10**6)])
def test_off_and_nothing_to_do_pass_the_identical_input(config: ContextConfig) -> None:
    """The very value that came is returned."""
    data = ModelInputData(input=[{"role": "user", "content": "Hello?"}], instructions="Be brief.")
    given = CallModelData(data, Agent(name="x"), None)
    assert InputFilter(config)(given) is data


def test_streaming_and_parallel_calls_pass() -> None:
    """A streamed run with five calls at once, through rewrites."""
    steps = [[Ask("open_page", f'{{"number": {n}}}') for n in range(s, s + 5)] for s in (0, 5, 10)]

    async def streamed(double: Double) -> str:
        settings = RunConfig(tracing_disabled=True, call_model_input_filter=InputFilter(4_000))
        result = Runner.run_streamed(agent(double), loops.REQUEST, run_config=settings)
        async for _ in result.stream_events():
            pass
        return str(result.final_output)

    with Double("openai", [*steps, [Say("Done.")]]) as double:
        assert asyncio.run(streamed(double)) == "Done."
        assert double.defects == []


def test_a_refusal_of_the_provider_is_the_sdks_own_error() -> None:
    """The layer neither hides it nor asks again."""
    with Double("openai", loops.reader(6), faults=[Fault("server_error", nth=4)]) as double:
        with pytest.raises(Exception, match="500"):
            run(agent(double), call_model_input_filter=InputFilter(3_000))
        assert len(double.exchanges) == 4
