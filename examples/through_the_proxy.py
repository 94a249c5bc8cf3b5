"""Any client through the proxy: only its address changes.

Run it: `python examples/through_the_proxy.py`. It needs no key: Director's double is the provider.
From a terminal the same is `director proxy --budget 3k --upstream URL`.
"""

import asyncio
import json

from openai import AsyncOpenAI

from director import ContextConfig
from director.middleware.proxy import Proxy
from director.models.script_values import Ask, Say
from director.testing.double import Double


def open_page(number: int) -> str:
    """A page of the shop."""
    return "\n".join(f"- link 'Mug {number}-{row}': EUR {row}.50" for row in range(60))


async def converse(client: AsyncOpenAI) -> str:
    """A tool loop that knows nothing of Director."""
    tool = {"type": "function", "function": {"name": "open_page", "parameters": {}}}
    messages = [{"role": "user", "content": "How many pages are there?"}]
    while True:
        said = await client.chat.completions.create(
            model="gpt-6-sol", messages=messages, tools=[tool]
        )
        message = said.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content or ""
        for call in message.tool_calls:
            result = open_page(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


async def main() -> None:
    """Start a provider and the proxy, and ask."""
    steps = [[Ask("open_page", f'{{"number": {number}}}')] for number in range(10)]
    with Double("openai", [*steps, [Say("Ten pages.")]]) as double:
        proxy = Proxy(ContextConfig(strategy="hybrid", budget=3_000), double.url)
        await proxy.open()
        async with AsyncOpenAI(base_url=f"{proxy.url}/v1", api_key="sk-any") as client:
            print(await converse(client))
        (saved,) = proxy.seen.clients
        print(f"{saved.before:,} tokens came, {saved.after:,} went on ({saved.share:.0%} less)")
        await proxy.close()
        assert double.defects == []


if __name__ == "__main__":
    asyncio.run(main())
