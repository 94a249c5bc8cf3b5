"""A chat request as its model sees it: blocks for the books, and what the script engine is shown.

A tool is counted as its JSON, a message as its role, text and calls. An image counts as a line
with its digest: its size in tokens is no vendor's. Nothing here refuses anything.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence

from director.models.script_values import Seen, Shown
from director.testing.double.chat.checks import CheckedChatRequest
from director.testing.double.request_log.block import CacheBlock
from director.testing.double.shapes import as_list, as_mapping

LEADS = ("system", "developer")


def render_chat_blocks(wanted: CheckedChatRequest) -> tuple[CacheBlock, ...]:
    """The rendered context in the order in which a cache sees it: tools, instructions, the rest."""
    tools = [CacheBlock("tools", _json(tool)) for tool in wanted.tools]
    lead = _leading(wanted.messages)
    instructions = [
        CacheBlock("instructions", _render_message(each)) for each in wanted.messages[:lead]
    ]
    answered = [place for place, each in enumerate(wanted.messages) if each["role"] == "assistant"]
    fresh = answered[-1] + 1 if answered else lead
    rest = [
        CacheBlock("new" if place >= fresh else "history", _render_message(each))
        for place, each in enumerate(wanted.messages)
        if place >= lead
    ]
    return (*tools, *instructions, *rest)


def render_seen_chat(wanted: CheckedChatRequest, run: str) -> Seen:
    """What the script engine is shown: only what this request carries."""
    lead = _leading(wanted.messages)
    names = (as_mapping(tool.get("function") or tool.get("custom")) for tool in wanted.tools)
    return Seen(
        form="chat",
        model=wanted.model,
        instructions="\n\n".join(_text(each.get("content")) for each in wanted.messages[:lead]),
        tools=tuple(str(named.get("name", "")) for named in names),
        items=tuple(_items(wanted.messages[lead:])),
        run=run,
    )


def _leading(messages: Sequence[Mapping[str, object]]) -> int:
    places = (place for place, each in enumerate(messages) if each["role"] not in LEADS)
    return next(places, len(messages))


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = [as_mapping(part) for part in as_list(content)]
    texts = (part.get("text") or part.get("refusal") for part in parts)
    return "\n".join(str(text) for text in texts if text)


def _images(content: object) -> list[str]:
    parts = [as_mapping(part) for part in as_list(content)]
    return [_json(part["image_url"]) for part in parts if "image_url" in part]


def _functions(message: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    """The id, name and arguments of each call that a message makes."""
    for call in map(as_mapping, as_list(message.get("tool_calls"))):
        made = as_mapping(call.get("function") or call.get("custom"))
        arguments = made.get("arguments", made.get("input", ""))
        yield str(call.get("id", "")), str(made.get("name", "")), str(arguments)


def _render_message(message: Mapping[str, object]) -> str:
    lines = [str(message["role"]), _text(message.get("content")), str(message.get("refusal") or "")]
    lines.append(str(message.get("reasoning_content") or ""))
    lines.append(str(message.get("tool_call_id") or ""))
    lines += (" ".join(call) for call in _functions(message))
    for image in _images(message.get("content")):
        lines.append(f"image {hashlib.sha256(image.encode()).hexdigest()[:16]}")
    return "\n".join(line for line in lines if line)


def _items(messages: Sequence[Mapping[str, object]]) -> Iterator[Shown]:
    tools: dict[str, str] = {}
    for message in messages:
        role, text = message["role"], _text(message.get("content"))
        if role == "assistant":
            yield from _agent(message, text)
            tools |= {call: name for call, name, _ in _functions(message)}
        elif role == "tool":
            call = str(message.get("tool_call_id", ""))
            yield Shown("result", text, tools.get(call, ""), call)
        else:
            images = len(_images(message.get("content")))
            yield Shown("user" if role == "user" else "system", text, images=images)


def _agent(message: Mapping[str, object], text: str) -> Iterator[Shown]:
    thinking = message.get("reasoning_content")
    if thinking:
        yield Shown("thinking", str(thinking))
    spoken = text or str(message.get("refusal") or "")
    if spoken:
        yield Shown("agent", spoken)
    for call, name, arguments in _functions(message):
        yield Shown("call", arguments, name, call)
