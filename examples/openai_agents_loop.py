"""An agent of OpenAI's Agents SDK whose session keeps everything and shows what fits.

Run it: `python examples/openai_agents_loop.py`. It needs no key: Director's double plays the model.
"""

import asyncio

from agents import Agent, OpenAIResponsesModel, RunConfig, Runner, SQLiteSession, function_tool
from openai import AsyncOpenAI

from director.middleware.openai_agents import ContextManagedSession, InputFilter
from director.models.script_values import Ask, Say
from director.testing.double import Double


@function_tool
def open_page(number: int) -> str:
    """Open a page of the shop and read it."""
    rows = (f"- link 'Mug {number}-{row}': EUR {row}.50" for row in range(60))
    return "\n".join(rows)


async def main() -> None:
    """Two requests in one session."""
    steps = [[Ask("open_page", f'{{"number": {number}}}')] for number in range(10)]
    with Double("openai", [*steps, [Say("Ten pages.")], [Say("Still ten.")]]) as double:
        async with AsyncOpenAI(base_url=double.openai_url, api_key="sk-any") as client:
            model = OpenAIResponsesModel("gpt-6-sol", client)
            agent = Agent(name="reader", tools=[open_page], model=model)
            session = ContextManagedSession(SQLiteSession("shop"), 3_000)
            fit = InputFilter(3_000)
            settings = RunConfig(call_model_input_filter=fit, tracing_disabled=True)
            for text in ("How many pages are there?", "Are you sure?"):
                result = await Runner.run(
                    agent, text, session=session, run_config=settings, max_turns=20
                )
                print(result.final_output)
        print(f"{len(await session.whole.get_items())} items are kept")
        print(f"{len(await session.get_items())} are shown")
        assert double.defects == []


if __name__ == "__main__":
    asyncio.run(main())
