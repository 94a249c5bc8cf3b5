"""Messages with blocks, as Anthropic's, read as those of Chat Completions; times of entries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from director.audit.recorded_texts import Message

_PICTURE = 4 * 1_600  # characters that stand for a picture: about 1,600 tokens


def read_blocks(told: Mapping[str, Any], role: str) -> list[Message]:
    """The messages in one of blocks: each result is one of its own, before what is said beside it.

    Thinking is left out: it is not sent again after its turn.
    """
    content = told.get("content")
    if isinstance(content, str):
        return [{"role": role, "content": content}]
    blocks = [block for block in content or () if isinstance(block, Mapping)]
    said = "\n".join(
        str(block.get("text") or "") for block in blocks if block.get("type") == "text"
    )
    results: list[Message] = [
        {
            "role": "tool",
            "tool_call_id": str(block.get("tool_use_id")),
            "content": read_result(block.get("content")),
        }
        for block in blocks
        if block.get("type") == "tool_result"
    ]
    calls = [
        {
            "id": str(block.get("id")),
            "type": "function",
            "function": {
                "name": str(block.get("name")),
                "arguments": json.dumps(block.get("input") or {}, ensure_ascii=False),
            },
        }
        for block in blocks
        if block.get("type") == "tool_use"
    ]
    message: Message = {"role": role, "content": said}
    if calls:
        message["tool_calls"] = calls
    return [*results, message] if said or calls else results


def read_result(content: object) -> str:
    """The text of a result; a picture counts by a stand-in of about its size."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "\n".join(
        str(part.get("text") or "")
        if isinstance(part, Mapping) and "text" in part
        else "[picture]".ljust(_PICTURE)
        if isinstance(part, Mapping) and "image" in str(part.get("type"))
        else json.dumps(part, ensure_ascii=False, default=str)
        for part in parts
        if part is not None
    )


def read_time(text: object) -> float:
    """Seconds since the epoch of a time in ISO 8601, or 0 where there is none."""
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return 0.0
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
