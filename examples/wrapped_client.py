"""A tool loop written by hand, managed by wrapping its client.

Run it: `python examples/wrapped_client.py`. It needs no key: Director's double plays the model.
"""

import json

from openai import OpenAI

import director
from director.middleware.clients import get_client_threads
from director.models.script_values import Ask, Say
from director.testing.double import Double

TOOL = {
    "type": "function",
    "function": {
        "name": "open_page",
        "parameters": {"type": "object", "properties": {"number": {"type": "integer"}}},
    },
}


def open_page(number: int) -> str:
    """A page of the shop."""
    rows = (f"- link 'Mug {number}-{row}': EUR {row}.50" for row in range(60))
    return "\n".join(rows)


def main() -> None:
    """Ask until there are no more calls."""
    steps = [[Ask("open_page", f'{{"number": {number}}}')] for number in range(10)]
    with Double("openai", [*steps, [Say("Ten pages.")]]) as double:
        client = director.wrap(OpenAI(base_url=double.openai_url, api_key="sk-any"), 3_000)
        messages = [{"role": "user", "content": "How many pages are there?"}]
        while True:
            said = client.chat.completions.create(
                model="gpt-6-sol", messages=messages, tools=[TOOL]
            )
            message = said.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                break
            for call in message.tool_calls:
                result = open_page(**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        client.close()
        assert double.defects == []
    print(message.content)
    print(
        f"{get_client_threads(client).metrics.get_summary()['total_reduction']:.0f}% less was sent"
    )


if __name__ == "__main__":
    main()
