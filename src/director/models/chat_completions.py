"""Chat Completions: OpenAI's, and what every local server and gateway speaks.

The server remembers nothing; every request carries the whole history.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from director.models import usage
from director.models.capabilities import Capabilities, Form
from director.models.dialect import (
    Body,
    Failed,
    Final,
    Piece,
    Read,
    add_policy_extra,
    ask_plain_json,
    compute_output_limit,
    disable_dialect_caching,
    list_answer_mappings,
    parse_answer_object,
    parse_stream_event,
    read_answer_text,
)
from director.models.failures import Failure, read_failure_response
from director.models.request_messages import Prepared
from director.models.tool_schemas import write_chat_tool
from director.models.values import Calling, Policy, StateRef, Text, Thinking, ToolCall

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_PATH = "/chat/completions"


class Chat:
    """The Chat Completions API over one client of the `openai` library."""

    form: Form = "chat"

    def __init__(self, client: AsyncOpenAI, model: str, can: Capabilities) -> None:
        self._client = client
        self._model = model
        self.can = can

    def body(self, prepared: Prepared, policy: Policy, state: StateRef | None, key: str) -> Body:
        """The request, always with the whole history."""
        said = prepared.instructions
        system = [{"role": "system", "content": said}] if said else []
        limit = "max_completion_tokens" if self.can.completion_limit else "max_tokens"
        found: Body = {
            "model": self._model,
            "messages": [*system, *prepared.messages],
            "tools": [
                write_chat_tool(tool, strict_tools=self.can.strict_tools) for tool in prepared.tools
            ]
            or None,
            limit: compute_output_limit(policy, self.can),
            "service_tier": policy.tier,
            "reasoning_effort": policy.effort if self.can.reasoning else None,
            "prompt_cache_key": key
            if policy.cache and self.can.cache.startswith("implicit")
            else None,
            "prompt_cache_options": disable_dialect_caching(policy, self.can),
        }
        if policy.tool_choice != "auto" and prepared.tools:
            found["tool_choice"] = _choice(policy.tool_choice)
        return add_policy_extra(found, policy)

    async def create(self, body: Body, within: float) -> Mapping[str, object]:
        """Send it, and return the answer's JSON."""
        return parse_answer_object(
            await self._client.post(_PATH, body=body, **ask_plain_json(within))
        )

    async def stream(self, body: Body, within: float) -> AsyncGenerator[Piece, None]:
        """Send it and return the answer piece by piece; the last one is a `Final`."""
        from openai import AsyncStream

        sent = {**body, "stream": True, "stream_options": {"include_usage": True}}
        arriving = _Answer()
        chunks = await self._client.post(
            _PATH, body=sent, **ask_plain_json(within, AsyncStream[object])
        )
        async with chunks:
            async for chunk in chunks:
                for piece in arriving.add(parse_stream_event(chunk)):
                    yield piece
        if not arriving.finish:
            what = "the stream ended before the model said that it is done."
            raise Failed(Failure("broken_stream", what, 200))
        for call in arriving.calls():
            yield Calling(call)
        yield Final(arriving.body())

    def read(self, body: Mapping[str, object], state: StateRef | None) -> Read:
        """What an answer says; raises `Failed` if it is a failure."""
        choices = list_answer_mappings(body.get("choices"))
        if not choices:
            error = body.get("error") or {"message": "the answer holds no choice."}
            raise Failed(read_failure_response(200, error, {}, time.time()))
        message = choices[0].get("message")
        found = message if isinstance(message, Mapping) else {}
        # Empty fields of an answer are not all allowed in a question.
        item = {name: value for name, value in found.items() if value not in (None, [], {})}
        finish = read_answer_text(choices[0].get("finish_reason"))
        counted, warnings = usage.read_chat_usage(body)
        calls = tuple(_parse_call(call) for call in list_answer_mappings(item.get("tool_calls")))
        text = "\n".join(
            filter(
                None, (read_answer_text(item.get("content")), read_answer_text(item.get("refusal")))
            )
        )
        early = finish in ("length", "content_filter")
        return Read(
            read_answer_text(body.get("id")),
            ({"role": "assistant", **item},) if len(item) > 1 else (),
            text,
            calls,
            "incomplete" if early else "completed",
            finish if early else "",
            counted,
            warnings,
            tier=read_answer_text(body.get("service_tier")),
        )

    async def count(self, body: Body, within: float) -> int:
        """There is no counting endpoint."""
        what = "this API cannot count tokens; use the calibrated counter instead."
        raise Failed(Failure("invalid", what))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _choice(name: str) -> object:
    if name in ("none", "required"):
        return name
    return {"type": "function", "function": {"name": name}}


def _parse_call(call: Mapping[str, object]) -> ToolCall:
    function = call.get("function")
    inner = function if isinstance(function, Mapping) else {}
    return ToolCall(
        read_answer_text(call.get("id")),
        read_answer_text(inner.get("name")),
        read_answer_text(inner.get("arguments")),
    )


@dataclass(slots=True)
class _Call:
    """A call whose name and arguments arrive in pieces."""

    id: str = ""
    name: list[str] = field(default_factory=list)
    args: list[str] = field(default_factory=list)


class _Answer:
    """An answer as its chunks come in: texts are joined, calls gathered by their index."""

    def __init__(self) -> None:
        self._head: dict[str, object] = {}
        self._said: dict[str, list[str]] = {}
        self._calls: dict[int, _Call] = {}
        self.finish = ""

    def add(self, chunk: Mapping[str, object]) -> list[Text | Thinking]:
        """Take in a chunk; the text that it adds."""
        if chunk.get("error"):
            raise Failed(read_failure_response(200, chunk, {}, time.time()))
        for name in ("id", "model", "created", "service_tier", "usage"):
            if chunk.get(name):
                self._head[name] = chunk[name]
        found: list[Text | Thinking] = []
        for choice in list_answer_mappings(chunk.get("choices"))[:1]:
            self.finish = read_answer_text(choice.get("finish_reason")) or self.finish
            delta = choice.get("delta")
            found += self._delta(delta if isinstance(delta, Mapping) else {})
        return found

    def _delta(self, delta: Mapping[str, object]) -> list[Text | Thinking]:
        for name, value in delta.items():
            if isinstance(value, str) and value and name != "role":
                self._said.setdefault(name, []).append(value)
        for part in list_answer_mappings(delta.get("tool_calls")):
            index = part.get("index")
            call = self._calls.setdefault(index if isinstance(index, int) else 0, _Call())
            asked = _parse_call(part)
            call.id = call.id or asked.id
            call.name.append(asked.tool)
            call.args.append(asked.args)
        thought = read_answer_text(delta.get("reasoning_content") or delta.get("reasoning"))
        said = read_answer_text(delta.get("content"))
        return [*([Thinking(thought)] if thought else []), *([Text(said)] if said else [])]

    def calls(self) -> list[ToolCall]:
        """The calls, complete when the stream is."""
        made = (self._calls[index] for index in sorted(self._calls))
        return [ToolCall(call.id, "".join(call.name), "".join(call.args)) for call in made]

    def body(self) -> dict[str, object]:
        """The answer as it would have come in one piece."""
        calls = [
            {"id": c.id, "type": "function", "function": {"name": c.tool, "arguments": c.args}}
            for c in self.calls()
        ]
        said = {name: "".join(pieces) for name, pieces in self._said.items()}
        message = {"role": "assistant", **said, "tool_calls": calls}
        return {**self._head, "choices": [{"message": message, "finish_reason": self.finish}]}
