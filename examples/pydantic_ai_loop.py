"""An agent of pydantic-ai with a capability that fits every request.

Run it: `python examples/pydantic_ai_loop.py`. It needs no key: Director's double plays the model.
"""

import asyncio

from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from director.middleware.pydantic_ai import ContextCapability
from director.models.script_values import Ask, Say
from director.testing.double import Double


def open_page(number: int) -> str:
    """Open a page of the shop and read it."""
    rows = (f"- link 'Mug {number}-{row}': EUR {row}.50" for row in range(60))
    return "\n".join(rows)


async def main() -> None:
    """One run over ten pages."""
    steps = [[Ask("open_page", f'{{"number": {number}}}')] for number in range(10)]
    capability = ContextCapability(3_000)
    with Double("openai", [*steps, [Say("Ten pages.")]]) as double:
        async with AsyncOpenAI(base_url=double.openai_url, api_key="sk-any") as client:
            model = OpenAIChatModel("gpt-6-sol", provider=OpenAIProvider(openai_client=client))
            agent = Agent(model, tools=[open_page], capabilities=[capability])
            result = await agent.run("How many pages are there?")
        assert double.defects == []
    print(result.output)
    print(f"{len(result.all_messages())} messages are kept")
    print(f"{capability.metrics.get_summary()['total_reduction']:.0f}% less was sent")


if __name__ == "__main__":
    asyncio.run(main())
