"""An answer of Anthropic's as its events come in: blocks are begun, grown and ended.

The library's own gathering fails on what a provider should not send but may; here it is either
an answer that is whole, or a failure that can be tried again. Unknown events change nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from director.models.dialect import Failed, Seq, read_answer_text
from director.models.failures import Failure
from director.models.values import Calling, Text, Thinking, ToolCall

_GROWS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "compaction_delta": "content",
}


class Arriving:
    """One answer on its way; `ended` says that nothing of it is missing."""

    def __init__(self) -> None:
        self._message: dict[str, object] = {}
        self._blocks: dict[int, dict[str, object]] = {}
        self._inputs: dict[int, list[str]] = {}
        self._grown: dict[tuple[int, str], list[str]] = {}
        self.ended = False

    def add(self, event: Mapping[str, object]) -> list[Text | Thinking | Calling | Seq]:
        """Take in an event; what it tells."""
        kind = read_answer_text(event.get("type"))
        if kind == "message_start":
            self._message = dict(_mapping(event.get("message")))
            return [Seq(read_answer_text(self._message.get("id")), None)]
        if kind == "content_block_start":
            self._blocks[_index(event)] = dict(_mapping(event.get("content_block")))
        elif kind == "content_block_delta":
            return self._grow(_index(event), _mapping(event.get("delta")))
        elif kind == "content_block_stop":
            return self._end(_index(event))
        elif kind == "message_delta":
            self._conclude(event)
        self.ended = self.ended or kind == "message_stop"
        return []

    def body(self) -> dict[str, object]:
        """The answer as it would have come in one piece."""
        for (index, name), pieces in self._grown.items():
            block = self._blocks[index]
            block[name] = read_answer_text(block.get(name)) + "".join(pieces)
        self._grown.clear()
        return {**self._message, "content": list(self._blocks.values())}

    def _grow(
        self, index: int, delta: Mapping[str, object]
    ) -> list[Text | Thinking | Calling | Seq]:
        block = self._block(index)
        kind = read_answer_text(delta.get("type"))
        if kind == "input_json_delta":
            self._inputs.setdefault(index, []).append(read_answer_text(delta.get("partial_json")))
        elif kind == "citations_delta":
            if not isinstance(block.get("citations"), list):
                block["citations"] = []
            cast("list[object]", block["citations"]).append(delta.get("citation"))
        elif kind in _GROWS:
            name = _GROWS[kind]
            self._grown.setdefault((index, name), []).append(read_answer_text(delta.get(name)))
        if kind == "thinking_delta":
            return [Thinking(read_answer_text(delta.get("thinking")))]
        return [Text(read_answer_text(delta.get("text")))] if kind == "text_delta" else []

    def _end(self, index: int) -> list[Text | Thinking | Calling | Seq]:
        block = self._block(index)
        written = "".join(self._inputs.pop(index, ()))
        if written:
            try:
                block["input"] = json.loads(written)
            except (ValueError, RecursionError) as error:
                what = f"the arguments of a call are no JSON ({error})."
                raise Failed(Failure("broken_stream", what, 200)) from error
        return [Calling(parse_tool_call(block))] if block.get("type") == "tool_use" else []

    def _block(self, index: int) -> dict[str, object]:
        if index not in self._blocks:
            what = "the stream tells of a block that it never began."
            raise Failed(Failure("broken_stream", what, 200))
        return self._blocks[index]

    def _conclude(self, event: Mapping[str, object]) -> None:
        before, now = _mapping(self._message.get("usage")), _mapping(event.get("usage"))
        told = {name: value for name, value in now.items() if value is not None}
        if before or told:
            self._message["usage"] = {**before, **told}
        more = {name: event[name] for name in ("context_management",) if event.get(name)}
        self._message.update({**_mapping(event.get("delta")), **more})


def _index(event: Mapping[str, object]) -> int:
    found = event.get("index")
    if not isinstance(found, int):
        raise Failed(Failure("malformed", "a block of the stream has no number.", 200))
    return found


def parse_tool_call(block: Mapping[str, object]) -> ToolCall:
    """The call that a block is."""
    args = json.dumps(block.get("input") or {}, ensure_ascii=False)
    return ToolCall(read_answer_text(block.get("id")), read_answer_text(block.get("name")), args)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
