"""How the chat API tells what was said: one body, or the same in chunks.

Both are made from one value, so that they cannot differ. Nothing here decides anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from director.models.script_values import Ask, Compact, Emit, Fail, Refuse, Say, Stop, Think
from director.testing.double.exchange import ServerSentEvent
from director.testing.double.request_log.block import count_block_units

Finish: TypeAlias = Literal["stop", "length", "tool_calls", "content_filter"]
ENDS: dict[str, Finish] = {
    "max_tokens": "length",
    "window": "length",
    "content_filter": "content_filter",
    "pause_turn": "stop",
}
PIECE = 16


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """One answer: its text, refusal, thinking and calls, how it ended, and an error if it broke."""

    text: str | None = None
    refusal: str | None = None
    thinking: str = ""
    calls: tuple[Ask, ...] = ()
    finish: Finish = "stop"
    failed: Fail | None = None

    @property
    def reasoning(self) -> int:
        """The tokens of its thinking."""
        return count_block_units(self.thinking)

    @property
    def output(self) -> int:
        """All its tokens, those of its thinking among them."""
        calls = sum(
            count_block_units(call.tool) + count_block_units(call.args) for call in self.calls
        )
        return (
            self.reasoning
            + count_block_units(self.text or "")
            + count_block_units(self.refusal or "")
            + calls
        )


@dataclass(frozen=True, slots=True)
class Head:
    """What every chunk of an answer repeats."""

    id: str
    created: int
    model: str
    fingerprint: str
    tier: str


def build_chat_answer(emits: Sequence[Emit], ids: Iterator[str]) -> ChatAnswer:
    """What a script engine's emits come to in a chat; messages after the first begin a new line."""
    made = ChatAnswer()
    for emit in emits:
        match emit:
            case Say(text) | Compact(text):
                made = replace(made, text=text if made.text is None else f"{made.text}\n{text}")
            case Refuse(text):
                made = replace(made, refusal=(made.refusal or "") + text)
            case Think(text):
                made = replace(made, thinking=made.thinking + text)
            case Ask():
                call = emit if emit.id else replace(emit, id=next(ids))
                made = replace(made, calls=(*made.calls, call), finish="tool_calls")
            case Stop(reason):
                return replace(made, finish=ENDS[reason])
            case Fail():
                return replace(made, failed=emit)
            case _:
                pass
    return made


def cut_chat_answer(whole: ChatAnswer, limit: int) -> ChatAnswer:
    """As much of an answer as fits into so many tokens; what is cut ends for its length."""
    if whole.output <= limit:
        return whole
    left = limit - whole.reasoning
    if left <= 0:
        return ChatAnswer(thinking=_cut_text(whole.thinking, limit), finish="length")
    made = replace(whole, text=None, refusal=None, calls=(), finish="length")
    if whole.text is not None:
        made = replace(made, text=_cut_text(whole.text, left))
    if whole.refusal is not None:
        made = replace(made, refusal=_cut_text(whole.refusal, limit - made.output))
    for call in whole.calls:
        left = limit - made.output - count_block_units(call.tool)
        if left <= 0:
            break
        made = replace(made, calls=(*made.calls, replace(call, args=_cut_text(call.args, left))))
    return made


def _cut_text(text: str, tokens: int) -> str:
    return text.encode("utf-8", "surrogatepass")[: max(tokens, 0) * 4].decode("utf-8", "ignore")


def make_chat_completion(
    head: Head, answer: ChatAnswer, usage: Mapping[str, object], *, local: bool
) -> dict[str, object]:
    """An answer as one body; only local servers show their thinking."""
    message: dict[str, object] = {"role": "assistant", "content": answer.text}
    if not local:
        message |= {"refusal": answer.refusal, "annotations": []}
    elif answer.refusal is not None:
        message["content"] = (answer.text or "") + answer.refusal
    if local and answer.thinking:
        message["reasoning_content"] = answer.thinking
    if answer.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": _function(call.tool, call.args)}
            for call in answer.calls
        ]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": answer.finish}
    return {**_common(head, "chat.completion"), "choices": [choice], "usage": dict(usage)}


def make_chat_chunks(
    head: Head, answer: ChatAnswer, usage: Mapping[str, object] | None, *, local: bool
) -> tuple[ServerSentEvent, ...]:
    """An answer as a stream; its usage comes last and only when it is given."""
    common = _common(head, "chat.completion.chunk")
    if usage is not None:
        common["usage"] = None
    made = [
        ServerSentEvent("", {**common, "choices": [_choice(delta)]})
        for delta in _deltas(answer, local=local)
    ]
    if answer.failed is not None:
        return (*made, ServerSentEvent("", {"error": make_chat_failure(answer.failed)}))
    made.append(ServerSentEvent("", {**common, "choices": [_choice({}, answer.finish)]}))
    if usage is not None:
        made.append(ServerSentEvent("", {**common, "choices": [], "usage": dict(usage)}))
    return (*made, ServerSentEvent("", "[DONE]"))


def make_chat_failure(fail: Fail) -> dict[str, object]:
    """The error of a script engine that failed."""
    return {"message": fail.message, "type": "server_error", "param": None, "code": fail.code}


def _common(head: Head, kind: str) -> dict[str, object]:
    return {
        "id": head.id,
        "object": kind,
        "created": head.created,
        "model": head.model,
        "service_tier": head.tier,
        "system_fingerprint": head.fingerprint,
    }


def _choice(delta: Mapping[str, object], finish: Finish | None = None) -> dict[str, object]:
    return {"index": 0, "delta": dict(delta), "logprobs": None, "finish_reason": finish}


def _function(name: str, arguments: str) -> dict[str, str]:
    return {"name": name, "arguments": arguments}


def _deltas(answer: ChatAnswer, *, local: bool) -> Iterator[Mapping[str, object]]:
    refusal: dict[str, object] = {} if local else {"refusal": None}
    speaks = answer.text is not None or not answer.calls
    yield {"role": "assistant", "content": "" if speaks else None} | refusal
    if local:
        yield from ({"reasoning_content": piece} for piece in _pieces(answer.thinking))
    yield from ({"content": piece} for piece in _pieces(answer.text or ""))
    name = "content" if local else "refusal"
    yield from ({name: piece} for piece in _pieces(answer.refusal or ""))
    for index, call in enumerate(answer.calls):
        first = {"index": index, "id": call.id, "type": "function"}
        yield {"tool_calls": [{**first, "function": _function(call.tool, "")}]}
        for piece in _pieces(call.args):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]
