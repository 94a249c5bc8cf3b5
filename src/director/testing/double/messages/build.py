"""From what a script engine says to the body of an answer: blocks, stop reason, usage.

A real answer always holds an object as a tool's input; arguments that are none are sent as
{"INVALID_JSON": the text}. Nothing here knows a socket or an event.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from director.models.script_values import (
    Ask,
    Compact,
    Emit,
    Fail,
    Refuse,
    Say,
    ScriptError,
    Stop,
    Think,
    Wait,
)
from director.testing.double import refusals
from director.testing.double.exchange import Refusal
from director.testing.double.messages.checks import BINDING, COMPACTING
from director.testing.double.messages.read import (
    CheckedMessagesRequest,
    Json,
    Prompt,
    read_block_words,
    read_number,
)
from director.testing.double.messages.server_compaction import TEXTS as CODES
from director.testing.double.messages.server_compaction import (
    find_passing_compaction,
    refuse_compaction,
)
from director.testing.double.messages.thinking import (
    find_last_thinking_seal,
    find_thinking_end,
    sign_thinking,
    verify_thinking,
)
from director.testing.double.request_log.block import count_block_units
from director.testing.double.request_log.usage_log import Booked
from director.testing.double.shapes import as_list
from director.testing.double.world import World

STOPS = {
    "max_tokens": "max_tokens",
    "pause_turn": "pause_turn",
    "content_filter": "refusal",
    "window": "model_context_window_exceeded",
}
STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "conflict_error": 409,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
INVALID = "INVALID_JSON"
Sort: TypeAlias = Literal["message", "compaction"]


@dataclass(slots=True)
class DraftMessage:
    """An answer in the making: its blocks, why it stopped, and what it failed with."""

    content: list[Json] = field(default_factory=list)
    stop: str = "end_turn"
    sequence: str | None = None
    failure: Fail | None = None

    @property
    def output(self) -> int:
        """The tokens of all that was said."""
        return sum(map(count_message_output, self.content))

    @property
    def reasoning(self) -> int:
        """The tokens of what was thought."""
        return sum(
            count_message_output(block) for block in self.content if block["type"] == "thinking"
        )


@dataclass(frozen=True, slots=True)
class Iteration:
    """One sampling within a request, as it was booked."""

    sort: Sort
    line: Booked


def count_message_output(block: Json) -> int:
    """The output tokens of a block."""
    name = str(block.get("name", "")) if block.get("type") == "tool_use" else ""
    return count_block_units(name + read_block_words(block))


def build_message_failure(failure: Fail) -> Refusal:
    """The refusal that a script engine's failure is."""
    if failure.code in CODES:
        return refuse_compaction(failure.code)
    status = STATUSES.get(failure.code, 500)
    kind = failure.code if failure.code in STATUSES else "api_error"
    code = "" if kind == failure.code else failure.code
    return refusals.write_anthropic_refusal(
        "brain", failure.message, status=status, kind=kind, error_code=code, defect=False
    )


@dataclass(slots=True)
class Builder:
    """Makes the blocks of one answer to one prompt."""

    world: World
    call: CheckedMessagesRequest
    prompt: Prompt
    prefix: str = ""
    previous: str = ""
    reply: DraftMessage = field(default_factory=DraftMessage)

    def say(self, emits: Iterable[Emit], room: int) -> DraftMessage:
        """All that a script engine says, as one answer with so much room left in the window."""
        for emit in emits:
            _make(self, emit)
            if self.reply.failure:
                break
        if self.reply.stop == "end_turn" and any(
            block["type"] == "tool_use" for block in self.reply.content
        ):
            self.reply.stop = "tool_use"
        _stop_at_words(self.reply, self.call)
        _fit(self.reply, room, STOPS["window"])
        _fit(self.reply, read_number(self.call.body.get("max_tokens"), 0), STOPS["max_tokens"])
        return self.reply

    def text(self, text: str) -> None:
        """Add a block of text, unless there is none."""
        if text:
            self.reply.content.append({"type": "text", "text": text})

    def add_thought(self, text: str) -> None:
        """Add a signed thought."""
        if not self.prefix:
            self.prefix = find_thinking_end(self.prompt).lines[0]
            self.previous = find_last_thinking_seal(self.prompt)
        shown = "" if self.call.thinking.get("display") == "omitted" else text
        signature = sign_thinking(self.call.model, self.prefix, self.previous, shown)
        block = {"type": "thinking", "thinking": shown, "signature": signature}
        self.reply.content.append(block)
        signed = verify_thinking(block)
        self.previous = signed.seal if signed else self.previous

    def ask(self, ask: Ask) -> None:
        """Add a call of a tool."""
        block = {
            "type": "tool_use",
            "id": ask.id or self.world.ids.anthropic("toolu"),
            "name": ask.tool,
            "input": _arguments(ask.args),
        }
        self.reply.content.append(block)

    def compact(self, text: str) -> None:
        """Add a compaction that the script engine itself chose to make."""
        if COMPACTING not in self.call.betas:
            raise ScriptError(f"A compaction was scripted for a request without {COMPACTING}.")
        self.reply.content.append(find_passing_compaction(text))


def _refuse(builder: Builder, text: str) -> None:
    builder.text(text)
    builder.reply.stop = "refusal"


def _make(builder: Builder, emit: Emit) -> None:
    if isinstance(emit, Stop):
        builder.reply.stop = STOPS[emit.reason]
    elif isinstance(emit, Wait):
        builder.world.clock.advance(emit.seconds)
    elif isinstance(emit, Fail):
        builder.reply.failure = emit
    elif isinstance(emit, Ask):
        builder.ask(emit)
    else:
        WORDS[type(emit)](builder, emit.text)


WORDS: dict[type, Callable[[Builder, str], None]] = {
    Say: Builder.text,
    Think: Builder.add_thought,
    Compact: Builder.compact,
    Refuse: _refuse,
}


def _arguments(text: str) -> Json:
    try:
        given: object = json.loads(text)
    except ValueError:
        given = None
    return given if isinstance(given, dict) else {INVALID: text}


def _stop_at_words(reply: DraftMessage, call: CheckedMessagesRequest) -> None:
    """End the answer before the first of the texts at which it is to stop."""
    words_ = [str(word) for word in as_list(call.body.get("stop_sequences"))]
    for at, block in enumerate(reply.content):
        text = str(block.get("text", ""))
        found = [(text.index(word), word) for word in words_ if word in text]
        if found:
            where, reply.sequence = min(found)
            rest = [{**block, "text": text[:where]}] if where else []
            reply.content[at:] = rest
            reply.stop = "stop_sequence"
            return


def _fit(reply: DraftMessage, room: int, stop: str) -> None:
    """End the answer where the tokens that it may have end, for that reason."""
    for at, block in enumerate(reply.content):
        cost = count_message_output(block)
        if cost > room:
            text = str(block.get("text", "")).encode()[: room * 4].decode("utf-8", "ignore")
            rest = [{**block, "text": text}] if text else []
            reply.content[at:] = rest
            reply.stop, reply.sequence, reply.failure = stop, None, None
            return
        room -= cost


def _counts(line: Booked | None) -> dict[str, object]:
    writes = line.writes if line else {}
    return {
        "input_tokens": line.uncached if line else 0,
        "cache_creation_input_tokens": sum(writes.values()),
        "cache_read_input_tokens": line.read if line else 0,
        "cache_creation": {
            "ephemeral_5m_input_tokens": writes.get("5m", 0),
            "ephemeral_1h_input_tokens": writes.get("1h", 0),
        },
        "output_tokens": line.output if line else 0,
    }


def build_message_usage(iterations: Sequence[Iteration]) -> dict[str, object]:
    """The usage of a request: its fields tell of the last message only, not of a compaction."""
    message = next((each.line for each in reversed(iterations) if each.sort == "message"), None)
    made = {
        **_counts(message),
        "output_tokens_details": {"thinking_tokens": message.reasoning if message else 0},
        "service_tier": "standard",
    }
    if any(each.sort == "compaction" for each in iterations):
        made["iterations"] = [{"type": each.sort, **_counts(each.line)} for each in iterations]
    return made


@dataclass(frozen=True, slots=True)
class Extras:
    """What the server did to the prompt and tells of in the answer."""

    applied: tuple[Json, ...] = ()
    dropped: tuple[Json, ...] = ()


def build_message_body(
    world: World,
    call: CheckedMessagesRequest,
    reply: DraftMessage,
    iterations: Sequence[Iteration],
    extras: Extras,
) -> dict[str, object]:
    """The answer as a message."""
    refused = reply.stop == "refusal"
    made: dict[str, object] = {
        "id": world.ids.anthropic("msg"),
        "type": "message",
        "role": "assistant",
        "model": call.model,
        "content": list(reply.content),
        "stop_reason": reply.stop,
        "stop_sequence": reply.sequence,
        "stop_details": {"type": "refusal", "category": None, "explanation": None}
        if refused
        else None,
        "usage": build_message_usage(iterations),
    }
    if call.body.get("context_management") is not None:
        made["context_management"] = {"applied_edits": list(extras.applied)}
    if BINDING in call.betas:
        made["input_transformations"] = list(extras.dropped)
    return made


def build_message_summary(emits: Iterable[Emit]) -> str:
    """The summary in what a script engine says when it is asked for one."""
    said = list(emits)
    for emit in said:
        if isinstance(emit, Fail):
            raise build_message_failure(emit)
    texts = [emit.text for emit in said if isinstance(emit, Compact)]
    return "\n".join(texts or [emit.text for emit in said if isinstance(emit, Say)])
