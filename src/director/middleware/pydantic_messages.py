"""Messages of pydantic-ai as blocks that the engine reads, and back again.

A block remembers the part it stands for. What comes back unchanged becomes the very message or
part it was; only a shortened result becomes a new part. Never changes a message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from director.context.wire.shape import look, peek

Block: TypeAlias = dict[str, Any]
# Fields of ours, which travel with a block through the engine and are never sent.
_PART, _MESSAGE = "director_part", "director_message"


def read_pydantic_blocks(message: ModelMessage) -> list[Block]:
    """A message as the engine reads it: system parts by themselves, the rest as one message."""
    if isinstance(message, ModelResponse):
        spoken = [_convert_response_part(part) for part in message.parts]
        return [{"role": "assistant", "content": spoken, _MESSAGE: message}] if spoken else []
    found: list[Block] = [
        {"role": "system", "content": part.content}
        for part in message.parts
        if isinstance(part, SystemPromptPart)
    ]
    heard = [
        block
        for part in message.parts
        if not isinstance(part, SystemPromptPart)
        for block in _convert_request_part(part)
    ]
    # Results come first on the wire that the engine is told.
    heard.sort(key=lambda block: block["type"] != "tool_result")
    if heard:
        found.append({"role": "user", "content": heard, _MESSAGE: message})
    return found


def _convert_response_part(part: Any) -> Block:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.content or " ", _PART: part}
    if isinstance(part, ThinkingPart):
        return {"type": "thinking", "thinking": part.content, _PART: part}
    if isinstance(part, ToolCallPart):
        called: Block = {"type": "tool_use", "id": part.tool_call_id, "name": part.tool_name}
        return {**called, "input": part.args_as_dict(), _PART: part}
    return {"type": "opaque", _PART: part}


def _convert_request_part(part: Any) -> list[Block]:
    if isinstance(part, ToolReturnPart):
        answered: Block = {"type": "tool_result", "tool_use_id": part.tool_call_id, _PART: part}
        failed = {} if part.outcome == "success" else {"is_error": True}
        return [{**answered, "content": part.model_response_str() or " ", **failed}]
    text = peek(part, "content") if isinstance(part, UserPromptPart) else peek(part, "retry")
    if isinstance(text, str):
        return [{"type": "text", "text": text or " ", _PART: part}]
    said = [one if isinstance(one, str) else peek(one, "content") for one in _as_list(text)]
    texts = "\n".join(one for one in said if isinstance(one, str))
    pictures = sum(not isinstance(one, str) for one in said)
    image: Block = {"type": "image", _PART: part}
    return [{"type": "text", "text": texts or " ", _PART: part}, *([image] * pictures)]


def _as_list(content: object) -> Sequence[object]:
    return content if isinstance(content, list | tuple) else ()


def write_pydantic_messages(
    sent: Sequence[Any], given: Sequence[ModelMessage]
) -> list[ModelMessage]:
    """The messages that the engine's answer stands for; system parts stay in front."""
    made: list[ModelMessage] = []
    for block in sent:
        if block.get("role") == "assistant":
            made.append(_response(block))
        elif block.get("role") == "user":
            made.append(_request(block))
    lost = [
        part
        for message in given
        if isinstance(message, ModelRequest) and not any(message is one for one in made)
        for part in message.parts
        if isinstance(part, SystemPromptPart) and not _has(made, part)
    ]
    return [*([ModelRequest(parts=lost)] if lost else []), *made]


def _has(made: Sequence[ModelMessage], part: SystemPromptPart) -> bool:
    return any(part is one for message in made for one in message.parts)


def _response(block: Mapping[str, Any]) -> ModelMessage:
    source = block.get(_MESSAGE)
    if not isinstance(source, ModelResponse):
        return ModelResponse(parts=[TextPart(look(block["content"])[0])])
    parts = [one[_PART] for one in block["content"]]
    if len(parts) == len(source.parts) and all(map(_is, parts, source.parts)):
        return source
    return replace(source, parts=parts)


def _request(block: Mapping[str, Any]) -> ModelMessage:
    source, content = block.get(_MESSAGE), block["content"]
    if not isinstance(source, ModelRequest):
        return ModelRequest(parts=[UserPromptPart(look(content)[0])])
    parts: list[ModelRequestPart] = []
    for one in content:
        part = _part(one)
        if part is not None and not any(part is known for known in parts):
            parts.append(part)
    before = [part for part in source.parts if isinstance(part, SystemPromptPart)]
    order = {id(part): place for place, part in enumerate(source.parts)}
    whole = sorted([*before, *parts], key=lambda part: order.get(id(part), len(order)))
    if len(whole) == len(source.parts) and all(map(_is, whole, source.parts)):
        return source
    return replace(source, parts=whole)


def _part(block: Mapping[str, Any]) -> ModelRequestPart | None:
    part = block.get(_PART)
    if isinstance(part, ToolReturnPart):
        text = look(block["content"])[0]
        same = text == (part.model_response_str() or " ")
        return part if same else replace(part, content=text)
    if part is None:
        return UserPromptPart(look([block])[0])
    found: ModelRequestPart = part
    return found


def _is(one: object, other: object) -> bool:
    return one is other
