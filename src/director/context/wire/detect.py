"""Which wire a history is written for, told by the shape of its messages alone."""

from __future__ import annotations

from collections.abc import Sequence

from director.context.wire.parse_events import Wire
from director.context.wire.shape import blocks, is_langchain, is_message, peek, present, word

_RESPONSES = frozenset({"input_text", "output_text", "input_image", "input_file"})
_CHAT = frozenset({"image_url", "input_audio", "file", "refusal"})
_ANTHROPIC = frozenset(
    {
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "image",
        "document",
        "search_result",
        "server_tool_use",
        "compaction",
    }
)


def detect(messages: Sequence[object]) -> Wire:
    """The wire of the first message that only one wire can have written, otherwise chat."""
    return find_certain_wire(messages) or "chat"


def find_certain_wire(messages: Sequence[object]) -> Wire | None:
    """The wire of the first message that only one wire can have written, None if there is none."""
    found = (_shape(message) for message in messages if is_message(message))
    return next((wire for wire in found if wire is not None), None)


def _shape(message: object) -> Wire | None:
    if is_langchain(message):
        return "langchain"
    role, kind = word(message, "role"), word(message, "type")
    if kind and (kind == "message" or not role):
        # A response of Anthropic's library is a message too, and has a list of typed blocks.
        return _by_blocks(message) or "responses"
    if role in ("tool", "function"):
        return "chat"
    if present(peek(message, "tool_calls")) or present(peek(message, "function_call")):
        return "chat"
    return _by_blocks(message)


def _by_blocks(message: object) -> Wire | None:
    for block in blocks(peek(message, "content")):
        kind = word(block, "type")
        if kind in _RESPONSES:
            return "responses"
        if kind in _CHAT:
            return "chat"
        if kind in _ANTHROPIC:
            return "anthropic"
    return None
