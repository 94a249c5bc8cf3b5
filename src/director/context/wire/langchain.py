"""LangChain messages, read by duck typing.

The library is imported only to make a message that was not there before; whoever asks for this
wire has it. Never changes a message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

from director.context.values import AgentTurn, Call
from director.context.wire.chat_completions import (
    EMPTY,
    keep_calls,
    legacy_id,
    legacy_use,
    rewrite_call,
)
from director.context.wire.parse_events import Answer, Edit, Event, Flaw, Heard, Spoke, Use
from director.context.wire.shape import (
    alter,
    as_json,
    as_object,
    blocks,
    ident,
    is_message,
    look,
    peek,
    present,
    retext,
    word,
)

_ROLES = {"human": "user", "ai": "assistant", "developer": "system"}
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning")
_KEPT_THOUGHTS = ("reasoning_content", "reasoning")
# The same call often stands among the blocks of the content too, and goes with it.
_CALLS = ("tool_use", "tool_call", "function_call")
_ITEM_IDS = ("msg_", "fc_", "ctc_", "ws_")


def read(message: object) -> Iterator[Event]:
    """What is in a message."""
    role = role_of(message)
    text, images = look(peek(message, "content"))
    if role == "assistant":
        yield _assistant(message, text)
    elif role == "tool":
        failed = word(message, "status") == "error"
        yield Answer(ident(message, "tool_call_id"), message, text, images, failed)
    elif role == "function":
        yield Answer(legacy_id(word(message, "name")), message, text, images)
    elif role == "system":
        yield Heard("langchain", message, text, images, "system")
    else:
        yield Heard("langchain", message, text, images, "user" if role == "user" else "other")


def role_of(message: object) -> str:
    """The role of a message in the words of the chat wire."""
    kind = word(message, "type").removesuffix("MessageChunk").lower()
    if kind in ("", "chat"):
        kind = word(message, "role")
    return _ROLES.get(kind, kind)


def _assistant(message: object, text: str) -> Spoke | Flaw:
    extra = peek(message, "additional_kwargs")
    kept = (peek(extra, name) for name in _KEPT_THOUGHTS)
    inside = [block for block in blocks(peek(message, "content")) if _thinks(block)]
    thinking = (*inside, *filter(present, kept))
    uses = tuple(_use(call) for call in _calls(message)) or legacy_use(extra)
    solid = present(peek(message, "content")) or any(_values(extra))
    if not uses and not solid:
        return EMPTY
    return Spoke(message, text, uses, thinking)


def _values(extra: object) -> list[bool]:
    return [present(value) for value in extra.values()] if isinstance(extra, Mapping) else []


def _thinks(block: object) -> bool:
    return word(block, "type") in (*_THOUGHTS, "compaction")


def _calls(message: object) -> list[object]:
    valid = blocks(peek(message, "tool_calls"))
    invalid = blocks(peek(message, "invalid_tool_calls"))
    return [call for call in (*valid, *invalid) if is_message(call)]


def _use(call: object) -> Use:
    function = peek(call, "function")
    if is_message(function):
        return Use(ident(call, "id"), word(function, "name"), word(function, "arguments"))
    args = peek(call, "args")
    # Calls that LangChain could not read are never run, so they may stay without an answer.
    strict = word(call, "type") != "invalid_tool_call"
    text = args if isinstance(args, str) else as_json(args)
    return Use(ident(call, "id"), word(call, "name"), text, strict)


def rewrite_turn(items: Sequence[object], edit: Edit) -> list[object]:
    """The messages of a model with an edit applied."""
    return [kept for item in items for kept in _rewrite_message(item, edit)]


def _rewrite_message(message: object, edit: Edit) -> list[object]:
    calls = _calls(message)
    lost = {ident(call, "id") for nth, call in enumerate(calls) if nth in edit.gone}
    kept = keep_calls(calls, edit, _rewrite_call)
    content = _recontent(peek(message, "content"), edit, lost)
    changes: dict[str, object] = {"content": content}
    for name in ("tool_calls", "invalid_tool_calls"):
        if present(peek(message, name)):
            changes[name] = [call for call in kept if _list_of(call) == name]
    chunks = blocks(peek(message, "tool_call_chunks"))
    if lost and chunks:
        kept_chunks = [chunk for chunk in chunks if ident(chunk, "id") not in lost]
        changes["tool_call_chunks"] = kept_chunks
    extra = peek(message, "additional_kwargs")
    if isinstance(extra, Mapping):
        changes["additional_kwargs"] = _reextra(extra, edit, lost)
    if edit.unthink and word(message, "id").startswith("msg_"):
        changes["id"] = None
    made = alter(message, changes)
    return [made] if isinstance(_assistant(made, ""), Spoke) else []


def _list_of(call: object) -> str:
    invalid = word(call, "type") == "invalid_tool_call"
    return "invalid_tool_calls" if invalid else "tool_calls"


def _recontent(content: object, edit: Edit, lost: set[str]) -> object:
    if isinstance(content, list | tuple):
        stay = [block for block in content if not _leaves(block, edit, lost)]
        content = [_drop_item_id(block) for block in stay] if edit.unthink else stay
    return content if edit.text is None else retext(content, edit.text, images=True)


def _leaves(block: object, edit: Edit, lost: set[str]) -> bool:
    kind = word(block, "type")
    if kind in _CALLS:
        return bool({ident(block, "id"), ident(block, "call_id")} & lost)
    return edit.unthink and kind in _THOUGHTS


def _drop_item_id(block: object) -> object:
    # OpenAI refuses an item that comes under its id but without its reasoning.
    named = word(block, "id").startswith(_ITEM_IDS)
    return alter(block, {}, ("id",)) if named else block


def _reextra(extra: Mapping[str, object], edit: Edit, lost: set[str]) -> dict[str, object]:
    kept = dict(extra)
    if edit.unthink:
        for name in (*_KEPT_THOUGHTS, "__openai_function_call_ids__"):
            kept.pop(name, None)
    raw = kept.get("tool_calls")
    if lost and isinstance(raw, list):
        kept["tool_calls"] = [call for call in raw if ident(call, "id") not in lost]
    if 0 in edit.gone and not lost:
        kept.pop("function_call", None)
    return kept


def _rewrite_call(call: object, wanted: Call) -> object:
    if is_message(peek(call, "function")):
        return rewrite_call(call, wanted)
    args = peek(call, "args")
    new: object = wanted.args if isinstance(args, str) else as_object(wanted.args)
    return alter(call, {"id": wanted.id, "args": new})


def rewrite_result(part: object, call: Call) -> object:
    """The tool message with the id and result of a call."""
    content = retext(peek(part, "content"), call.result, images=call.images > 0)
    named = {"tool_call_id": call.id} if role_of(part) == "tool" else {}
    return alter(part, {"content": content, **named})


def _make_message(name: str, fields: Mapping[str, object]) -> object:
    make: object = getattr(import_module("langchain_core.messages"), name)
    if not callable(make):
        raise TypeError(f"langchain_core.messages.{name} cannot be called")
    message: object = make(**fields)
    return message


def write_turn(turn: AgentTurn) -> list[object]:
    """The messages of a turn that has none."""
    calls = [
        {"name": call.tool, "args": as_object(call.args), "id": call.id, "type": "tool_call"}
        for call in turn.calls
    ]
    if not calls and not turn.text:
        return []
    return [_make_message("AIMessage", {"content": turn.text, "tool_calls": calls})]


def write_result(call: Call, form: str = "") -> object:
    """The tool message of a call that has none."""
    if form == "function":
        return _make_message("FunctionMessage", {"content": call.result, "name": call.tool})
    named = {"content": call.result, "tool_call_id": call.id, "name": call.tool}
    return _make_message("ToolMessage", {**named, "status": "error" if call.failed else "success"})


def write_user(text: str) -> object:
    """A plain user message."""
    return _make_message("HumanMessage", {"content": text})


def write_system(text: str) -> object:
    """A system message."""
    return _make_message("SystemMessage", {"content": text})
