"""From a context to what one provider is sent: instructions apart, messages in its wire form.

Each message has a digest over all that stands before it, so that a server's memory can be
checked against any beginning of the history. The gate stands here: nothing leaves unpaired.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from director.context.units import without_thinking
from director.context.values import Context, Section, UserTurn
from director.context.wire import emit, parse, problems
from director.context.wire.parse_events import Heard
from director.models.capabilities import Form
from director.models.failures import Failure, ModelError
from director.models.images import list_image_parts, make_image_part
from director.models.tool_schemas import Tool, limit_tool_schema_strictness

LONGEST_ID = 64
_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str)
# How the ids of items begin; OpenAI refuses those that others made.
_BEGINS = {
    "message": "msg",
    "function_call": "fc",
    "function_call_output": "fc",
    "custom_tool_call": "ctc",
    "custom_tool_call_output": "ctc",
    "reasoning": "rs",
    "compaction": "cmp",
}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request in one wire form; `digests[n]` is of the first n messages."""

    form: Form
    context: Context
    sections: tuple[Section, ...]
    messages: tuple[Mapping[str, object], ...]
    tools: tuple[Tool, ...]
    digests: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def instructions(self) -> str:
        """The text of all sections."""
        return "\n\n".join(section.text for section in self.sections if section.text)

    def job(self, model: str) -> str:
        """The digest of everything that decides what a model answers."""
        return _digest(self.digests[-1], self.head(model))

    def head(self, model: str, effort: str | None = None) -> str:
        """The digest of what stands ahead of the messages, and of whom they are for."""
        tools = [[tool.name, tool.description, tool.parameters] for tool in self.tools]
        said = [[section.text, section.stable] for section in self.sections]
        return _digest("", [model, effort, said, tools])


def prepare_request(
    given: Context | Sequence[object], form: Form, tools: Sequence[Tool]
) -> Prepared:
    """Write a history in the wire form of a provider, and let nothing broken pass."""
    warnings: tuple[str, ...] = ()
    if isinstance(given, Context):
        context = given
    else:
        parsed = parse([dump_request_message(message) for message in given])
        context = parsed.context
        warnings = tuple(f"message {one.where}: {one.action}" for one in parsed.repairs)
    turns = tuple(
        _convert_images(turn, form) if isinstance(turn, UserTurn) else turn
        for turn in context.turns
    )
    bare = replace(context, sections=(), turns=turns)
    messages = tuple(dump_request_message(message) for message in emit(bare, form))
    messages = tuple(_adapt_message(message, form) for message in messages)
    refuse_unanswered_request_messages(messages, form)
    offered = tuple(map(limit_tool_schema_strictness, tools))
    return Prepared(
        form,
        context,
        context.sections,
        messages,
        offered,
        hash_request(messages),
        warnings,
    )


def refuse_unanswered_request_messages(messages: Sequence[object], form: Form) -> None:
    """Refuse a history in which a call is not answered exactly once, with the ids."""
    found = problems(messages, form)
    if not found:
        return
    what = f"the history is not valid for this provider: {'; '.join(found)}."
    # All else is repaired before it comes here; where a trigger stands is the caller's will.
    asked = all("compaction_trigger" in problem for problem in found)
    raise ModelError(Failure("invalid" if asked else "pairing", what))


def check_request(prepared: Prepared, choice: str, *, prefill: bool) -> None:
    """Refuse what no provider would take, and say what is wrong with it."""
    names = sorted(tool.name for tool in prepared.tools)
    for one, other in pairwise(names):
        if one == other:
            what = f"two tools are named {one!r}: a call could mean either."
            raise ModelError(Failure("invalid", what))
    if choice not in ("auto", "none", "required", *names):
        offered = ", ".join(names) or "none"
        what = f"tool_choice names {choice!r}, which is not offered; the tools are: {offered}."
        raise ModelError(Failure("invalid", what))
    if not prepared.messages:
        raise ModelError(Failure("invalid", "the history is empty: there is nothing to answer."))
    last = prepared.messages[-1]
    if last.get("role") == "assistant" and not prefill:
        what = "the history ends with the model's own words; add what is said to it next."
        raise ModelError(Failure("invalid", what))


def strip_reasoning(prepared: Prepared) -> Prepared:
    """The same request without reasoning, for a provider that refuses what it returned."""
    turns = tuple(without_thinking(prepared.context.turns))
    context = replace(prepared.context, turns=turns)
    again = prepare_request(context, prepared.form, prepared.tools)
    messages = again.messages
    if prepared.form == "responses":
        # An id reminds the provider of reasoning that stood before the item, shown or not.
        messages = tuple(map(_drop_id, messages))
    return replace(
        again,
        messages=messages,
        digests=hash_request(messages),
        warnings=prepared.warnings,
    )


def hash_request(messages: Sequence[object], before: str = "") -> tuple[str, ...]:
    """The digest of each beginning of a history, the empty one first."""
    found = [before]
    for message in messages:
        found.append(_digest(found[-1], message))
    return tuple(found)


def _digest(before: str, value: object) -> str:
    text = _JSON.encode(value)
    return hashlib.sha256(f"{before}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


def dump_request_message(message: object) -> Mapping[str, object]:
    """A message as a mapping; a library's own object is dumped, a text is a user's."""
    if isinstance(message, Mapping):
        return message
    if isinstance(message, str):
        return {"role": "user", "content": message}
    dump = getattr(message, "model_dump", None)
    found = dump(exclude_unset=True) if callable(dump) else None
    if not isinstance(found, Mapping):
        what = f"a message must be a mapping or an object of a provider's library, not {message!r}"
        raise TypeError(what)
    return found


def _adapt_message(message: Mapping[str, object], form: Form) -> Mapping[str, object]:
    """The message as its API takes it, where other frameworks write it otherwise."""
    if form == "responses":
        return _shorten_call_id(_drop_foreign_id(message))
    if form == "chat" and message.get("role") != "assistant" and message.get("content") is None:
        return {**message, "content": ""}
    return message


def _drop_foreign_id(item: Mapping[str, object]) -> Mapping[str, object]:
    """The item without an id that the API never gave it."""
    name, begins = item.get("id"), _BEGINS.get(str(item.get("type") or "message"))
    if not isinstance(name, str) or begins is None:
        return item
    return item if name.startswith(begins) and len(name) <= LONGEST_ID else _drop_id(item)


def _drop_id(item: Mapping[str, object]) -> Mapping[str, object]:
    """The item without its id, where it may be without one."""
    if "id" not in item or str(item.get("type") or "message") not in _BEGINS:
        return item
    return {name: value for name, value in item.items() if name != "id"}


def _shorten_call_id(item: Mapping[str, object]) -> Mapping[str, object]:
    """The item with a call's id that is short enough, the same for its result."""
    name = item.get("call_id")
    if not isinstance(name, str) or len(name) <= LONGEST_ID:
        return item
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return {**item, "call_id": f"{name[: LONGEST_ID - 17]}_{mark}"}


def _convert_images(turn: UserTurn, form: Form) -> UserTurn:
    """The turn with its images in the form of another wire."""
    native = turn.native
    if not turn.images or not isinstance(native, Heard) or native.wire == form:
        return turn
    content = native.parts or dump_request_message(native.source).get("content")
    kind = "input_text" if form == "responses" else "text"
    said = [{"type": kind, "text": turn.text}] if turn.text else []
    parts = [*said, *(make_image_part(image, form) for image in list_image_parts(content))]
    message = {"role": "user", "content": parts}
    return replace(turn, native=Heard(form, message, turn.text, turn.images))
