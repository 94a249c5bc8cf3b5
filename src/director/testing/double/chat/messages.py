"""The messages of a chat request: their shape, and that every call has its answer and no other.

It refuses with the vendor's words; it repairs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from director.testing.double import refusals
from director.testing.double.exchange import Refusal
from director.testing.double.field_types import (
    CHAT,
    NAMES,
    FieldRule,
    check_field,
    expect_field_type,
    refuse_missing_field,
    refuse_unknown_field,
)
from director.testing.double.shapes import as_list, as_mapping

ROLES = ("system", "assistant", "user", "tool", "developer")
PARTS = ("text", "image_url", "input_audio", "refusal", "file")
KEYS = frozenset(
    "role content name refusal audio function_call tool_calls tool_call_id annotations".split()
)
SPEAKS = ("tool_calls", "function_call", "refusal", "audio")


def check_chat_messages(
    messages: Sequence[object], *, strict: bool
) -> tuple[Mapping[str, object], ...]:
    """The messages, if each has the shape of its role."""
    made = []
    for place, message in enumerate(messages):
        where = f"messages[{place}]"
        expect_field_type(where, message, (dict,), CHAT)
        found = as_mapping(message)
        if "role" not in found:
            raise refuse_missing_field("chat.required", f"{where}.role")
        check_field(f"{where}.role", found["role"], FieldRule((str,), values=ROLES), CHAT)
        if strict:
            _check_keys(found, where)
        _check_content(found.get("content"), where)
        _check_calls(found, where)
        if found["role"] == "tool" and not found.get("tool_call_id"):
            raise refuse_missing_field("chat.required", f"{where}.tool_call_id")
        made.append(found)
    return tuple(made)


def check_chat_message(messages: Sequence[Mapping[str, object]]) -> None:
    """Refuse a message without content, but for an assistant's that says something otherwise."""
    for place, message in enumerate(messages):
        speaks = message["role"] == "assistant" and any(message.get(key) for key in SPEAKS)
        if message.get("content") is None and not speaks:
            raise refusals.write_openai_refusal(
                "C4",
                "Invalid value for 'content': expected a string, got null.",
                param=f"messages.[{place}].content",
            )


def check_chat_message_pairs(messages: Sequence[Mapping[str, object]]) -> None:
    """Refuse a call without an answer right after it, and an answer without a call before it."""
    place = 0
    while place < len(messages):
        asked = [
            str(as_mapping(call).get("id")) for call in as_list(messages[place].get("tool_calls"))
        ]
        after = place + 1
        while after < len(messages) and messages[after]["role"] == "tool":
            after += 1
        answers = [str(message["tool_call_id"]) for message in messages[place + 1 : after]]
        if messages[place]["role"] == "tool":
            raise _orphan(place)
        silent = [call for call in asked if call not in answers]
        if silent:
            raise _refuse_unanswered(silent, after if after < len(messages) else None)
        for number, answer in enumerate(answers):
            if answer not in asked or answer in answers[:number]:
                raise _orphan(place + 1 + number)
        place = after


def _orphan(place: int) -> Refusal:
    return refusals.write_openai_refusal(
        "C1",
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message"
        " with 'tool_calls'.",
        param=f"messages.[{place}].role",
    )


def _refuse_unanswered(calls: Sequence[str], place: int | None) -> Refusal:
    return refusals.write_openai_refusal(
        "C2",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to"
        " each 'tool_call_id'. The following tool_call_ids did not have response messages:"
        f" {', '.join(calls)}",
        param="messages" if place is None else f"messages.[{place}].role",
    )


def _check_keys(message: Mapping[str, object], where: str) -> None:
    for key in message:
        if key not in KEYS:
            raise refuse_unknown_field(f"{where}.{key}", CHAT)


def _check_content(content: object, where: str) -> None:
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list):
        raise refusals.write_openai_refusal(
            "chat.type",
            f"Invalid type for '{where}.content': expected one of a string or array of objects,"
            f" but got {NAMES[type(content)]} instead.",
            param=f"{where}.content",
            code="invalid_type",
        )
    for place, part in enumerate(content):
        inside = f"{where}.content[{place}]"
        expect_field_type(inside, part, (dict,), CHAT)
        found = as_mapping(part)
        if "type" not in found:
            raise refuse_missing_field("chat.required", f"{inside}.type")
        check_field(f"{inside}.type", found["type"], FieldRule((str,), values=PARTS), CHAT)
        if str(found["type"]) not in found:
            raise refuse_missing_field("chat.required", f"{inside}.{found['type']}")


def _check_calls(message: Mapping[str, object], where: str) -> None:
    check_field(f"{where}.tool_calls", message.get("tool_calls"), FieldRule((list,), low=1), CHAT)
    for place, call in enumerate(as_list(message.get("tool_calls"))):
        inside = f"{where}.tool_calls[{place}]"
        expect_field_type(inside, call, (dict,), CHAT)
        found = as_mapping(call)
        for key in ("id", "type", "function"):
            if key not in found:
                raise refuse_missing_field("chat.required", f"{inside}.{key}")
        function = as_mapping(found["function"])
        for key in ("name", "arguments"):
            if key not in function:
                raise refuse_missing_field("chat.required", f"{inside}.function.{key}")
            expect_field_type(f"{inside}.function.{key}", function[key], (str,), CHAT)
