"""Anthropic's Messages API, and servers that speak it.

Blocks come back as they were: thinking is bound to what stands before it, so the server is asked
to drop blocks that a rewritten history made invalid rather than to refuse the request.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING

from director.context.values import UserTurn
from director.context.wire.shape import blocks, word
from director.models import usage
from director.models.anthropic_stream import Arriving, parse_tool_call
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
    list_answer_mappings,
    parse_answer_object,
    parse_stream_event,
    read_answer_number,
    read_answer_text,
)
from director.models.failures import Failure, read_failure_response
from director.models.request_messages import Prepared
from director.models.tool_schemas import write_anthropic_tool
from director.models.values import Policy, StateRef

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_PATH = "/v1/messages?beta=true"
_COUNT = "/v1/messages/count_tokens?beta=true"
_MARK = {"type": "ephemeral"}
_LONGEST = 32_000
_BINDING = "thinking-binding-controls-2026-08-01"
_COMPACTION = "compact-2026-01-12"
_LEAST_COMPACTED = 50_000
_THREADS = "message-threads-2026-08-12"
_EARLY = ("max_tokens", "pause_turn", "refusal", "model_context_window_exceeded", "compaction")


class Anthropic:
    """The Messages API over one client of the `anthropic` library."""

    form: Form = "anthropic"

    def __init__(self, client: AsyncAnthropic, model: str, can: Capabilities) -> None:
        self._client = client
        self._model = model
        self.can = can

    def body(self, prepared: Prepared, policy: Policy, state: StateRef | None, key: str) -> Body:
        """The request; with a state only what is new since then."""
        can = self.can
        marks = policy.cache and can.cache == "explicit"
        messages = prepared.messages[state.covers if state else 0 :]
        sent, passing = _mark_end(prepared, messages) if marks else (list(messages), False)
        betas: list[str] = []
        found: Body = {
            "model": self._model,
            "max_tokens": compute_output_limit(policy, can) or min(can.max_output, _LONGEST),
            "messages": sent,
            "system": _system(prepared, mark=marks),
            "tools": [
                write_anthropic_tool(tool, strict_tools=can.strict_tools) for tool in prepared.tools
            ],
            "service_tier": policy.tier,
            "output_config": {"effort": policy.effort} if policy.effort else None,
        }
        if marks and not passing:
            found["cache_control"] = _MARK
        if can.binding:
            bound = {"prefix_mismatch_behavior": "drop_block"}
            found["thinking"] = {"type": "adaptive", "block_binding": bound}
            betas.append(_BINDING)
        if policy.compact_at and can.server_compaction:
            value = max(policy.compact_at, _LEAST_COMPACTED)
            trigger = {"type": "input_tokens", "value": value}
            edit = {"type": "compact_20260112", "trigger": trigger}
            found["context_management"] = {"edits": [edit]}
        if "context_management" in found or any(map(_is_compacted, messages)):
            betas.append(_COMPACTION)
        if policy.chain == "any" and can.chain != "none" and not policy.compact_at:
            go_on = {"type": "continue", "previous_message_id": state.id} if state else None
            found["thread"] = go_on or {"type": "create"}
            betas.append(_THREADS)
        free = policy.tool_choice == "none" or can.forced_tool_choice
        if policy.tool_choice != "auto" and prepared.tools and free:
            found["tool_choice"] = _choice(policy.tool_choice)
        found["betas"] = betas
        return add_policy_extra(found, policy)

    async def create(self, body: Body, within: float) -> Mapping[str, object]:
        """Send it, and return the answer's JSON."""
        sent, headers = _apart(body)
        asking = ask_plain_json(within, headers=headers)
        return parse_answer_object(await self._client.post(_PATH, body=sent, **asking))

    async def stream(self, body: Body, within: float) -> AsyncGenerator[Piece, None]:
        """Send it and return the answer piece by piece; the last one is a `Final`."""
        from anthropic import AsyncStream

        sent, headers = _apart({**body, "stream": True})
        asking = ask_plain_json(within, AsyncStream[object], headers=headers)
        arriving = Arriving()
        async with await self._client.post(_PATH, body=sent, **asking) as events:
            async for event in events:
                for piece in arriving.add(parse_stream_event(event)):
                    yield piece
        if not arriving.ended:
            what = "the stream ended without its terminal event."
            raise Failed(Failure("broken_stream", what, 200))
        yield Final(arriving.body())

    def read(self, body: Mapping[str, object], state: StateRef | None) -> Read:
        """What an answer says; raises `Failed` if it is a failure."""
        if body.get("type") == "error":
            raise Failed(read_failure_response(200, body, {}, time.time()))
        content = list_answer_mappings(body.get("content"))
        stop = read_answer_text(body.get("stop_reason"))
        counted, warnings = usage.read_anthropic_usage(body)
        said = (block for block in content if block.get("type") == "text")
        spent = body.get("usage")
        tier = spent.get("service_tier") if isinstance(spent, Mapping) else ""
        return Read(
            read_answer_text(body.get("id")),
            ({"role": "assistant", "content": list(content)},) if content else (),
            "\n".join(read_answer_text(block.get("text")) for block in said),
            tuple(parse_tool_call(block) for block in content if block.get("type") == "tool_use"),
            "incomplete" if stop in _EARLY else "completed",
            stop if stop in _EARLY else "",
            counted,
            warnings,
            stored=True,
            tier=read_answer_text(tier),
            parts=usage.list_usage_iterations(body),
        )

    async def count(self, body: Body, within: float) -> int:
        """The size of a request as the provider counts it."""
        known = ("model", "messages", "system", "tools", "tool_choice", "thinking", "betas")
        sent, headers = _apart({name: body[name] for name in known if name in body})
        asking = ask_plain_json(within, headers=headers)
        return read_answer_number(
            parse_answer_object(await self._client.post(_COUNT, body=sent, **asking)),
            "input_tokens",
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _system(prepared: Prepared, *, mark: bool) -> list[object]:
    """The sections as blocks, a cache mark after the last of those that do not change."""
    shown = [section for section in prepared.sections if section.text]
    steady = 0
    while steady < len(shown) and shown[steady].stable:
        steady += 1
    blocks: list[object] = []
    for nth, section in enumerate(shown, 1):
        marked = {"cache_control": _MARK} if mark and nth == steady else {}
        blocks.append({"type": "text", "text": section.text, **marked})
    return blocks


def _apart(body: Body) -> tuple[Body, dict[str, str]]:
    """The body, and the header that names the betas it uses."""
    betas = body.get("betas")
    named = ",".join(betas) if isinstance(betas, list) else ""
    rest = {name: value for name, value in body.items() if name != "betas"}
    return rest, {"anthropic-beta": named} if named else {}


def _remove_cache_marks(message: Mapping[str, object]) -> Mapping[str, object]:
    """The message without cache marks: theirs and ours together may be too many."""
    content = message.get("content")
    if not any("cache_control" in block for block in list_answer_mappings(content)):
        return message
    return {**message, "content": [_bare(block) for block in blocks(content)]}


def _mark_end(
    prepared: Prepared, messages: Sequence[Mapping[str, object]]
) -> tuple[Sequence[Mapping[str, object]], bool]:
    """The messages with a mark ahead of what is passing, and whether something is."""
    sent = [_remove_cache_marks(message) for message in messages]
    passing = len(sent) > 1 and _ends_in_passing(prepared)
    if passing:
        # A cache keeps what ends at a mark, and what is behind it is another next time.
        sent[-2] = _add_cache_mark(sent[-2])
    return sent, passing


def _ends_in_passing(prepared: Prepared) -> bool:
    """Whether the last message is shown with this request only: pinned, behind the history."""
    last = prepared.context.turns[-1] if prepared.context.turns else None
    return isinstance(last, UserTurn) and last.pinned


def _add_cache_mark(message: Mapping[str, object]) -> Mapping[str, object]:
    """The message with a cache mark at its end."""
    content = message.get("content")
    said = [{"type": "text", "text": content}] if isinstance(content, str) else blocks(content)
    *ahead, last = said
    if not isinstance(last, Mapping):
        return message
    return {**message, "content": [*ahead, {**last, "cache_control": _MARK}]}


def _bare(block: object) -> object:
    if not isinstance(block, Mapping):
        return block
    return {name: value for name, value in block.items() if name != "cache_control"}


def _is_compacted(message: Mapping[str, object]) -> bool:
    return any(word(block, "type") == "compaction" for block in blocks(message.get("content")))


def _choice(name: str) -> object:
    kinds = {"none": {"type": "none"}, "required": {"type": "any"}}
    return kinds.get(name, {"type": "tool", "name": name})
