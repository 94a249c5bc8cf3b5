"""The clients of OpenAI and Anthropic, wrapped, against the strict double."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic
from openai import AsyncOpenAI, OpenAI

import director
from director import ContextConfig
from director.context.wire import emit, parse
from director.context.wire.emitter import bare
from director.middleware.api_bodies import fit_body
from director.middleware.clients import get_client_threads
from director.middleware.managed_threads import FittedThreads
from director.models.script_values import Ask, Say
from director.testing.double import Double
from middleware import loops

CONFIG = ContextConfig(strategy="hybrid", budget=loops.BUDGET)
SCHEMA = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}


def chat_loop(client: Any, model: str = "gpt-6-sol") -> list[Any]:
    """A plain tool loop over Chat Completions."""
    tool = {"type": "function", "function": {"name": "open_page", "parameters": SCHEMA}}
    messages: list[Any] = [{"role": "user", "content": loops.REQUEST}]
    while True:
        said = client.chat.completions.create(model=model, messages=messages, tools=[tool])
        message = said.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return messages
        for call in message.tool_calls:
            result = loops.page(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def responses_loop(client: Any, model: str = "gpt-6-sol") -> list[Any]:
    """A plain tool loop over Responses, streamed, without what the server remembers."""
    tool = {"type": "function", "name": "open_page", "parameters": SCHEMA}
    items: list[Any] = [{"role": "user", "content": loops.REQUEST}]
    while True:
        with client.responses.stream(
            model=model, input=items, tools=[tool], store=False, instructions="Be careful."
        ) as stream:
            said = stream.get_final_response()
        items += [
            item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in said.output
        ]
        calls = [item for item in said.output if item.type == "function_call"]
        if not calls:
            return items
        for call in calls:
            output = loops.page(**json.loads(call.arguments))
            items.append(
                {"type": "function_call_output", "call_id": call.call_id, "output": output}
            )


def messages_loop(client: Any, model: str = "claude-sonnet-5") -> list[Any]:
    """A plain tool loop over Anthropic's Messages."""
    tool = {"name": "open_page", "input_schema": SCHEMA}
    messages: list[Any] = [{"role": "user", "content": loops.REQUEST}]
    while True:
        said = client.messages.create(
            model=model, max_tokens=4_000, messages=messages, tools=[tool], system="Be careful."
        )
        messages.append({"role": "assistant", "content": [b.model_dump() for b in said.content]})
        uses = [block for block in said.content if block.type == "tool_use"]
        if not uses:
            return messages
        results = [
            {"type": "tool_result", "tool_use_id": use.id, "content": loops.page(**use.input)}
            for use in uses
        ]
        messages.append({"role": "user", "content": results})


@pytest.mark.parametrize("loop", [chat_loop, responses_loop, messages_loop])
def test_thirty_steps_end_with_every_fact_and_no_complaint(loop: Any) -> None:
    """A loop written by hand is managed by wrapping its client."""
    other = loop is messages_loop
    with Double("anthropic" if other else "openai", loops.reader()) as double:
        bare: Any = (
            Anthropic(base_url=double.anthropic_url, api_key="sk-any", max_retries=0)
            if other
            else OpenAI(base_url=double.openai_url, api_key="sk-any", max_retries=0)
        )
        with director.wrap(bare, CONFIG) as client:
            messages = loop(client)
        assert loops.answer() in json.dumps(messages[-1])
        assert len(double.exchanges) == loops.STEPS + 1
        assert double.defects == []
        assert double.verdict() == []
        assert get_client_threads(client).metrics.compression_events
        largest = max(len(repr(each.seen)) for each in double.generations)
        assert largest < len(repr(messages)) / 3


def test_a_wrapped_client_is_the_client_it_stands_for() -> None:
    """Type checks, options and every other method are the client's own."""
    with OpenAI(base_url="http://127.0.0.1:1/v1", api_key="sk-any") as bare:
        client = director.wrap(bare)
        assert isinstance(client, OpenAI)
        assert client.api_key == "sk-any"
        assert client.models is bare.models
        again = client.with_options(max_retries=7)
        assert again.max_retries == 7
        assert get_client_threads(again) is get_client_threads(client)


def test_what_is_no_client_is_refused() -> None:
    """The mistake is said at once."""
    with pytest.raises(TypeError, match="no client of OpenAI or Anthropic"):
        director.wrap(object())
    with pytest.raises(TypeError, match="is not wrapped"):
        get_client_threads(object())


class _Listening:
    """A client that keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.responses = self
        self.messages = self

    def create(self, **body: Any) -> None:
        self.asked.append(body)


@pytest.mark.promise("B10")
@pytest.mark.parametrize("config", [ContextConfig(enabled=False), ContextConfig(budget=10_000)])
def test_off_and_nothing_to_do_pass_the_identical_objects(config: ContextConfig) -> None:
    """The very list of messages arrives."""
    bare = _Listening()
    messages = [{"role": "user", "content": "Hello?"}]
    director.wrap(bare, config).messages.create(messages=messages, system="Be brief.")
    assert bare.asked[0]["messages"] is messages


@pytest.mark.parametrize(
    ("api", "place", "instructions"),
    [
        ("chat", "messages", None),
        ("responses", "input", "instructions"),
        ("anthropic", "messages", "system"),
    ],
)
def test_what_is_only_counted_is_never_sent(api: Any, place: str, instructions: str | None) -> None:
    """Tools and instructions make the history smaller and are not among its messages."""
    threads = FittedThreads(3_000, wire=api)
    tools = [{"name": "open_page", "description": "The one and only tool."}]
    told = {instructions: "Be careful."} if instructions else {}
    changed = 0
    for steps in range(2, 12):
        chat = [{"role": "user", "content": loops.REQUEST}, *loops.turns(steps)]
        history = emit(bare(parse(chat).context), api)
        sent = fit_body({place: history, "tools": tools, **told}, api, threads, thread="one")
        written = json.dumps(sent.body[place])
        assert "only tool" not in written
        assert "careful" not in written
        assert sent.body["tools"] is tools
        changed += sent.changed
    assert changed > 1


def test_a_request_that_leans_on_the_server_is_left_alone() -> None:
    """What a server remembers cannot be rewritten from here."""
    bare = _Listening()
    items = [{"role": "user", "content": "word " * 5_000}]
    client = director.wrap(bare, 100)
    client.responses.create(input=items, previous_response_id="resp_1")
    client.responses.create(input="just a text")
    assert bare.asked[0]["input"] is items
    assert bare.asked[1]["input"] == "just a text"


def test_async_and_streaming_clients_are_managed() -> None:
    """The async clients, streamed and raw."""
    history = [
        {"role": "user", "content": "Look."},
        *(
            {"role": role, "content": f"{role} {number}: {loops.page(number)}"}
            for number in range(12)
            for role in ("assistant", "user")
        ),
    ]

    async def ask(openai_url: str) -> list[str]:
        async with director.wrap(AsyncOpenAI(base_url=openai_url, api_key="sk-any"), 3_000) as one:
            stream = await one.chat.completions.create(
                model="gpt-6-sol", messages=history, stream=True
            )
            texts = [c.choices[0].delta.content async for c in stream if c.choices]
            raw = await one.chat.completions.with_raw_response.create(
                model="gpt-6-sol", messages=history
            )
            assert raw.parse().choices[0].message.content == "Seen."
            return [text for text in texts if text]

    async def ask_anthropic(url: str) -> str:
        async with (
            director.wrap(AsyncAnthropic(base_url=url, api_key="sk-any"), 3_000) as one,
            one.messages.stream(
                model="claude-sonnet-5", max_tokens=100, messages=history
            ) as stream,
        ):
            return await stream.get_final_text()

    with Double("openai", [[Say("Seen.")]]) as double:
        assert "".join(asyncio.run(ask(double.openai_url))) == "Seen."
        assert len(repr(double.generations[0].seen)) < len(repr(history)) / 2
        assert double.defects == []
    with Double("anthropic", [[Say("Seen.")]]) as double:
        assert asyncio.run(ask_anthropic(double.anthropic_url)) == "Seen."
        assert len(repr(double.generations[0].seen)) < len(repr(history)) / 2
        assert double.defects == []


def test_two_conversations_through_one_client_keep_apart() -> None:
    """Told apart by how they begin, each is read once, and each original is found."""
    steps = [[Ask("open_page", '{"number": 1}')], [Say("One.")]] * 2
    with Double("openai", steps) as double:
        client = director.wrap(
            OpenAI(base_url=double.openai_url, api_key="sk-any", max_retries=0), 100_000
        )
        for text in ("First.", "Second."):
            messages: list[Any] = [{"role": "user", "content": text}]
            for number in range(2):
                said = client.chat.completions.create(model="gpt-6-sol", messages=messages)
                messages.append(said.choices[0].message.model_dump(exclude_none=True))
                for call in said.choices[0].message.tool_calls or []:
                    page = loops.page(number)
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": page})
        client.close()
    assert len(get_client_threads(client)) == 2
    assert get_client_threads(client).metrics.parsed == 6
