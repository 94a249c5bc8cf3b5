"""The events of a streamed message, in the order in which the vendor sends them.

Made from the finished body, so a stream says exactly what the plain answer says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from director.models.script_values import Fail
from director.testing.double.exchange import ServerSentEvent
from director.testing.double.messages.build import build_message_failure
from director.testing.double.messages.read import Json
from director.testing.double.shapes import as_list, as_mapping

CHUNK = 24
DELTA_USAGE = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
    "output_tokens_details",
    "iterations",
)


def stream_message_events(body: Json, failure: Fail | None = None) -> tuple[ServerSentEvent, ...]:
    """All events of a message; one that fails on its way ends with the error instead."""
    return tuple(_events(body, failure))


def _event(kind: str, **fields: object) -> ServerSentEvent:
    return ServerSentEvent(kind, {"type": kind, **fields})


def _events(body: Json, failure: Fail | None) -> Iterator[ServerSentEvent]:
    usage = as_mapping(body["usage"])
    begun = {key: value for key, value in usage.items() if key != "iterations"}
    begun |= {"output_tokens": 1, "output_tokens_details": {"thinking_tokens": 0}}
    opening = {key: value for key, value in body.items() if key != "context_management"}
    opening |= {"content": [], "stop_reason": None, "stop_sequence": None, "stop_details": None}
    yield _event("message_start", message={**opening, "usage": begun})
    blocks = [as_mapping(block) for block in as_list(body["content"])]
    if not blocks:
        yield _event("ping")
    for index, block in enumerate(blocks):
        yield _event("content_block_start", index=index, content_block=_empty(block))
        if index == 0:
            yield _event("ping")
        for delta in _deltas(block):
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    if failure is not None:
        yield ServerSentEvent("error", build_message_failure(failure).answer.body)
        return
    yield _end(body, usage)
    yield _event("message_stop")


def _end(body: Json, usage: Json) -> ServerSentEvent:
    ending = {name: body[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
    counts = {name: usage[name] for name in DELTA_USAGE if name in usage}
    managed = {name: body[name] for name in ("context_management",) if name in body}
    return _event("message_delta", delta=ending, usage=counts, **managed)


def _empty(block: Json) -> Json:
    """A block as it begins: all of it that no delta will bring."""
    blanks: dict[str, object] = {
        "text": "",
        "thinking": "",
        "input": {},
        "content": None,
        "encrypted_content": None,
    }
    if block["type"] == "thinking":
        blanks["signature"] = ""
    return {key: blanks.get(key, value) if key != "type" else value for key, value in block.items()}


def _chunks(text: str) -> list[str]:
    return [text[at : at + CHUNK] for at in range(0, len(text), CHUNK)]


def _deltas(block: Json) -> Iterator[Json]:
    kind = block["type"]
    if kind == "text":
        for chunk in _chunks(str(block["text"])):
            yield {"type": "text_delta", "text": chunk}
    elif kind == "thinking":
        for chunk in _chunks(str(block["thinking"])):
            yield {"type": "thinking_delta", "thinking": chunk}
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif kind == "tool_use":
        yield {"type": "input_json_delta", "partial_json": ""}
        for chunk in _chunks(json.dumps(block["input"], ensure_ascii=False)):
            yield {"type": "input_json_delta", "partial_json": chunk}
    elif kind == "compaction":
        hidden = block.get("encrypted_content")
        yield {
            "type": "compaction_delta",
            "content": block["content"],
            "encrypted_content": hidden,
        }
