"""Anthropic Messages: results are blocks, first in the user message after the calls.

Reads and writes single messages and blocks; never changes one. The system prompt of this wire
is not among its messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from director.context.values import AgentTurn, Call
from director.context.wire.parse_events import Answer, Edit, Event, Flaw, Heard, Spoke, Use
from director.context.wire.shape import (
    alter,
    as_json,
    as_object,
    block_text,
    blocks,
    ident,
    look,
    peek,
    present,
    retext,
    word,
)

_THOUGHTS = ("thinking", "redacted_thinking")
_EMPTY = Flaw("empty_message", "", "The empty message was dropped.")
_HOLLOW = Flaw("empty_block", "", "The empty text blocks were removed.")
_PARTS: dict[str, Literal["user", "system"]] = {"user": "user", "system": "system"}
_UNFIT = re.compile(r"[^A-Za-z0-9_-]")


def read(message: object) -> Iterator[Event]:
    """What is in a message."""
    role = word(message, "role")
    content = peek(message, "content")
    if role in ("user", "assistant") and not present(content):
        yield _EMPTY
    elif role == "assistant":
        yield from _assistant(message)
    elif role == "user" and isinstance(content, list | tuple):
        yield from _user(message, content)
    else:
        text, images = look(content)
        part: Literal["user", "system", "other"] = _PARTS.get(role, "other")
        yield Heard("anthropic", message, text, images, part)


def _assistant(message: object) -> Iterator[Event]:
    content = peek(message, "content")
    full = [block for block in blocks(content) if block_text(block) != ""]
    if len(full) != len(blocks(content)):
        yield _HOLLOW if full else _EMPTY
        if not full:
            return
        message = alter(message, {"content": full})
    text, _ = look(peek(message, "content"))
    uses = tuple(_use(block) for block in full if _is_use(block))
    thinking = tuple(block for block in full if _thinks(block))
    waits = bool(uses) or (bool(thinking) and len(thinking) == len(full))
    yield Spoke(message, text, uses, thinking, waits)


def _is_use(block: object) -> bool:
    return word(block, "type") == "tool_use"


def _thinks(block: object) -> bool:
    return word(block, "type") in (*_THOUGHTS, "compaction")


def _use(block: object) -> Use:
    return Use(ident(block, "id"), word(block, "name"), as_json(peek(block, "input")))


def _user(message: object, content: Sequence[object]) -> Iterator[Event]:
    places: list[int] = []
    hollow = False
    for place, block in enumerate(content):
        if word(block, "type") == "tool_result":
            answer = _answer(message, place, block, late=bool(places))
            hollow = hollow or answer.part is not block
            yield answer
        elif block_text(block) == "":
            hollow = True
        else:
            places.append(place)
    if hollow:
        yield _HOLLOW
    if not places:
        return
    parts = tuple(content[place] for place in places)
    text, images = look(parts)
    if len(parts) == len(content):
        yield Heard("anthropic", message, text, images)
    else:
        yield Heard("anthropic", message, text, images, "user", tuple(places), parts)


def _answer(message: object, place: int, block: object, *, late: bool) -> Answer:
    content = peek(block, "content")
    full = [inner for inner in blocks(content) if block_text(inner) != ""]
    if len(full) != len(blocks(content)):
        block = alter(block, {"content": full or ""})
    text, images = look(peek(block, "content"))
    failed = peek(block, "is_error") is True
    named = ident(block, "tool_use_id")
    return Answer(named, block, text, images, failed, message, place, late)


def rewrite_turn(items: Sequence[object], edit: Edit) -> list[object]:
    """The messages of a model with an edit applied."""
    kept: list[object] = []
    nth = -1
    text = edit.text
    for item in items:
        content = peek(item, "content")
        stay: list[object] = []
        for block in blocks(content):
            if _is_use(block):
                nth += 1
                if nth not in edit.gone:
                    stay.append(_rewrite_call(block, edit.calls.get(nth)))
            elif not (edit.unthink and word(block, "type") in _THOUGHTS):
                stay.append(block)
        made: object = stay if isinstance(content, list | tuple) else content
        if text is not None and (look(made)[0] or item is items[-1]):
            made, text = retext(made, text, images=True), ""
        if present(made):
            kept.append(alter(item, {"content": made}))
    return kept


def _rewrite_call(block: object, wanted: Call | None) -> object:
    if wanted is None:
        return block
    return alter(block, {"id": wanted.id, "input": as_object(wanted.args)})


def rewrite_result(part: object, call: Call) -> object:
    """The result block with the id and result of a call."""
    content = retext(peek(part, "content"), call.result, images=call.images > 0)
    return alter(part, {"tool_use_id": call.id, "content": content})


def write_turn(turn: AgentTurn) -> list[object]:
    """The messages of a turn that has none."""
    if not turn.calls:
        return [{"role": "assistant", "content": turn.text}] if turn.text else []
    content: list[object] = [{"type": "text", "text": turn.text}] if turn.text else []
    for call in turn.calls:
        named = {"id": call.id, "name": call.tool, "input": as_object(call.args)}
        content.append({"type": "tool_use", **named})
    return [{"role": "assistant", "content": content}]


def write_result(call: Call, _form: str = "") -> object:
    """The result block of a call that has none; all calls look alike."""
    block = {"type": "tool_result", "tool_use_id": call.id, "content": call.result}
    return {**block, "is_error": True} if call.failed else block


def write_user(text: str) -> object:
    """A plain user message."""
    return {"role": "user", "content": text}


def write_system(_text: str) -> object:
    """Nothing: the system prompt travels outside the messages."""
    return None


def gather(pieces: Sequence[tuple[object, object]]) -> object:
    """One user message of blocks that came from one message: that message if it is whole."""
    source = pieces[0][0]
    content = blocks(peek(source, "content"))
    parts = [part for _, part in pieces]
    if len(parts) == len(content) and all(map(_same, parts, content)):
        return source
    return alter(source, {"content": parts}) if source else {"role": "user", "content": parts}


def opens_alone(message: object) -> bool:
    """Whether a message of the model may come first: it begins with a compaction."""
    first = blocks(peek(message, "content"))[:1]
    return bool(first) and word(first[0], "type") == "compaction"


def _same(one: object, other: object) -> bool:
    return one is other


def fitting(name: str) -> str:
    """The id with only those characters that this wire allows."""
    return _UNFIT.sub("_", name) or "call"
