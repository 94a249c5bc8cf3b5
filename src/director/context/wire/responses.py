"""Responses: a flat list of items, where one model response is a run of output items.

Items of an unknown type are taken for output, so that a reasoning item is never torn from what
follows it. Reads and writes single items; never changes one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from director.context.values import AgentTurn, Call
from director.context.wire.parse_events import Answer, Edit, Event, Heard, Loose, Spoke, Use
from director.context.wire.shape import alter, as_json, blocks, ident, look, peek, retext, word

_INPUTS = frozenset({"compaction_trigger", "additional_tools", "configuration_update"})
_ANSWERABLE = {"function_call": "", "custom_tool_call": "custom_tool_call_output"}
# What OpenAI's Agents SDK calls every item of an API that has no ids.
PLACEHOLDER = "__fake_id__"
_OPAQUE = ("reasoning", "compaction", "item_reference")


def read(item: object) -> Iterator[Event]:
    """What is in an item."""
    kind = kind_of(item)
    if kind == "message":
        yield _message(item)
    elif kind.endswith("_output") and ident(item, "call_id"):
        text, images = look(peek(item, "output"))
        failed = word(item, "status") == "error"
        yield Answer(ident(item, "call_id"), item, text, images, failed)
    elif kind == "mcp_approval_response":
        yield Loose(item)
    elif not kind or kind in _INPUTS:
        # Tools that a client sends in the input, as Codex does, never leave.
        tools = kind == "additional_tools"
        yield Heard("responses", item, read_input_text(item), role="system" if tools else "other")
    elif kind.endswith("_call") and ident(item, "call_id"):
        yield Spoke(item, "", (_use(item, kind),), open=True)
    else:
        yield _opaque(item, kind)


def kind_of(item: object) -> str:
    """The type of an item, which a message may leave out."""
    return word(item, "type") or ("message" if word(item, "role") else "")


def read_input_text(item: object) -> str:
    """What a model reads in an item of the input: its content, or the tools that it brings."""
    if kind_of(item) == "additional_tools":
        return "\n".join(as_json(tool) for tool in blocks(peek(item, "tools")))
    return look(peek(item, "content"))[0]


def _message(item: object) -> Event:
    text, images = look(peek(item, "content"))
    role = word(item, "role")
    if role == "assistant":
        return Spoke(item, text, open=True)
    if role in ("system", "developer"):
        return Heard("responses", item, text, images, "system")
    return Heard("responses", item, text, images, "user" if role == "user" else "other")


def _use(item: object, kind: str) -> Use:
    args = word(item, "arguments") or word(item, "input")
    action = peek(item, "action")
    if not args and action is not None:
        args = as_json(action)
    tool = word(item, "name") or kind.removesuffix("_call")
    strict = kind in _ANSWERABLE
    return Use(ident(item, "call_id"), tool, args, strict, _ANSWERABLE.get(kind, ""))


def _opaque(item: object, kind: str) -> Spoke:
    # A reference names its item by id alone; the prefix tells whether that is a thought.
    named = word(item, "id") if kind == "item_reference" else ""
    thinks = kind in ("reasoning", "compaction") or named.startswith(("rs_", "cmp_"))
    thinking = (item,) if thinks else ()
    return Spoke(item, "", (), thinking, open=True, refers=kind == "item_reference")


def is_reasoning(item: object) -> bool:
    """Whether an item is reasoning, or refers to some."""
    kind = kind_of(item)
    return kind == "reasoning" or (kind == "item_reference" and word(item, "id").startswith("rs_"))


def response_key(item: object) -> str:
    """What the ids of all items of one response have in common, empty if the id is too short."""
    body = word(item, "id").partition("_")[2]
    return body[:16] if len(body) >= 32 else ""


def gist(item: object) -> tuple[str, ...]:
    """What makes two items with one id the same item."""
    content = look(peek(item, "content"))[0] + look(peek(item, "output"))[0]
    kind = "" if kind_of(item) in _OPAQUE else kind_of(item)
    return (kind, content, ident(item, "call_id"), word(item, "arguments"))


def rewrite_turn(items: Sequence[object], edit: Edit) -> list[object]:
    """The items of a model with an edit applied."""
    kept: list[object] = []
    nth = -1
    text = edit.text
    for item in items:
        kind = kind_of(item)
        without = () if kind in _OPAQUE or not edit.unnamed else ("id",)
        changes: dict[str, object] = {}
        if kind.endswith("_call") and ident(item, "call_id"):
            nth += 1
            if nth in edit.gone:
                continue
            if nth in edit.calls:
                changes = _rewrite_call(item, edit.calls[nth])
        elif edit.unthink and is_reasoning(item):
            continue
        elif kind == "message" and text is not None:
            changes = {"content": _resaid(item, text)}
            text = ""
            if not changes["content"]:
                continue
        kept.append(alter(item, changes, without) if changes or without else item)
    return kept[: count_unbared(kept)]


def _resaid(item: object, text: str) -> object:
    return retext(peek(item, "content"), text, images=True, kind="output_text")


def count_unbared(items: Sequence[object]) -> int:
    """How many items remain when reasoning that nothing follows is left off the end."""
    end = len(items)
    while end and kind_of(items[end - 1]) == "reasoning":
        end -= 1
    return end


def _rewrite_call(item: object, wanted: Call) -> dict[str, object]:
    for field in ("arguments", "input"):
        if isinstance(peek(item, field), str):
            return {"call_id": wanted.id, field: wanted.args}
    return {"call_id": wanted.id}


def rewrite_result(part: object, call: Call) -> object:
    """The output with the id and result of a call."""
    output = retext(peek(part, "output"), call.result, images=call.images > 0, kind="input_text")
    return alter(part, {"call_id": call.id, "output": output})


def write_turn(turn: AgentTurn) -> list[object]:
    """The items of a turn that has none."""
    said: list[object] = []
    if turn.text:
        said.append({"type": "message", "role": "assistant", "content": turn.text})
    for call in turn.calls:
        named = {"call_id": call.id, "name": call.tool, "arguments": call.args}
        said.append({"type": "function_call", **named})
    return said


def write_result(call: Call, form: str = "") -> object:
    """The output of a call that has none."""
    return {"type": form or "function_call_output", "call_id": call.id, "output": call.result}


def write_user(text: str) -> object:
    """A plain user message."""
    return {"type": "message", "role": "user", "content": text}


def write_system(text: str) -> object:
    """A system message."""
    return {"type": "message", "role": "system", "content": text}
