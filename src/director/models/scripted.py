"""The scripted model: plays a script through the same interface as a real one.

Deterministic: the same history gets the same answer, with the same ids. It calls nothing, costs
nothing, and remembers nothing between requests but where its script is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncGenerator, Mapping, Sequence

from director.models.capabilities import Form, read_capabilities
from director.models.capture import capture_body
from director.models.dialect import (
    Body,
    Failed,
    Final,
    Piece,
    Read,
    list_answer_mappings,
    read_answer_text,
)
from director.models.failures import read_failure_response
from director.models.request_messages import Prepared
from director.models.script_values import (
    Ask,
    Compact,
    Emit,
    Fail,
    Refuse,
    Say,
    ScriptEngine,
    Seen,
    Shown,
    Stop,
    Think,
    Wait,
)
from director.models.timing import Timing
from director.models.values import Calling, Policy, StateRef, Text, Thinking, ToolCall, Usage


class Scripted:
    """A script engine behind the interface of a provider, in the form of the Responses API."""

    form: Form = "responses"

    def __init__(self, brain: ScriptEngine, model: str, timing: Timing) -> None:
        self.can = read_capabilities("scripted", model)
        self._brain = brain
        self._model = model
        self._timing = timing

    def body(self, prepared: Prepared, policy: Policy, state: StateRef | None, key: str) -> Body:
        """The request, always with the whole history."""
        return {
            "model": self._model,
            "input": [*prepared.messages],
            "instructions": prepared.instructions,
            "tools": [
                {"name": one.name, "description": one.description, "parameters": one.parameters}
                for one in prepared.tools
            ],
        }

    async def create(self, body: Body, within: float) -> Mapping[str, object]:
        """What the script says to this request."""
        capture_body(
            json.dumps(body, ensure_ascii=False, separators=(",", ":"), default=str).encode()
        )
        seen = Seen(
            "responses",
            self._model,
            read_answer_text(body.get("instructions")),
            tuple(
                read_answer_text(one.get("name")) for one in list_answer_mappings(body.get("tools"))
            ),
            tuple(
                shown
                for item in list_answer_mappings(body.get("input"))
                for shown in show_scripted_item(item)
            ),
        )
        said = self._brain(seen)
        for emit in said:
            if isinstance(emit, Wait):
                await self._timing.sleep(emit.seconds)
            elif isinstance(emit, Fail):
                error = {"code": emit.code, "message": emit.message}
                raise Failed(read_failure_response(200, error, {}, self._timing.now()))
        return _answer(seen, said, _size(body))

    async def stream(self, body: Body, within: float) -> AsyncGenerator[Piece, None]:
        """The same word by word."""
        answer = await self.create(body, within)
        for item in list_answer_mappings(answer.get("output")):
            for part in list_answer_mappings(item.get("summary")):
                yield Thinking(read_answer_text(part.get("text")))
            for part in list_answer_mappings(item.get("content")):
                for word in read_answer_text(part.get("text")).splitlines(keepends=True):
                    yield Text(word)
            if item.get("type") == "function_call":
                yield Calling(_parse_call(item))
        yield Final(answer)

    def read(self, body: Mapping[str, object], state: StateRef | None) -> Read:
        """What an answer says."""
        items = list_answer_mappings(body.get("output"))
        stop = read_answer_text(body.get("stop"))
        counted = body.get("usage")
        usage = counted if isinstance(counted, Usage) else None
        said = (part for item in items for part in list_answer_mappings(item.get("content")))
        return Read(
            read_answer_text(body.get("id")),
            items,
            "\n".join(read_answer_text(part.get("text") or part.get("refusal")) for part in said),
            tuple(_parse_call(item) for item in items if item.get("type") == "function_call"),
            "incomplete" if stop else "completed",
            stop,
            usage,
            (),
        )

    async def count(self, body: Body, within: float) -> int:
        """The size of a request in the unit of the script: a token for four bytes."""
        return _size(body)

    async def close(self) -> None:
        """Nothing to close."""


def show_scripted_item(item: Mapping[str, object]) -> list[Shown]:
    """An item of the Responses form as a script engine is shown it."""
    kind = read_answer_text(item.get("type")) or "message"
    call = read_answer_text(item.get("call_id"))
    if kind == "message":
        role = {"assistant": "agent", "user": "user"}.get(
            read_answer_text(item.get("role")), "system"
        )
        text, images = _content(item.get("content"))
        shown = Shown("agent", text) if role == "agent" else Shown("user", text, images=images)
        return [Shown("system", text)] if role == "system" else [shown]
    if kind == "function_call":
        return [
            Shown(
                "call",
                read_answer_text(item.get("arguments")),
                read_answer_text(item.get("name")),
                call,
            )
        ]
    if kind == "function_call_output":
        text, images = _content(item.get("output"))
        return [Shown("result", text, call=call, images=images)]
    if kind == "reasoning":
        said = (
            read_answer_text(part.get("text")) for part in list_answer_mappings(item.get("summary"))
        )
        return [Shown("thinking", "\n".join(said))]
    if kind == "compaction":
        return [Shown("compaction", read_answer_text(item.get("encrypted_content")))]
    return [Shown("other", json.dumps(item, default=str))]


def _content(content: object) -> tuple[str, int]:
    if isinstance(content, str):
        return content, 0
    parts = list_answer_mappings(content)
    said = [read_answer_text(part.get("text") or part.get("refusal")) for part in parts]
    images = sum("image" in read_answer_text(part.get("type")) for part in parts)
    return "\n".join(text for text in said if text), images


def _answer(seen: Seen, said: Sequence[Emit], size: int) -> dict[str, object]:
    stem = hashlib.sha256(repr((seen, said)).encode()).hexdigest()
    output: list[dict[str, object]] = []
    stop = ""
    for nth, emit in enumerate(said):
        name = f"{stem[:24]}{nth:02x}"
        if isinstance(emit, Stop):
            stop = emit.reason
        elif not isinstance(emit, Wait | Fail):
            output.append(_item(emit, name))
    written = _size(output)
    thought = sum(_size(item) for item in output if item["type"] == "reasoning")
    usage = Usage(uncached=size, output=written, reasoning=thought)
    return {"id": f"resp_{stem[:32]}", "output": output, "stop": stop, "usage": usage}


def _item(emit: Say | Think | Ask | Refuse | Compact, name: str) -> dict[str, object]:
    if isinstance(emit, Ask):
        named = {"call_id": emit.id or f"call_{name}", "name": emit.tool, "arguments": emit.args}
        return {"type": "function_call", "id": f"fc_{name}", **named}
    if isinstance(emit, Think):
        summary = [{"type": "summary_text", "text": emit.text}]
        return {"type": "reasoning", "id": f"rs_{name}", "summary": summary}
    if isinstance(emit, Compact):
        return {"type": "compaction", "id": f"cmp_{name}", "encrypted_content": emit.text}
    part: dict[str, object] = (
        {"type": "output_text", "text": emit.text, "annotations": []}
        if isinstance(emit, Say)
        else {"type": "refusal", "refusal": emit.text}
    )
    return {"type": "message", "id": f"msg_{name}", "role": "assistant", "content": [part]}


def _parse_call(item: Mapping[str, object]) -> ToolCall:
    return ToolCall(
        read_answer_text(item.get("call_id")),
        read_answer_text(item.get("name")),
        read_answer_text(item.get("arguments")),
    )


def _size(value: object) -> int:
    return (len(json.dumps(value, default=str).encode()) + 3) // 4
