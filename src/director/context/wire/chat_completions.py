"""Chat Completions: one message per model response, one tool message per result.

Reads and writes single messages; pairing is the parser's work. Never changes a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from director.context.values import AgentTurn, Call
from director.context.wire.parse_events import Answer, Edit, Event, Flaw, Heard, Spoke, Use
from director.context.wire.shape import (
    alter,
    blocks,
    ident,
    is_message,
    look,
    peek,
    present,
    retext,
    word,
)

Recalled: TypeAlias = Callable[[object, Call], object]
THOUGHTS = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
EMPTY = Flaw("empty_message", "", "The empty message was dropped.")


def read(message: object) -> Iterator[Event]:
    """What is in a message."""
    role = word(message, "role")
    text, images = look(peek(message, "content"))
    if role == "assistant":
        yield _assistant(message, text)
    elif role == "tool":
        yield Answer(ident(message, "tool_call_id"), message, text, images)
    elif role == "function":
        yield Answer(legacy_id(word(message, "name")), message, text, images)
    elif role in ("system", "developer"):
        yield Heard("chat", message, text, images, "system")
    else:
        yield Heard("chat", message, text, images, "user" if role == "user" else "other")


def _assistant(message: object, text: str) -> Spoke | Flaw:
    refusal = word(message, "refusal")
    said = "\n".join(part for part in (text, refusal) if part)
    thinking = tuple(filter(present, (peek(message, name) for name in THOUGHTS)))
    uses = tuple(_use(call) for call in _calls(message)) or legacy_use(message)
    solid = bool(thinking or refusal) or any(
        present(peek(message, name)) for name in ("content", "audio")
    )
    if not uses and not solid:
        return EMPTY
    return Spoke(message, said, uses, thinking)


def _calls(message: object) -> list[object]:
    return [call for call in blocks(peek(message, "tool_calls")) if is_message(call)]


def _use(call: object) -> Use:
    custom = peek(call, "custom")
    if is_message(custom):
        return Use(ident(call, "id"), word(custom, "name"), word(custom, "input"))
    function = peek(call, "function")
    return Use(ident(call, "id"), word(function, "name"), word(function, "arguments"))


def legacy_id(name: str) -> str:
    """The id of a call of the time when calls had none."""
    return f"function_call:{name}"


def legacy_use(message: object) -> tuple[Use, ...]:
    """The single call that an old message makes in `function_call`, if it does."""
    call = peek(message, "function_call")
    if not is_message(call):
        return ()
    name = word(call, "name")
    return (Use(legacy_id(name), name, word(call, "arguments"), form="function"),)


def rewrite_turn(items: Sequence[object], edit: Edit) -> list[object]:
    """The messages of a model with an edit applied."""
    return [kept for item in items for kept in _rewrite_message(item, edit)]


def _rewrite_message(message: object, edit: Edit) -> list[object]:
    changes: dict[str, object] = {}
    without: list[str] = list(THOUGHTS) if edit.unthink else []
    calls = _calls(message)
    if calls and (edit.gone or edit.calls):
        changes["tool_calls"] = keep_calls(calls, edit, rewrite_call)
    if not calls and 0 in edit.gone:
        without.append("function_call")
    if edit.text is not None:
        changes["content"] = retext(peek(message, "content"), edit.text, images=True)
        without.append("refusal")
    if changes.get("tool_calls") == []:
        without.append("tool_calls")
    made = alter(message, changes, without)
    return [made] if isinstance(_assistant(made, ""), Spoke) else []


def keep_calls(calls: Sequence[object], edit: Edit, again: Recalled) -> list[object]:
    """The calls that stay, those with a new id or arguments as copies."""
    return [
        again(call, edit.calls[nth]) if nth in edit.calls else call
        for nth, call in enumerate(calls)
        if nth not in edit.gone
    ]


def rewrite_call(call: object, wanted: Call) -> object:
    """The call with the id and arguments of another."""
    custom = is_message(peek(call, "custom"))
    field, name = ("custom", "input") if custom else ("function", "arguments")
    inner = alter(peek(call, field), {name: wanted.args})
    return alter(call, {"id": wanted.id, field: inner})


def rewrite_result(part: object, call: Call) -> object:
    """The answer with the id and result of a call."""
    content = retext(peek(part, "content"), call.result, images=call.images > 0)
    named = {} if word(part, "role") == "function" else {"tool_call_id": call.id}
    return alter(part, {"content": content, **named})


def write_turn(turn: AgentTurn) -> list[object]:
    """The messages of a turn that has none."""
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.tool, "arguments": call.args},
        }
        for call in turn.calls
    ]
    if not calls:
        return [{"role": "assistant", "content": turn.text}] if turn.text else []
    return [{"role": "assistant", "content": turn.text or None, "tool_calls": calls}]


def write_result(call: Call, form: str = "") -> object:
    """The answer of a call that has none."""
    if form == "function":
        return {"role": "function", "name": call.tool, "content": call.result}
    return {"role": "tool", "tool_call_id": call.id, "content": call.result}


def write_user(text: str) -> object:
    """A plain user message."""
    return {"role": "user", "content": text}


def write_system(text: str) -> object:
    """A system message."""
    return {"role": "system", "content": text}
