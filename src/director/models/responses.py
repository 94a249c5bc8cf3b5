"""OpenAI's Responses API, and servers that speak it.

Instructions and tools are sent with every request, whatever the server remembers. Items come
back as they were; none is rebuilt.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from director.models import usage
from director.models.capabilities import Capabilities, Form
from director.models.dialect import (
    Body,
    Failed,
    Final,
    Piece,
    Read,
    Seq,
    add_policy_extra,
    ask_plain_json,
    compute_output_limit,
    disable_dialect_caching,
    list_answer_mappings,
    parse_answer_object,
    parse_stream_event,
    read_answer_number,
    read_answer_text,
)
from director.models.failures import Failure, read_failure_response
from director.models.request_messages import Prepared
from director.models.tool_schemas import write_responses_tool
from director.models.values import Calling, Policy, StateRef, Text, Thinking, ToolCall

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_PATH = "/responses"
_PATIENCE = 0.5
_ENDS = ("response.completed", "response.incomplete", "response.failed")
_THOUGHTS = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
_LEAST = 16
_LEAST_COMPACTED = 1_000
_CUT = "the stream ended without its terminal event"


class Responses:
    """The Responses API over one client of the `openai` library."""

    form: Form = "responses"

    def __init__(self, client: AsyncOpenAI, model: str, can: Capabilities) -> None:
        self._client = client
        self._model = model
        self.can = can

    def body(self, prepared: Prepared, policy: Policy, state: StateRef | None, key: str) -> Body:
        """The request; with a state only what is new since then."""
        can = self.can
        keeps = can.chain != "none" and (policy.chain != "never" or policy.background)
        found: Body = {
            "model": self._model,
            "input": [*prepared.messages[state.covers if state else 0 :]],
            "instructions": prepared.instructions or None,
            "tools": [
                write_responses_tool(tool, strict_tools=can.strict_tools) for tool in prepared.tools
            ]
            or None,
            "previous_response_id": state.id if state else None,
            "store": keeps if can.chain != "none" or can.background else None,
            "background": True if policy.background and can.background else None,
            "max_output_tokens": compute_output_limit(policy, can, least=_LEAST),
            "service_tier": policy.tier,
            "reasoning": {"effort": policy.effort} if policy.effort and can.reasoning else None,
            "prompt_cache_key": key if policy.cache and can.cache.startswith("implicit") else None,
            "prompt_cache_options": disable_dialect_caching(policy, can),
        }
        if can.encrypted_reasoning and not keeps:
            found["include"] = ["reasoning.encrypted_content"]
        if policy.compact_at and can.server_compaction:
            threshold = max(policy.compact_at, _LEAST_COMPACTED)
            edit = {"type": "compaction", "compact_threshold": threshold}
            found["context_management"] = [edit]
        if policy.tool_choice != "auto" and prepared.tools:
            found["tool_choice"] = _choice(policy.tool_choice)
        return add_policy_extra(found, policy)

    async def create(self, body: Body, within: float) -> Mapping[str, object]:
        """Send it, and return the answer's JSON."""
        # Past the library's typed methods: they rewrite a body field by field at each request.
        return parse_answer_object(
            await self._client.post(_PATH, body=body, **ask_plain_json(within))
        )

    async def stream(self, body: Body, within: float) -> AsyncGenerator[Piece, None]:
        """Send it and return the answer piece by piece; the last one is a `Final`."""
        events = await self._client.post(
            _PATH, body={**body, "stream": True}, **ask_plain_json(within, _stream())
        )
        async with events:
            async for piece in _pieces(events):
                yield piece

    async def retrieve(self, name: str, within: float) -> Mapping[str, object]:
        """A job as it is now."""
        return parse_answer_object(
            await self._client.get(f"{_PATH}/{name}", **ask_plain_json(within))
        )

    async def cancel(self, name: str, within: float) -> Mapping[str, object]:
        """Cancel a job."""
        return parse_answer_object(
            await self._client.post(f"{_PATH}/{name}/cancel", **ask_plain_json(within))
        )

    async def resume(self, name: str, after: int, within: float) -> AsyncGenerator[Piece, None]:
        """The events of a streaming job after one that was received."""
        wanted = {"stream": "true", "starting_after": str(after)}
        events = await self._client.get(
            f"{_PATH}/{name}", **ask_plain_json(within, _stream(), params=wanted)
        )
        async with events:
            async for piece in _pieces(events):
                yield piece

    def read(self, body: Mapping[str, object], state: StateRef | None) -> Read:
        """What an answer says; raises `Failed` if it is a failure."""
        status = read_answer_text(body.get("status"))
        if status in ("failed", "cancelled"):
            error = body.get("error") or {"message": f"the response was {status}."}
            raise Failed(read_failure_response(200, error, {}, time.time()))
        if state and body.get("previous_response_id") != state.id:
            what = "the server ignored the id of the previous response."
            raise Failed(Failure("state_lost", what, 200, "ignored"))
        items = list_answer_mappings(body.get("output"))
        counted, warnings = usage.read_responses_usage(body)
        details = body.get("incomplete_details")
        reason = read_answer_text(details.get("reason")) if isinstance(details, Mapping) else ""
        return Read(
            read_answer_text(body.get("id")),
            items,
            _text(items),
            tuple(_parse_call(item) for item in items if item.get("type") == "function_call"),
            "incomplete" if status == "incomplete" else "completed",
            reason,
            counted,
            warnings,
            stored=body.get("store") is not False,
            tier=read_answer_text(body.get("service_tier")),
        )

    async def count(self, body: Body, within: float) -> int:
        """The size of a request as the provider counts it."""
        known = ("model", "input", "instructions", "tools", "previous_response_id", "tool_choice")
        asked = {name: body[name] for name in known if name in body}
        counted = await self._client.post(
            f"{_PATH}/input_tokens", body=asked, **ask_plain_json(within)
        )
        return read_answer_number(parse_answer_object(counted), "input_tokens")

    async def compact(self, body: Body, within: float) -> Mapping[str, object]:
        """The compacted window of a request."""
        known = ("model", "input", "instructions")
        asked = {name: body[name] for name in known if name in body}
        return parse_answer_object(
            await self._client.post(f"{_PATH}/compact", body=asked, **ask_plain_json(within))
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _choice(name: str) -> object:
    return name if name in ("none", "required") else {"type": "function", "name": name}


def _stream() -> object:
    from openai import AsyncStream

    return AsyncStream[object]


def _parse_call(item: Mapping[str, object]) -> ToolCall:
    return ToolCall(
        read_answer_text(item.get("call_id")),
        read_answer_text(item.get("name")),
        read_answer_text(item.get("arguments")),
    )


def _text(items: tuple[Mapping[str, object], ...]) -> str:
    return "\n".join(
        read_answer_text(part.get("text") or part.get("refusal"))
        for item in items
        if item.get("type") == "message"
        for part in list_answer_mappings(item.get("content"))
    )


async def _pieces(events: Any) -> AsyncGenerator[Piece, None]:  # noqa: ANN401  the library's stream
    name = ""
    last = -1
    async for found in events:
        event = parse_stream_event(found)
        number = event.get("sequence_number")
        if isinstance(number, int):
            if number <= last:
                continue
            last = number
        body = event.get("response")
        name = read_answer_text(body.get("id")) if isinstance(body, Mapping) else name
        if name and isinstance(number, int):
            yield Seq(name, number)
        piece = _piece(event)
        if isinstance(piece, Final):
            await _drain(events)
        if piece is not None:
            yield piece
        if isinstance(piece, Final):
            return
    raise Failed(Failure("broken_stream", f"{_CUT}.", 200))


async def _drain(events: Any) -> None:  # noqa: ANN401  the library's stream
    """Read to the end of a stream that is over, so that its connection can be used again."""
    with suppress(Exception):  # the answer is whole, whatever comes after it
        async with asyncio.timeout(_PATIENCE):
            async for _ in events:
                pass


def _piece(event: Mapping[str, object]) -> Piece | None:
    """What one event adds; its end carries the whole answer, so nothing is put together here."""
    kind, item, body = event.get("type"), event.get("item"), event.get("response")
    if kind == "error":
        raise Failed(read_failure_response(200, event, {}, time.time()))
    if kind == "response.output_text.delta":
        return Text(read_answer_text(event.get("delta")))
    if kind in _THOUGHTS:
        return Thinking(read_answer_text(event.get("delta")))
    if kind == "response.output_item.done" and isinstance(item, Mapping):
        return Calling(_parse_call(item)) if item.get("type") == "function_call" else None
    return Final(body) if kind in _ENDS and isinstance(body, Mapping) else None
