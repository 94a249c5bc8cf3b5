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
from agents.extensions.tool_output_trimmer import ToolOutputTrimmer
from agents.run import CallModelData, ModelInputData
from openai import AsyncOpenAI, InternalServerError

from director import ContextConfig
from director.middleware.openai_agents import ContextManagedSession, InputFilter
from director.models.script_values import Ask, Say
from director.testing.double import Double, Fault
from middleware import loops

CONFIG = ContextConfig(strategy="hybrid", budget=loops.BUDGET)


def run(
    double: Double,
    *texts: str,
    kind: Any = OpenAIResponsesModel,
    session: Any = None,
    turns: int = 60,
    fit: Any = None,
) -> Any:
    """Runs of an agent that reads pages, one after another; the result of the last."""

    async def runs() -> Any:
        async with AsyncOpenAI(
            base_url=double.openai_url, api_key="sk-any", max_retries=0
        ) as client:
            agent = Agent(
                name="reader",
                instructions="Be careful.",
                tools=[function_tool(loops.open_page)],
                model=kind("gpt-6-sol", client),
            )
            settings = RunConfig(tracing_disabled=True, call_model_input_filter=fit)
            for text in texts or (loops.REQUEST,):
                result = Runner.run_streamed(
                    agent, text, session=session, max_turns=turns, run_config=settings
                )
                async for _ in result.stream_events():
                    pass
            return result

    return asyncio.run(runs())


@pytest.mark.parametrize("kind", [OpenAIResponsesModel, OpenAIChatCompletionsModel])
def test_thirty_steps_end_with_every_fact(kind: Any) -> None:
    """The filter fits each call; the run's own items stay whole."""
    with Double("openai", loops.reader()) as double:
        result = run(double, kind=kind, fit=InputFilter(CONFIG))
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
        result = run(double, loops.REQUEST, "Again.", kind=kind, session=session, fit=fit)
        assert result.final_output == loops.answer(12)
        whole = asyncio.run(session.whole.get_items())
        fitted = asyncio.run(session.get_items())
        assert len(whole) == 28
        assert len(repr(fitted)) < len(repr(whole)) / 2
        assert asyncio.run(session.get_items(limit=3)) == whole[-3:]
        assert double.defects == []


def test_the_sdks_own_trimmer_fails_where_ours_passes() -> None:
    """It cuts the outputs of old turns to 200 characters, in which no fact is left."""
    with Double("openai", loops.reader(12)) as double:
        theirs = ToolOutputTrimmer(recent_turns=1, max_output_chars=500)

        def last_request(given: CallModelData[Any]) -> ModelInputData:
            # The trimmer counts user turns; an agent at work has one, so each step is made one.
            items = [*given.model_data.input, {"role": "user", "content": "Go on."}]
            data = ModelInputData(input=items, instructions=given.model_data.instructions)
            return theirs(CallModelData(data, given.agent, given.context))

        assert "UNKNOWN" in run(double, turns=20, fit=last_request).final_output


@pytest.mark.promise("B10")
@pytest.mark.parametrize("config", [ContextConfig(enabled=False), ContextConfig(budget=10**6)])
def test_off_and_nothing_to_do_pass_the_identical_input(config: ContextConfig) -> None:
    """The very value that came is returned."""
    data = ModelInputData(input=[{"role": "user", "content": "Hello?"}], instructions="Be brief.")
    given = CallModelData(data, Agent(name="x"), None)
    assert InputFilter(config)(given) is data


def test_parallel_calls_pass() -> None:
    """Five calls at once, through rewrites."""
    steps = [[Ask("open_page", f'{{"number": {n}}}') for n in range(s, s + 5)] for s in (0, 5, 10)]
    with Double("openai", [*steps, [Say("Done.")]]) as double:
        assert run(double, fit=InputFilter(4_000)).final_output == "Done."
        assert double.defects == []


def test_a_refusal_of_the_provider_is_the_sdks_own_error() -> None:
    """The layer neither hides it nor asks again."""
    with Double("openai", loops.reader(6), faults=[Fault("server_error", nth=4)]) as double:
        with pytest.raises(InternalServerError, match="500"):
            run(double, fit=InputFilter(3_000))
        assert len(double.exchanges) == 4
